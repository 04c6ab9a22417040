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

// Bounds select records of a topic or a file, in the user's terms; the zero value selects all.
type Bounds struct {
	Since string `flag:"since" alias:"from" doc:"only records that arrived from this {TIME} on (RFC 3339), or since this long ago (7d)"`
	Until string `flag:"until" alias:"to" doc:"only records that arrived before this {TIME} (RFC 3339), or before this long ago"`
	Last  int64  `flag:"last" doc:"only the last N records, spread over the partitions"`
}

// Part is a part of a topic or a file.
type Part struct {
	FromMs int64 // arrivals from here on, epoch ms; 0: from the start
	ToMs   int64 // arrivals before this, epoch ms; 0: to the end
	Last   int64 // the last N of these, spread over the partitions; 0: all
}

// At resolves the part, given the current time; the error is a request.Mistake.
func (b Bounds) At(now time.Time) (Part, error) {
	p := Part{Last: b.Last}
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
	switch {
	case p.Last < 0:
		return p, request.Wrong("last", "is %d; it takes a number of records", p.Last)
	case b.Since != "" && b.Until != "" && p.FromMs >= p.ToMs:
		return p, request.Wrong("since", "is %q, which is not before --until", b.Since)
	}
	return p, nil
}

// CheckFile refuses bounds that a file of records cannot have.
func (b Bounds) CheckFile(f File) error {
	if f.Path == "-" && b.Last > 0 {
		return request.Wrong("last", "is not used: standard input is read once, and its last records are known at its end; name a file")
	}
	return nil
}

// Cut yields a part of a source, as a broker would: in each partition from the first record that
// arrived at or after the start, up to the first that arrived at or after the end. Records before
// are marked as pre-roll, records after are left out. With Last the source is read twice.
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
	skip := map[int32]int64{}
	if c.Last > 0 {
		held := map[int32]int64{}
		err := c.placed(ctx, func(r *Raw, at place) error {
			if at == inside {
				held[r.Partition]++
			}
			return nil
		})
		if err != nil {
			return err
		}
		for p, n := range Spread(held, c.Last) {
			skip[p] = held[p] - n
		}
	}
	c.before, c.within, c.after = 0, 0, 0
	return c.placed(ctx, func(r *Raw, at place) error {
		if at == inside && skip[r.Partition] > 0 {
			skip[r.Partition]--
			at = before
		}
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

// placed reads the source and says where each record is.
func (c *Cut) placed(ctx context.Context, yield func(*Raw, place) error) error {
	reached := map[int32]place{}
	return c.Source.Read(ctx, func(r *Raw) error {
		if c.FromMs == 0 && c.ToMs == 0 {
			return yield(r, inside)
		}
		if r.Type == NoTimestamp {
			setting := "since"
			if c.FromMs == 0 {
				setting = "until"
			}
			return request.Wrong(setting, "cannot be used: %s has no arrival time", r.Place())
		}
		at := reached[r.Partition]
		if at == before && r.Timestamp >= c.FromMs {
			at = inside
		}
		if c.ToMs != 0 && r.Timestamp >= c.ToMs {
			at = after
		}
		reached[r.Partition] = at
		return yield(r, at)
	})
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
