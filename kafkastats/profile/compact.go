package profile

import (
	"fmt"
	"os"
	"path/filepath"
)

const (
	// compacting is the suffix of the file name while the compacted form is written.
	compacting = ".compact"
	// compactFrom is the size below which a file is not compacted.
	compactFrom = 1 << 20
	// freshHours are kept hour by hour: two weeks. Older ones are folded.
	freshHours = 2 * 7 * 24
)

// maybeCompact rewrites a file that has doubled since the last time. If it cannot be rewritten,
// for example because the disk is full, the file is only longer; the next attempt is when it has
// doubled again.
func (w *Writer) maybeCompact() {
	if w.size < compactFrom || w.size < 2*w.small {
		return
	}
	w.small = w.size
	if err := w.Compact(); err != nil {
		_ = os.Remove(w.path + compacting) // the incomplete file
	}
}

// Compact merges all lines into one and folds hours older than two weeks. The new file replaces
// the old one only when it is complete and on disk: a crash at any step leaves one of them.
func (w *Writer) Compact() error {
	p, err := Read(w.path)
	if err != nil {
		return err
	}
	if last, ok := p.committed.LastHour(); ok {
		p.committed.Fold(last - freshHours)
	}
	name := w.path + compacting
	next, err := w.begin(name)
	if err != nil {
		return err
	}
	fresh := &Writer{f: next, path: w.path}
	for _, l := range []line{{Version: Version, Key: &p.Key}, {Counted: p.committed, Positions: p.Positions, State: &p.State}} {
		if err := fresh.write(l); err != nil {
			_ = next.Close() // the file is discarded
			return err
		}
	}
	if err := os.Rename(name, w.path); err != nil {
		_ = next.Close() // the file is discarded
		return fmt.Errorf("replace profile: %w", err)
	}
	syncDir(filepath.Dir(w.path))
	_ = w.f.Close() // the old file has no name any more
	w.f, w.size, w.small = next, fresh.size, fresh.size
	return nil
}

// begin creates the new file, with the lock and permissions of the old one.
func (w *Writer) begin(name string) (*os.File, error) {
	mode := os.FileMode(0o644)
	if info, err := os.Stat(w.path); err == nil {
		mode = info.Mode().Perm()
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return nil, fmt.Errorf("compact profile: %w", err)
	}
	if err := lock(f); err != nil {
		_ = f.Close() // nothing was written
		return nil, fmt.Errorf("compact profile: %w", err)
	}
	return f, nil
}

// syncDir makes a rename survive a power failure, if the system can.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync() // not every file system can
		_ = d.Close()
	}
}
