package profile

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"tidemark/internal/cases"
	"tidemark/kafkastats/measure"
)

func open(t *testing.T, path string) (*Writer, *Profile) {
	t.Helper()
	w, prior, err := Open(path, key)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w, prior
}

func read(t *testing.T, path string) *Profile {
	t.Helper()
	p, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestATailCountsUntilSomethingFollows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p")
	w, _ := open(t, path)
	flush := func(m *measure.Measurement) {
		t.Helper()
		if err := w.Flush(m, nil, measure.State{}); err != nil {
			t.Fatal(err)
		}
	}
	flush(counted(0, 40))
	for _, n := range []int64{5, 7} { // a run that read nothing new may repeat it
		if err := w.Tail(counted(40, n)); err != nil {
			t.Fatal(err)
		}
		if got := read(t, path).Counted.Span.N; got != uint64(40+n) {
			t.Fatalf("%d records with a tail of %d", got, n)
		}
	}
	flush(counted(40, 20))
	if got := read(t, path).Counted.Span.N; got != 60 {
		t.Fatalf("%d records after the tail was replaced", got)
	}
	if err := w.Tail(counted(50, 20)); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(path); err == nil || !strings.Contains(err.Error(), ":6: partition 0: offsets 0 to 59 and offsets 50 to 69 overlap") {
		t.Fatalf("a tail that contradicts the lines before: %v", err)
	}
}

// failing is a disk that is full after some bytes: a write may be cut anywhere, a sync may fail,
// and removing the half line may fail as well.
type failing struct {
	*os.File
	room       int
	noSync     bool
	noTruncate bool
}

func (f *failing) Write(b []byte) (int, error) {
	if len(b) <= f.room {
		f.room -= len(b)
		return f.File.Write(b)
	}
	n, _ := f.File.Write(b[:f.room])
	f.room = 0
	return n, syscall.ENOSPC
}

func (f *failing) Sync() error {
	if f.noSync {
		return syscall.ENOSPC
	}
	return f.File.Sync()
}

func (f *failing) Truncate(size int64) error {
	if f.noTruncate {
		return syscall.EIO
	}
	return f.File.Truncate(size)
}

func TestAFullDiskLosesNoFlushBefore(t *testing.T) {
	for name, disk := range map[string]failing{
		"no byte":             {room: 0},
		"half a line":         {room: 1000},
		"half a line stays":   {room: 1000, noTruncate: true},
		"written, not synced": {room: 1 << 20, noSync: true},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "p")
			w, _ := open(t, path)
			if err := w.Flush(counted(0, 40), map[int32]int64{0: 40}, measure.State{}); err != nil {
				t.Fatal(err)
			}
			disk.File = w.f.(*os.File)
			w.f = &disk
			err := w.Flush(counted(40, 400), map[int32]int64{0: 440}, measure.State{})
			if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "run the same command again") || strings.Contains(err.Error(), "\n") {
				t.Fatalf("%v", err)
			}
			if again := w.Tail(counted(440, 1)); again == nil {
				t.Fatal("a file that failed was written again: the flush before would be missing")
			}
			if p := read(t, path); p.Counted.Span.N != 40 || p.Positions[0] != 40 {
				t.Fatalf("%d records, position %d", p.Counted.Span.N, p.Positions[0])
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			w, prior := open(t, path)
			if prior.Positions[0] != 40 {
				t.Fatalf("continues at %d", prior.Positions[0])
			}
			if err := w.Flush(counted(40, 400), nil, measure.State{}); err != nil {
				t.Fatal(err)
			}
			if p := read(t, path); p.Counted.Span.N != 440 || p.Torn {
				t.Fatalf("%d records", p.Counted.Span.N)
			}
		})
	}
}

func TestOneObserverAtATime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p")
	w, _ := open(t, path)
	if _, _, err := Open(path, key); err == nil || !strings.Contains(err.Error(), "another process observes into it") {
		t.Fatal(err)
	}
	if err := w.Flush(counted(0, 40), nil, measure.State{}); err != nil {
		t.Fatal(err)
	}
	if err := w.Compact(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Open(path, key); err == nil || !strings.Contains(err.Error(), "another process observes into it") {
		t.Fatalf("after the file was replaced: %v", err)
	}
	if read(t, path).Counted.Span.N != 40 {
		t.Fatal("a reader is not kept out")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	open(t, path)
}

// Killed after any step of a compaction: the directory holds the old file and a part of the new
// one, or the new file under its name.
func TestKilledWhileCompacting(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "p")
	w, _ := open(t, path)
	for i := range int64(5) {
		if err := w.Flush(counted(i*40, 40), map[int32]int64{0: (i + 1) * 40}, measure.State{Wake: i}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	long, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	whole := text(t, read(t, path).Counted)
	w, _ = open(t, path)
	if err := errors.Join(w.Compact(), w.Close()); err != nil {
		t.Fatal(err)
	}
	short, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(short) >= len(long) || bytes.Count(short, []byte("\n")) != 2 {
		t.Fatalf("%d bytes became %d", len(long), len(short))
	}
	check := func(step string) {
		t.Helper()
		if got := text(t, read(t, path).Counted); got != whole {
			t.Fatalf("%s: other counts", step)
		}
		w, prior, err := Open(path, key)
		if err != nil || prior.Positions[0] != 200 || prior.State.Wake != 4 {
			t.Fatalf("%s: %v, %+v", step, err, prior)
		}
		if _, err := os.Stat(path + compacting); !errors.Is(err, os.ErrNotExist) {
			t.Fatalf("%s: the part of a new file stays: %v", step, err)
		}
		if err := errors.Join(w.Flush(counted(200, 40), nil, measure.State{}), w.Close()); err != nil || read(t, path).Counted.Span.N != 240 {
			t.Fatalf("%s: cannot go on: %v", step, err)
		}
	}
	for cut := 0; cut <= len(short); cut += 1 + len(short)/cases.Of(8, 40) {
		if err := errors.Join(os.WriteFile(path, long, 0o600), os.WriteFile(path+compacting, short[:cut], 0o600)); err != nil {
			t.Fatal(err)
		}
		check("killed while writing")
	}
	if err := os.WriteFile(path, short, 0o600); err != nil {
		t.Fatal(err)
	}
	check("killed after the rename")
}

func TestCompactionKeepsModeLinkAndTail(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "p"), filepath.Join(dir, "link")
	write(t, path, counted(0, 40))
	if err := errors.Join(os.Chmod(path, 0o640), os.Symlink("p", link)); err != nil {
		t.Fatal(err)
	}
	w, _ := open(t, link)
	if err := errors.Join(w.Compact(), w.Tail(counted(40, 3))); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Fatalf("the link became a file: %v", err)
	}
	if info, err = os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Fatalf("mode %v, %v", info.Mode(), err)
	}
	if got := read(t, path).Counted.Span.N; got != 43 {
		t.Fatalf("%d records", got)
	}
}

func TestAFileThatCannotBeCompactedOnlyGrows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p")
	w, _ := open(t, path)
	if err := os.Mkdir(path+compacting, 0o700); err != nil {
		t.Fatal(err)
	}
	w.size = 3 << 20 // as if it were long
	w.maybeCompact()
	if w.small != 3<<20 {
		t.Fatalf("would be tried again at every flush: %d", w.small)
	}
	if err := w.Flush(counted(0, 40), nil, measure.State{}); err != nil {
		t.Fatal(err)
	}
}
