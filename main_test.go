package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"tidemark/cmd"
	"tidemark/flinkapi"
	"tidemark/internal/cases"
	"tidemark/internal/testmain"
)

func TestMain(m *testing.M) {
	testscript.Main(testmain.Runner{M: m}, map[string]func(){"tidemark": program})
}

// shortWaits is set where a script meets no cluster: what the program waits before it asks again is a matter of other tests.
const shortWaits = "SHORT_WAITS"

// program is main, as far as a script may see.
func program() {
	if os.Getenv(shortWaits) == "" {
		main()
		return
	}
	e := cmd.OS()
	e.Sleep = func(ctx context.Context, d time.Duration) error { return flinkapi.Sleep(ctx, d/50) }
	os.Exit(cmd.Main(os.Args[1:], e))
}

// TestScripts drives the binary as a user does; a plain run takes some of them.
func TestScripts(t *testing.T) {
	scripts, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(scripts) < 10 {
		t.Fatalf("%v: %v", scripts, err)
	}
	slices.Reverse(scripts) // usage and triage are among them
	recordings, err := filepath.Abs("testdata/recordings/flink-2.3.0")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Files: cases.Some(scripts, 5),
		Setup: func(e *testscript.Env) error {
			e.Setenv("RECORDINGS", recordings)
			e.Setenv(shortWaits, "1")
			return writeTruncated(filepath.Join(recordings, "lab-idle-partition.jsonl.gz"), filepath.Join(e.WorkDir, "truncated.jsonl.gz"))
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

// exits runs a command and checks its exit code: exits CODE COMMAND [ARGS...].
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARGS...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	err = ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%s: %v", args[1], err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// writeTruncated writes the first two thirds of a recording.
func writeTruncated(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data[:len(data)*2/3], 0o644)
}
