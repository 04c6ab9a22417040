// Package profile keeps measurements in a file that grows line by line: a process killed at any
// time leaves a readable file that lacks at most its last flush.
package profile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"tidemark/kafkastats/measure"
)

// Version of the file format.
const Version = 2

// Profile is the content of a file.
type Profile struct {
	Key       Key
	Counted   *measure.Measurement // with the tail of a run that ended normally
	Positions map[int32]int64      // first offset not counted, by partition
	State     measure.State        // to continue from there
	Torn      bool                 // the last line was cut off by a crash and is left out
	Skipped   []error              // lines left out because their records were already counted
	size      int64                // bytes of complete lines
	committed *measure.Measurement // without the tail
}

// ErrVersion marks a file of another version.
var ErrVersion = errors.New("profile of another version")

// Read reads a profile. Each line starts with its checksum; only a bad last line is accepted.
func Read(path string) (*Profile, error) {
	// An observer may rewrite the end of the file while it is read: a torn line is read once
	// more.
	for {
		before, known := os.Stat(path)
		p, err := readOnce(path)
		after, gone := os.Stat(path)
		if err == nil || known != nil || gone != nil || before.Size() == after.Size() && before.ModTime().Equal(after.ModTime()) {
			return p, err
		}
	}
}

func readOnce(path string) (*Profile, error) {
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

// ReadKey reads only what a profile measures; ok is false for a file that does not exist, is
// empty or lost its first line in a crash.
func ReadKey(path string) (key Key, ok bool, err error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return key, false, nil
	}
	if err != nil {
		return key, false, fmt.Errorf("open profile: %w", err)
	}
	defer func() { _ = f.Close() }() // nothing is written
	text, err := bufio.NewReaderSize(io.LimitReader(f, 1<<20), 1<<16).ReadBytes('\n')
	if errors.Is(err, io.EOF) && len(text) < 1<<20 {
		return key, false, nil
	}
	l, err := parse(text)
	if err != nil {
		return key, false, fmt.Errorf("%s:1: %w", path, err)
	}
	p := Profile{}
	if err := p.header(l); err != nil {
		return key, false, fmt.Errorf("%s:1: %w", path, err)
	}
	return p.Key, true, nil
}

// Decode reads a profile from its text; an error starts with the line number.
func Decode(r io.Reader) (*Profile, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	p := &Profile{Positions: map[int32]int64{}}
	var tail *measure.Measurement
	for n := 1; ; n++ {
		text, err := in.ReadBytes('\n')
		if len(text) == 0 && errors.Is(err, io.EOF) {
			if p.committed == nil {
				return nil, fmt.Errorf("%d: the file is empty, not a profile", n)
			}
			return p, p.close(n, tail)
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%d: %w", n, err)
		}
		l, bad := parse(text)
		switch {
		case bad == nil && n == 1:
			bad = p.header(l)
		case bad == nil && l.Tail != nil:
			tail, bad = l.Tail, l.Tail.Check()
		case bad == nil:
			tail, bad = nil, p.apply(l)
		case n > 1:
			// Only a crash in the last write leaves this, and then nothing follows.
			if _, after := in.Peek(1); errors.Is(after, io.EOF) {
				p.Torn = true
				return p, p.close(n, tail)
			}
		}
		if bad != nil {
			return nil, fmt.Errorf("%d: %w", n, bad)
		}
		p.size += int64(len(text))
	}
}

func (p *Profile) header(l line) error {
	switch {
	case l.Key == nil:
		return errors.New("the first line names no topic: not a profile")
	case l.Version != Version:
		return fmt.Errorf("%w: %d, this program reads %d: measure again into another file", ErrVersion, l.Version, Version)
	}
	p.Key = *l.Key
	p.committed = measure.New(l.Key.Windows, l.Key.IdleMs)
	return nil
}

func (p *Profile) apply(l line) error {
	if l.Counted == nil {
		return errors.New("a line without counts")
	}
	if err := l.Counted.Check(); err != nil {
		return err
	}
	var overlap *measure.Overlap
	switch err := p.committed.Merge(l.Counted); {
	case errors.As(err, &overlap):
		p.Skipped = append(p.Skipped, err)
		return nil
	case err != nil:
		return err
	}
	if l.Positions != nil {
		p.Positions = l.Positions
	}
	if l.State != nil {
		p.State = *l.State
	}
	return nil
}

// close adds the tail, which is valid only if nothing follows it.
func (p *Profile) close(n int, tail *measure.Measurement) error {
	p.Counted = p.committed
	if tail == nil {
		return nil
	}
	p.Counted = measure.New(p.Key.Windows, p.Key.IdleMs)
	for _, m := range []*measure.Measurement{p.committed, tail} {
		if err := p.Counted.Merge(m); err != nil {
			return fmt.Errorf("%d: %w", n-1, err)
		}
	}
	return nil
}

// Merge adds another profile of the same topic, measured in the same way over other offsets.
func (p *Profile) Merge(o *Profile) error {
	if diff := p.Key.diff(o.Key); diff != "" {
		return fmt.Errorf("the profiles were measured differently: %s", diff)
	}
	return p.Counted.Merge(o.Counted)
}
