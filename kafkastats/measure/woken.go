package measure

import (
	"cmp"
	"math"
	"slices"

	"tidemark/kafkastats/record"
)

// Woken replays points in order of arrival (each partition in order of offset) and yields what a
// record is compared with: the maximum of its own partition and the smallest maximum of the
// partitions that are not idle, both before the record, math.MinInt64 if there is none.
func Woken(points []record.Point, idleMs int64, yield func(p *record.Point, own, active int64)) {
	type at struct {
		clock int64
		i     int
	}
	clocks := map[int32]int64{}
	order := make([]at, len(points))
	for i := range points {
		p := &points[i]
		clock, seen := clocks[p.Partition]
		switch {
		case p.Type == record.NoTimestamp && seen:
			clock = max(clock, p.Event)
		case p.Type == record.NoTimestamp:
			clock = p.Event
		case seen:
			clock = max(clock, p.Arrival)
		default:
			clock = p.Arrival
		}
		clocks[p.Partition] = clock
		order[i] = at{clock, i}
	}
	slices.SortStableFunc(order, func(a, b at) int {
		if c := cmp.Compare(a.clock, b.clock); c != 0 {
			return c
		}
		return cmp.Compare(points[a.i].Partition, points[b.i].Partition)
	})
	f := newFrontier(New(nil, idleMs), idleMs)
	parts := map[int32]*part{}
	for id := range clocks {
		parts[id] = f.expect()
	}
	for _, o := range order {
		p := &points[o.i]
		q := parts[p.Partition]
		if f.start == math.MinInt64 {
			f.start = o.clock
		}
		f.passIdle(o.clock)
		yield(p, q.max, f.minAll)
		f.see(q, mergePoint{partition: p.Partition, arrival: o.clock, event: p.Event, silent: true})
	}
}
