package profile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"tidemark/kafkastats/measure"
)

// file is the part of *os.File that the writer needs.
type file interface {
	io.WriteSeeker
	Sync() error
	Truncate(size int64) error
	Close() error
}

// Writer appends to a profile. Each Flush writes and syncs one line at once. The file belongs to
// one process at a time.
type Writer struct {
	f      file
	path   string
	size   int64 // of the file
	small  int64 // its size when it was last compacted
	broken error // a write failed; the file ends with the previous flush
}

// Open continues a profile, or starts one; prior is its content, nil for a new file. A line that
// a crash cut off is removed. A file into which another process observes is refused.
func Open(path string, key Key) (w *Writer, prior *Profile, err error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // compaction replaces the file, not a link to it
	}
	f, err := openLocked(path)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			_ = f.Close() // the first error is returned
		}
	}()
	_ = os.Remove(path + compacting) // left by a crash; this process holds the lock
	info, err := f.Stat()
	if err != nil {
		return nil, nil, fmt.Errorf("open profile: %w", err)
	}
	w = &Writer{f: f, path: path}
	if info.Size() > 0 {
		if prior, err = Decode(f); err != nil && !headerTorn(f) {
			return nil, nil, fmt.Errorf("%s:%w", path, err)
		}
	}
	if prior == nil {
		if err = w.rewind(0); err != nil {
			return nil, nil, fmt.Errorf("start profile: %w", err)
		}
		return w, nil, w.write(line{Version: Version, Key: &key})
	}
	if diff := prior.Key.diff(key); diff != "" {
		return nil, nil, fmt.Errorf("%s holds another measurement (%s): use another file", path, diff)
	}
	if err = w.rewind(prior.size); err != nil {
		return nil, nil, fmt.Errorf("continue profile: %w", err)
	}
	return w, prior, nil
}

// openLocked opens the file again if its name changed before the lock was taken: a compaction may
// have replaced it.
func openLocked(path string) (*os.File, error) {
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			return nil, fmt.Errorf("open profile: %w", err)
		}
		if err := lock(f); err != nil {
			_ = f.Close() // nothing was written
			return nil, fmt.Errorf("%s: another process observes into it: %w", path, err)
		}
		mine, err1 := f.Stat()
		named, err2 := os.Stat(path)
		if err1 == nil && err2 == nil && os.SameFile(mine, named) {
			return f, nil
		}
		_ = f.Close() // nothing was written
		if err := errors.Join(err1, err2); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("open profile: %w", err)
		}
	}
}

// headerTorn reports whether a crash cut off the first line.
func headerTorn(f *os.File) bool {
	b := make([]byte, 1<<16)
	n, _ := f.ReadAt(b, 0) // a short read is expected
	for _, c := range b[:n] {
		if c == '\n' {
			return false
		}
	}
	return n < len(b)
}

// Flush appends what was counted since the last one, with the state to continue from. Afterwards
// the file may be compacted.
func (w *Writer) Flush(m *measure.Measurement, positions map[int32]int64, state measure.State) error {
	if err := w.write(line{Counted: m, Positions: positions, State: &state}); err != nil {
		return err
	}
	w.maybeCompact()
	return nil
}

// Tail appends what a run that ends decided without the records that follow. The next Flush
// replaces it.
func (w *Writer) Tail(m *measure.Measurement) error {
	return w.write(line{Tail: m})
}

func (w *Writer) rewind(size int64) error {
	err := w.f.Truncate(size)
	if err == nil {
		_, err = w.f.Seek(size, io.SeekStart)
	}
	w.size = size
	return err
}

func (w *Writer) write(l line) error {
	if w.broken != nil {
		return w.broken
	}
	text, err := l.text()
	if err != nil {
		return fmt.Errorf("write profile: %w", err)
	}
	at := w.size
	if _, err = w.f.Write(text); err == nil {
		err = w.f.Sync()
	}
	if err == nil {
		w.size += int64(len(text))
		return nil
	}
	// Half a line must not remain before later lines; if it cannot be removed now, it is the last
	// one, and the next Open removes it.
	_ = w.rewind(at)
	w.broken = fmt.Errorf("the profile cannot be written: %w; %s holds every flush before: run the same command again once there is room, it continues from there", err, w.path)
	return w.broken
}

// Close closes the file.
func (w *Writer) Close() error {
	if err := w.f.Close(); err != nil {
		return fmt.Errorf("close profile: %w", err)
	}
	return nil
}
