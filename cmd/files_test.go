package cmd

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"tidemark/render"
)

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
