package render

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"tidemark/analyze"
	"tidemark/request"
)

func TestAFileNeverHasColour(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.txt")
	r := &analyze.Report{Jobs: []analyze.JobReport{{Name: "j", Verdict: analyze.VerdictCritical}}}
	if err := (File{"table", path}).Write(Triage(r)); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(path); bytes.ContainsRune(got, '\x1b') || !bytes.HasPrefix(got, []byte("CRITICAL j")) {
		t.Errorf("got %q", got)
	}
}

func TestFilesAreParsed(t *testing.T) {
	got, err := ParseFiles([]string{"json=a=b.json", "html=x"}, Formats)
	if err != nil || len(got) != 2 || got[0] != (File{"json", "a=b.json"}) {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range []string{"json", "json=", "pdf=x", "=x", ""} {
		if _, err := ParseFiles([]string{bad}, Formats); !errors.As(err, new(*request.Mistake)) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestReportsThatCannotBeWrittenAreRefusedBeforehand(t *testing.T) {
	dir := t.TempDir()
	for _, bad := range [][]string{{"json=" + dir}, {"json=" + dir + "/gone/r.json"}, {"json=" + dir + "/r", "html=" + dir + "/./r"}} {
		if _, err := ParseFiles(bad, Formats); !errors.As(err, new(*request.Mistake)) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
