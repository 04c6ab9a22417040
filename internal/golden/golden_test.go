package golden

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// recorder is a test that keeps its failures.
type recorder struct {
	testing.TB
	said string
}

func (r *recorder) Errorf(format string, args ...any) { r.said += fmt.Sprintf(format, args...) }

func TestFileIsComparedOrWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kept.txt")
	if err := os.WriteFile(path, []byte("old\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TIDEMARK_UPDATE", "")
	same, other := &recorder{TB: t}, &recorder{TB: t}
	File(same, path, []byte("old\n"))
	File(other, path, []byte("new\n"))
	if same.said != "" || !strings.Contains(other.said, "kept.txt differs from what is made now; run this test with TIDEMARK_UPDATE=1") || !strings.Contains(other.said, "new") {
		t.Errorf("same: %q, other: %q", same.said, other.said)
	}
	t.Setenv("TIDEMARK_UPDATE", "1")
	written := &recorder{TB: t}
	File(written, path, []byte("new\n"))
	if b, err := os.ReadFile(path); err != nil || string(b) != "new\n" || written.said != "" {
		t.Errorf("%q, %v, %q", b, err, written.said)
	}
}
