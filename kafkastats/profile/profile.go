// Package profile keeps measurements in a file that grows line by line: a process killed at any
// moment leaves a readable file that lacks at most its last flush.
package profile

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"

	"tidemark/kafkastats/measure"
)

// Version of the file format.
const Version = 1

// Key says what was measured and how; profiles with different keys do not add up.
type Key struct {
	Topic    string  `json:"topic"`
	Format   string  `json:"format"`
	Field    string  `json:"field"`
	Unit     string  `json:"unit"`
	Zone     string  `json:"zone"`
	FutureMs int64   `json:"future_ms"`
	IdleMs   int64   `json:"idle_ms"`
	Windows  []int64 `json:"windows"`
}

func (k Key) same(o Key) bool {
	a, _ := json.Marshal(k) // a struct of strings and numbers always encodes
	b, _ := json.Marshal(o)
	return bytes.Equal(a, b)
}

// line is one line of the file: the header first, then what each flush counted.
type line struct {
	Version   int                  `json:"version,omitempty"`
	Key       *Key                 `json:"key,omitempty"`
	Counted   *measure.Measurement `json:"counted,omitempty"`
	Positions map[int32]int64      `json:"positions,omitempty"` // next offset by partition
	Maxima    map[int32]int64      `json:"maxima,omitempty"`    // running maximum by partition at those positions
}

// Profile is what a file holds.
type Profile struct {
	Key       Key
	Counted   *measure.Measurement
	Positions map[int32]int64
	Maxima    map[int32]int64
	Torn      bool  // the last line was cut off by a crash and is left out
	size      int64 // bytes of whole lines
}

// ErrVersion marks a file of another version.
var ErrVersion = errors.New("profile of another version")

// Read reads a profile. Each line starts with its checksum; only a bad last line is forgiven.
func Read(path string) (*Profile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open profile: %w", err)
	}
	defer func() { _ = f.Close() }() // nothing is written
	p, err := Decode(f)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", path, err)
	}
	return p, nil
}

// Decode reads a profile from its text; an error starts with the line number.
func Decode(r io.Reader) (*Profile, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	p := &Profile{Positions: map[int32]int64{}, Maxima: map[int32]int64{}}
	for n := 1; ; n++ {
		text, err := in.ReadBytes('\n')
		if len(text) == 0 && errors.Is(err, io.EOF) {
			if p.Counted == nil {
				return nil, fmt.Errorf("%d: the file is empty, not a profile", n)
			}
			return p, nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%d: %w", n, err)
		}
		l, bad := parse(text)
		if bad == nil {
			bad = p.apply(l, n == 1)
		} else if n > 1 {
			// Only a crash in the last write leaves this, and then nothing follows.
			if _, after := in.Peek(1); errors.Is(after, io.EOF) {
				p.Torn = true
				return p, nil
			}
		}
		if bad != nil {
			return nil, fmt.Errorf("%d: %w", n, bad)
		}
		p.size += int64(len(text))
	}
}

func parse(text []byte) (line, error) {
	var l line
	body, whole := bytes.CutSuffix(text, []byte("\n"))
	if !whole || len(body) < 9 || body[8] != ' ' {
		return l, errors.New("not a whole line of a profile")
	}
	if sum := fmt.Sprintf("%08x", crc32.ChecksumIEEE(body[9:])); sum != string(body[:8]) {
		return l, errors.New("the line does not match its checksum")
	}
	if err := json.Unmarshal(body[9:], &l); err != nil {
		return l, fmt.Errorf("not a line of a profile: %w", err)
	}
	return l, nil
}

func (p *Profile) apply(l line, header bool) error {
	if header {
		switch {
		case l.Key == nil:
			return errors.New("the first line names no topic: not a profile")
		case l.Version != Version:
			return fmt.Errorf("%w: %d, this program reads %d", ErrVersion, l.Version, Version)
		}
		p.Key = *l.Key
		p.Counted = measure.New(l.Key.Windows, l.Key.IdleMs)
		return nil
	}
	if l.Counted == nil {
		return errors.New("a line without counts")
	}
	if err := l.Counted.Check(); err != nil {
		return err
	}
	if err := p.Counted.Merge(l.Counted); err != nil {
		return err
	}
	for partition, next := range l.Positions {
		p.Positions[partition] = next
	}
	for partition, top := range l.Maxima {
		p.Maxima[partition] = top
	}
	return nil
}

// Merge adds another profile of the same topic, measured alike over other offsets.
func (p *Profile) Merge(o *Profile) error {
	if !p.Key.same(o.Key) {
		return fmt.Errorf("profiles were measured differently: %+v and %+v", p.Key, o.Key)
	}
	return p.Counted.Merge(o.Counted)
}
