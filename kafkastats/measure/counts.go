package measure

import (
	"maps"
	"slices"

	"tidemark/kafkastats/hist"
)

// FromCounts makes a measurement of disorder alone, as a remote job counts it: no arrival times,
// no blocks, no episodes. records includes each partition's first record, which has no disorder.
func FromCounts(own map[int32]*hist.Histogram, records map[int32]uint64) *Measurement {
	m := New(nil, 0)
	for _, id := range slices.Sorted(maps.Keys(records)) {
		c := newCell(nil, nil)
		c.Records = records[id]
		if h := own[id]; h != nil {
			c.Own = h
		}
		c.Ties = c.Own.Zero()
		c.NewMax = c.Own.Negative() + records[id] - c.Own.Count()
		c.NoArrival = records[id]
		m.partition(id).Cells[0] = c
		m.Span.N += records[id]
	}
	return m
}
