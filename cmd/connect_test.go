//go:build unix

package cmd

import (
	"bufio"
	"bytes"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"tidemark/flinkapi"
	"tidemark/internal/cases"
	"tidemark/internal/expect"
	"tidemark/internal/flinktest"
)

// connected is tidemark with a context that reaches a recorded cluster by a stand-in for kubectl, whose process
// id it writes to a file.
func connected(t *testing.T, args ...string) (c *exec.Cmd, srv *httptest.Server, pid func() int) {
	t.Helper()
	rec, err := flinkapi.OpenRecording(filepath.Join("demo", "lab-idle-partition.jsonl.gz"), nil)
	if err != nil {
		t.Fatal(err)
	}
	srv = httptest.NewServer(flinktest.NewReplay(rec.Entries, flinktest.ReplayOptions{Interval: time.Second}))
	t.Cleanup(srv.Close)
	dir := t.TempDir()
	at := strings.TrimPrefix(srv.URL, "http://")
	script := expect.File(t, "kubectl", fmt.Sprintf("echo $$ > %s/pid\necho 'Forwarding from %s -> 8081'\necho 'error forwarding port 8081 to pod 7f3a: lost connection to pod' >&2\nexec sleep 600\n", dir, at))
	c = tidemark(t, args...)
	c.Env = append(c.Env, "TIDEMARK_CONFIG="+expect.File(t, "c.yaml", "current-context: k\ncontexts:\n  k: {connect: [sh, "+script+"]}\n"))
	return c, srv, func() int {
		text, err := os.ReadFile(filepath.Join(dir, "pid"))
		if err != nil {
			t.Fatal(err)
		}
		n, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
}

func ended(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, 0); err != syscall.ESRCH {
		t.Errorf("what was connected is left running: %v", err)
	}
}

func TestAContextIsConnectedForACommand(t *testing.T) {
	t.Parallel()
	c, _, pid := connected(t, "triage", "--once")
	out, err := c.Output()
	if !bytes.Contains(out, []byte("lab-idle-partition")) || c.ProcessState.ExitCode() == exitUsage {
		t.Errorf("%v: %s", err, out)
	}
	ended(t, pid())
}

// What was connected is connected again where it ends while a view continues.
func TestWatchConnectsAgain(t *testing.T) {
	t.Parallel()
	cases.Slow(t)
	c, _, pid := connected(t, "watch", "-o", "json", "--interval", "1s")
	out, err := c.StdoutPipe()
	said, failed := c.StderrPipe()
	if err != nil || failed != nil {
		t.Fatal(err, failed)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil { // the first reading is there
		t.Fatal(err)
	}
	first := pid()
	if err := syscall.Kill(first, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(said); ; {
		if !lines.Scan() {
			t.Fatal("it is never said that it was restarted")
		}
		if strings.Contains(lines.Text(), "connect: sh had ended and was restarted") {
			break
		}
	}
	second := pid()
	if second == first {
		t.Error("it is the same process")
	}
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	ended(t, second)
}

// What the program says of a request that fails stands below it.
func TestWhatIsConnectedSaysWhyItFails(t *testing.T) {
	t.Parallel()
	cases.Slow(t)
	c, srv, pid := connected(t, "triage", "--once")
	srv.Close()
	var said bytes.Buffer
	c.Stderr = &said
	_ = c.Run()
	if c.ProcessState.ExitCode() != exitIncomplete || !strings.Contains(said.String(), "tidemark: sh: error forwarding port 8081 to pod 7f3a: lost connection to pod\n") {
		t.Errorf("exit code %d: %s", c.ProcessState.ExitCode(), said.String())
	}
	ended(t, pid())
}

func TestASignalEndsWhatIsConnected(t *testing.T) {
	signals := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}
	caught := make(chan os.Signal, len(signals))
	for _, s := range signals {
		signal.Notify(caught, s) // what is ignored here, as under nohup, would be ignored by what is started as well
	}
	t.Cleanup(func() { signal.Stop(caught) })
	for _, s := range cases.Some(signals, 1) {
		t.Run(s.String(), func(t *testing.T) {
			t.Parallel()
			c, _, pid := connected(t, "watch", "-o", "json")
			out, err := c.StdoutPipe()
			if err == nil {
				err = c.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			if _, err := out.Read(make([]byte, 1)); err != nil { // the first reading is there
				t.Fatal(err)
			}
			if err := c.Process.Signal(s); err != nil {
				t.Fatal(err)
			}
			_ = c.Wait()
			if c.ProcessState.ExitCode() != exitInterrupted {
				t.Errorf("exit code %d", c.ProcessState.ExitCode())
			}
			ended(t, pid())
		})
	}
}
