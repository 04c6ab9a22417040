package profile

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"

	"tidemark/kafkastats/measure"
)

// Writer appends to a profile. Each Flush is one line, written at once and synced.
type Writer struct {
	f *os.File
}

// Open continues a profile, or starts one; prior is what it already holds, nil for a new file. A
// line that a crash cut off is removed.
func Open(path string, key Key) (w *Writer, prior *Profile, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, nil, fmt.Errorf("open profile: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, fmt.Errorf("open profile: %w", err)
	}
	w = &Writer{f}
	if info.Size() > 0 {
		if prior, err = Decode(f); err != nil && !headerTorn(f) {
			return nil, nil, fmt.Errorf("%s:%w", path, err)
		}
	}
	if prior == nil {
		if err = f.Truncate(0); err == nil {
			_, err = f.Seek(0, 0)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("start profile: %w", err)
		}
		return w, nil, w.write(line{Version: Version, Key: &key})
	}
	if !prior.Key.same(key) {
		return nil, nil, fmt.Errorf("%s holds %+v, asked for is %+v: use another file", path, prior.Key, key)
	}
	if err = f.Truncate(prior.size); err == nil {
		_, err = f.Seek(prior.size, 0)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("continue profile: %w", err)
	}
	return w, prior, nil
}

// headerTorn reports whether a crash cut off the very first line.
func headerTorn(f *os.File) bool {
	b := make([]byte, 1<<16)
	n, _ := f.ReadAt(b, 0) // a short read is what is looked for
	for _, c := range b[:n] {
		if c == '\n' {
			return false
		}
	}
	return n < len(b)
}

// Flush appends what was counted since the last one, with the positions and running maxima to
// continue from.
func (w *Writer) Flush(m *measure.Measurement, positions, maxima map[int32]int64) error {
	return w.write(line{Counted: m, Positions: positions, Maxima: maxima})
}

func (w *Writer) write(l line) error {
	body, err := json.Marshal(l)
	if err != nil {
		return fmt.Errorf("write profile: %w", err)
	}
	text := append(fmt.Appendf(nil, "%08x ", crc32.ChecksumIEEE(body)), body...)
	at, err := w.f.Seek(0, 1)
	if err != nil {
		return fmt.Errorf("write profile: %w", err)
	}
	if _, err = w.f.Write(append(text, '\n')); err == nil {
		err = w.f.Sync()
	}
	if err != nil {
		// A full disk must not leave half a line in the middle of what is written later.
		_, seek := w.f.Seek(at, 0)
		return errors.Join(fmt.Errorf("write profile, the last flush is lost: %w", err), w.f.Truncate(at), seek)
	}
	return nil
}

// Close closes the file.
func (w *Writer) Close() error { return w.f.Close() }
