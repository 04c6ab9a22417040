package measure

import (
	"fmt"
	"testing"

	"tidemark/kafkastats/record"
)

// trail is what one partition had when a segment begins: the lag it usually has, the age of the records
// of the pre-roll, and how many records were counted before.
type trail struct {
	usual, preRoll int64
	counted        int
}

func primed(trails []trail) (*Collector, []int32) {
	const at = int64(1_796_000_000_000)
	c := NewCollector(Options{})
	for id := range trails {
		c.Expect(int32(id))
	}
	for id, v := range trails {
		for i := range v.counted {
			now := at + int64(i)*10
			c.Add(record.Point{Partition: int32(id), Offset: int64(i), Arrival: now, Event: now - v.usual, Type: record.AppendTime})
		}
	}
	c.Cut()
	for id, v := range trails {
		for i := range 100 {
			now := at + 10*HourMs + int64(i)*10
			c.Add(record.Point{Partition: int32(id), Offset: 1_000_000 + int64(i), Arrival: now, Event: now - v.preRoll, Type: record.AppendTime, PreRoll: true})
		}
	}
	return c, c.RaiseByAppend()
}

func TestRaiseByAppendTellsABurstFromALag(t *testing.T) {
	for name, v := range map[string]struct {
		trails []trail
		want   []int32
	}{
		"nothing unusual":          {[]trail{{100, 100, 2000}, {100, 110, 2000}, {100, 90, 2000}}, nil},
		"one begins in a burst":    {[]trail{{100, 100, 2000}, {100, HourMs, 2000}, {100, 100, 2000}}, []int32{1}},
		"one always trails":        {[]trail{{100, 100, 2000}, {HourMs, HourMs, 2000}, {100, 100, 2000}}, nil},
		"all are behind this hour": {[]trail{{100, HourMs, 2000}, {100, HourMs, 2000}, {100, HourMs, 2000}}, nil},
		"too little known":         {[]trail{{100, 100, 500}, {100, HourMs, 500}, {100, 100, 500}}, nil},
		"too few partitions":       {[]trail{{100, 100, 2000}, {100, HourMs, 2000}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			c, got := primed(v.trails)
			if fmt.Sprint(got) != fmt.Sprint(v.want) {
				t.Fatalf("raised %v, want %v", got, v.want)
			}
			if name == "one begins in a burst" {
				const last = int64(1_796_000_000_000) + 10*HourMs + 990
				if top := c.states[1].max; top != last-110 {
					t.Errorf("raised to %d ms before the segment, want the usual 110", last-top)
				}
			}
		})
	}
}
