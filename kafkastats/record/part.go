package record

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"tidemark/internal/units"
	"tidemark/request"
)

// Times select records of a topic or a file by their arrival, in the user's terms; the zero value selects all.
type Times struct {
	Since string `flag:"since" alias:"from" doc:"only records that arrived from this {TIME} on (RFC 3339), or since this long ago (7d)"`
	Until string `flag:"until" alias:"to" doc:"only records that arrived before this {TIME} (RFC 3339), or before this long ago"`
}

// Bounds select records of a topic. A file is read once, from its beginning, and has no last records.
type Bounds struct {
	Times
	Last int64 `flag:"last" doc:"only the last N records of a topic, spread over the partitions"`
}

// Part is a part of a topic or a file.
type Part struct {
	FromMs int64 // arrivals from here on, epoch ms; 0: from the start
	ToMs   int64 // arrivals before this, epoch ms; 0: to the end
	Last   int64 // the last N of these, spread over the partitions; 0: all
}

// At resolves the part, given the current time; the error is a request.Mistake.
func (b Bounds) At(now time.Time) (Part, error) {
	if b.Last < 0 {
		return Part{}, request.Wrong("last", "is %d; it takes a number of records", b.Last)
	}
	p, err := b.Times.At(now)
	p.Last = b.Last
	return p, err
}

// At resolves the part, given the current time; the error is a request.Mistake.
func (b Times) At(now time.Time) (Part, error) {
	var p Part
	for _, set := range []struct {
		name, text string
		ms         *int64
	}{{"since", b.Since, &p.FromMs}, {"until", b.Until, &p.ToMs}} {
		if set.text == "" {
			continue
		}
		at, err := units.ParseMoment(set.text, now)
		if err != nil && filepath.Ext(set.text) != "" {
			return p, request.Wrong(set.name, "is %q, which is not a time: name a file of records with --records", set.text)
		}
		if err != nil {
			return p, request.Wrong(set.name, "is %q: %w", set.text, err)
		}
		*set.ms = at.UnixMilli()
	}
	if b.Since != "" && b.Until != "" && p.FromMs >= p.ToMs {
		return p, request.Wrong("since", "is %q, which is not before --until", b.Since)
	}
	return p, nil
}

// CheckFile refuses what a file of records cannot have.
func (b Bounds) CheckFile(f File) error {
	if f.Path != "" && b.Last != 0 {
		return request.Wrong("last", "is not used: a file of records is read once, from its beginning; use --since or --until")
	}
	return nil
}

// Cut yields a part of a source, as a broker would: in each partition from the first record that
// arrived at or after the start, up to the first that arrived at or after the end. Records before
// are marked as pre-roll, records after are left out.
type Cut struct {
	Source
	Part
	before, within, after int64 // records of the last reading
}

type place int8

const (
	before place = iota
	inside
	after
)

// Read implements Source. A record without an arrival time cannot be placed; it is a
// request.Mistake.
func (c *Cut) Read(ctx context.Context, yield func(*Raw) error) error {
	c.before, c.within, c.after = 0, 0, 0
	reached := map[int32]place{}
	return c.Source.Read(ctx, func(r *Raw) error {
		at, err := c.place(r, reached[r.Partition])
		if err != nil {
			return err
		}
		reached[r.Partition] = at
		switch at {
		case after:
			c.after++
			return nil
		case before:
			c.before++
		default:
			c.within++
		}
		r.PreRoll = at == before
		return yield(r)
	})
}

// place says where a record is, given where the one before it in its partition was.
func (p Part) place(r *Raw, at place) (place, error) {
	if p.FromMs == 0 && p.ToMs == 0 {
		return inside, nil
	}
	if r.Type == NoTimestamp {
		setting := "since"
		if p.FromMs == 0 {
			setting = "until"
		}
		return at, request.Wrong(setting, "cannot be used: %s has no arrival time", r.Place())
	}
	if at == before && r.Timestamp >= p.FromMs {
		at = inside
	}
	if p.ToMs != 0 && r.Timestamp >= p.ToMs {
		at = after
	}
	return at, nil
}

// LeftOut counts the records of a file outside the requested part, in each partition before and
// after it.
type LeftOut struct {
	Before int64 `json:"before"`
	After  int64 `json:"after"`
}

// LeftOut is what the last reading left out; nil: nothing.
func (c *Cut) LeftOut() *LeftOut {
	if c.before+c.after == 0 {
		return nil
	}
	return &LeftOut{c.before, c.after}
}

func (l *LeftOut) String() string {
	return fmt.Sprintf("%s records, left out as asked: %s before and %s after the part", units.Count(l.Before+l.After), units.Count(l.Before), units.Count(l.After))
}

// Empty is the error of a reading that left everything out; nil if it did not.
func (c *Cut) Empty() error {
	if c.within > 0 || c.before+c.after == 0 {
		return nil
	}
	return fmt.Errorf("none of the %s records arrived %s", units.Count(c.before+c.after), c.Part)
}

// String describes the arrival times of the part.
func (p Part) String() string {
	switch {
	case p.ToMs == 0:
		return "from " + units.Time(p.FromMs) + " on"
	case p.FromMs == 0:
		return "before " + units.Time(p.ToMs)
	}
	return "from " + units.Time(p.FromMs) + " to " + units.Time(p.ToMs)
}

// Spread distributes n records evenly over partitions; what a short one lacks goes to the others.
func Spread(held map[int32]int64, n int64) map[int32]int64 {
	out := map[int32]int64{}
	left := slices.Sorted(maps.Keys(held))
	for len(left) > 0 {
		share, rest := n/int64(len(left)), []int32{}
		for _, p := range left {
			if held[p] <= share {
				out[p] = held[p]
				n -= held[p]
			} else {
				rest = append(rest, p)
			}
		}
		if len(rest) == len(left) {
			for i, p := range rest {
				out[p] = share
				if int64(i) < n%int64(len(rest)) {
					out[p]++
				}
			}
			break
		}
		left = rest
	}
	return out
}
