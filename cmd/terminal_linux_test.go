package cmd

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"tidemark/internal/cases"
)

// asked is what a terminal answers: its colours, its cursor, its modes, what it is.
var asked = regexp.MustCompile(`\x1b\][0-9;]*\?|\x1b\[[0-9;?>=]*(n|c|\$p|u)|\x1b[PZ]`)

// pseudoTerminal makes a terminal of 80 columns: the end that a person sits at, and the one of a program.
func pseudoTerminal(t *testing.T) (person, program *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = person.Close() })
	fd := int(person.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80})
	}
	if err != nil {
		t.Fatal(err)
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = program.Close() })
	return person, program
}

// A question to the terminal is answered late, never, or into the shell's next line: only watch, which owns
// its terminal, asks. What a person typed ahead is still there for the shell.
func TestNoCommandAsksTheTerminal(t *testing.T) {
	t.Parallel()
	recording := filepath.Join("demo", "lab-idle-partition.jsonl.gz")
	runs := [][]string{
		{}, {"version"}, {"--version"}, {"nonsense"}, {"checks"}, {"explain", "TM102"}, {"demo", "--list"}, {"context", "list"}, {"alerts"},
		{"triage", "--from", recording}, {"triage", "--from", recording, "-v"}, {"watermarks", "--from", recording},
		{"triage", "--flink", "http://127.0.0.1:1", "--once"}, {"watch", "--flink", "http://127.0.0.1:1", "-o", "json"}, {"recommend", "--records", "nothing.csv"},
	}
	runs = cases.Some(runs, 4)
	for _, c := range cases.Some(newRoot(newFake(nil).globals).Commands(), 1) {
		runs = append(runs, []string{c.Name(), "--help"})
	}
	for _, args := range runs {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			person, program := pseudoTerminal(t)
			const ahead = "typed ahead\n"
			if _, err := person.WriteString(ahead); err != nil {
				t.Fatal(err)
			}
			shown := make(chan []byte)
			go func() {
				var b bytes.Buffer
				_, _ = b.ReadFrom(person) // ends with an error once nothing holds the other end
				shown <- b.Bytes()
			}()
			c := tidemark(t, args...)
			c.Env = append(c.Env, "TERM=xterm-256color", "CI=", "NO_COLOR=")
			c.Stdin, c.Stdout, c.Stderr = program, program, program
			c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
			_ = c.Run() // some are refused
			left := make([]byte, 64)
			n, err := program.Read(left)
			if err != nil || string(left[:n]) != ahead {
				t.Errorf("of what was typed ahead %q is left (%v)", left[:n], err)
			}
			_ = program.Close()
			out := bytes.ReplaceAll(<-shown, []byte("typed ahead\r\n"), nil)
			if len(out) == 0 {
				t.Error("nothing is shown")
			}
			if q := asked.Find(out); q != nil {
				t.Errorf("the terminal is asked %q in %q", q, out)
			}
		})
	}
}
