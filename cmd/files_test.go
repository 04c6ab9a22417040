package cmd

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"tidemark/analyze"
	"tidemark/internal/expect"
	"tidemark/internal/near"
	"tidemark/render"
)

func TestWriteAtomic(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "r.json")
	for _, text := range []string{"first, and longer", "second"} {
		if err := writeAtomic(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(path); string(got) != text {
			t.Errorf("%q, want %q", got, text)
		}
	}
	expect.Error(t, writeAtomic(filepath.Join(dir, "gone", "r.json"), nil), "cannot be written")
	if err := os.Mkdir(filepath.Join(dir, "full"), 0o755); err != nil {
		t.Fatal(err)
	}
	expect.Error(t, writeAtomic(filepath.Join(dir, "full"), []byte("x")), "cannot be written")
	left, _ := os.ReadDir(dir)
	if len(left) != 2 {
		t.Errorf("temporary files are left: %v", left)
	}
}

func TestReportFileNeverHasColour(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.txt")
	r := &analyze.Report{Jobs: []analyze.JobReport{{Name: "j", Verdict: analyze.VerdictCritical}}}
	if err := (reportFile{"table", path}).write(render.Triage(r)); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(path); bytes.ContainsRune(got, '\x1b') || !bytes.HasPrefix(got, []byte("CRITICAL j")) {
		t.Errorf("got %q", got)
	}
}

func TestParseReports(t *testing.T) {
	got, err := parseReports([]string{"json=a=b.json", "html=x"}, render.Formats)
	if err != nil || len(got) != 2 || got[0] != (reportFile{"json", "a=b.json"}) {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range []string{"json", "json=", "pdf=x", "=x", ""} {
		if _, err := parseReports([]string{bad}, render.Formats); exitCode(err, true, false) != exitUsage {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestReportsThatCannotBeWrittenAreRefusedBeforehand(t *testing.T) {
	dir := t.TempDir()
	for _, bad := range [][]string{{"json=" + dir}, {"json=" + dir + "/gone/r.json"}, {"json=" + dir + "/r", "html=" + dir + "/./r"}} {
		if _, err := parseReports(bad, render.Formats); exitCode(err, true, false) != exitUsage {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// A device or pipe is written to and not replaced, a link stays a link, and a private file private.
func TestWriteAtomicLeavesWhatIsThereInPlace(t *testing.T) {
	dir := t.TempDir()
	private, link, pipe := filepath.Join(dir, "private"), filepath.Join(dir, "link"), filepath.Join(dir, "pipe")
	if err := errors.Join(os.WriteFile(private, []byte("old"), 0o600), os.Symlink(private, link), syscall.Mkfifo(pipe, 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := writeAtomic(link, []byte("new")); err != nil {
		t.Fatal(err)
	}
	info, _ := os.Lstat(link)
	if got, _ := os.ReadFile(private); string(got) != "new" || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("behind the link is %q, the link is %s", got, info.Mode())
	}
	if info, _ = os.Stat(private); info.Mode().Perm() != 0o600 {
		t.Errorf("the mode became %s", info.Mode())
	}
	got := make(chan string)
	go func() { text, _ := os.ReadFile(pipe); got <- string(text) }()
	if err := writeAtomic(pipe, []byte("piped")); err != nil {
		t.Fatal(err)
	}
	if text := <-got; text != "piped" {
		t.Errorf("the reader of the pipe got %q", text)
	}
	if info, _ = os.Lstat(pipe); info.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("the pipe is now %s", info.Mode())
	}
}

// What was measured is in every file that can be written, whatever became of the others.
func TestReportsAreWrittenThoughStandardOutputFails(t *testing.T) {
	dir := t.TempDir()
	f := newFake(nil)
	f.Out = fullDisk{}
	out := output{format: render.Table, reports: []string{"json=/dev/full", "markdown=" + filepath.Join(dir, "r.md"), "html=" + filepath.Join(dir, "r.html")}}
	if err := out.check(render.Formats); err != nil {
		t.Fatal(err)
	}
	err := runTriage(context.Background(), f.globals, triageOf("demo/lab-healthy.jsonl.gz"), out)
	if exitCode(err, true, false) != exitIncomplete {
		t.Errorf("error %v", err)
	}
	for _, name := range []string{"r.md", "r.html"} {
		if text, _ := os.ReadFile(filepath.Join(dir, name)); !bytes.Contains(text, []byte("lab-healthy")) {
			t.Errorf("%s holds %q", name, text)
		}
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestNear(t *testing.T) {
	known := []string{"idle-split", "idle-subtask", "never-emitted", "TM102"}
	for want, first := range map[string]string{"idle-spilt": "idle-split", "never": "never-emitted", "tm101": "TM102", "IDLE-SUBTASKS": "idle-subtask"} {
		if got := near.Words(want, known, 2); len(got) != 2 || got[0] != first {
			t.Errorf("near %q: %s, want %s first", want, strings.Join(got, ", "), first)
		}
	}
	if got := near.Words("x", nil, 3); len(got) != 0 {
		t.Errorf("got %v", got)
	}
}
