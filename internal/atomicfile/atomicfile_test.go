//go:build unix

package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"tidemark/internal/expect"
)

func TestAReaderSeesTheOldOrTheNewContent(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "r.json")
	for _, text := range []string{"first, and longer", "second"} {
		if err := Write(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(path); string(got) != text {
			t.Errorf("%q, want %q", got, text)
		}
	}
	expect.Error(t, Write(filepath.Join(dir, "gone", "r.json"), nil), "cannot be written")
	if err := os.Mkdir(filepath.Join(dir, "full"), 0o755); err != nil {
		t.Fatal(err)
	}
	expect.Error(t, Write(filepath.Join(dir, "full"), []byte("x")), "cannot be written")
	left, _ := os.ReadDir(dir)
	if len(left) != 2 {
		t.Errorf("temporary files are left: %v", left)
	}
}

// A device or pipe is written to and not replaced, a link stays a link, and a private file private.
func TestWriteLeavesWhatIsThereInPlace(t *testing.T) {
	dir := t.TempDir()
	private, link, pipe := filepath.Join(dir, "private"), filepath.Join(dir, "link"), filepath.Join(dir, "pipe")
	if err := errors.Join(os.WriteFile(private, []byte("old"), 0o600), os.Symlink(private, link), syscall.Mkfifo(pipe, 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := Write(link, []byte("new")); err != nil {
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
	if err := Write(pipe, []byte("piped")); err != nil {
		t.Fatal(err)
	}
	if text := <-got; text != "piped" {
		t.Errorf("the reader of the pipe got %q", text)
	}
	if info, _ = os.Lstat(pipe); info.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("the pipe is now %s", info.Mode())
	}
}
