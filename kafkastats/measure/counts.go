package measure

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"tidemark/kafkastats/hist"
)

// Counts is what a remote job can count of one partition without sending records: the histograms
// of a Cell, except those that need the order of arrival over partitions or the time of a record.
type Counts struct {
	Counters
	Own, AsIs, Transport, Ahead, Lag *hist.Histogram
	Steps                            Steps // of Own
	span                             Span
}

// ModernMs is the limit for sentinels: once records arrive later than this (1973), an event time
// of zero or below is not an event time.
const ModernMs = modern

// NewCounts returns the counts of a partition without records.
func NewCounts() *Counts {
	h := func() *hist.Histogram { return &hist.Histogram{} }
	return &Counts{Own: h(), AsIs: h(), Transport: h(), Ahead: h(), Lag: h(), Steps: Steps{},
		span: Span{FirstArrival: math.MaxInt64, LastArrival: math.MinInt64, FirstEvent: math.MaxInt64, LastEvent: math.MinInt64}}
}

// Arrivals extends the period of arrival time, epoch ms.
func (c *Counts) Arrivals(first, last int64) {
	c.span.FirstArrival, c.span.LastArrival = min(c.span.FirstArrival, first), max(c.span.LastArrival, last)
}

// Events extends the period of event time, epoch ms.
func (c *Counts) Events(first, last int64) {
	c.span.FirstEvent, c.span.LastEvent = min(c.span.FirstEvent, first), max(c.span.LastEvent, last)
}

// NewBlocks returns empty blocks of length widthMs. A width that no block can have is an error.
func NewBlocks(widthMs int64) (Blocks, error) {
	for b := (Blocks{Shift: finest}); b.Shift <= coarsest; b.Shift++ {
		if b.WidthMs() == widthMs {
			return b, nil
		}
	}
	return Blocks{}, fmt.Errorf("no block is %d ms long", widthMs)
}

// At is the histogram of the block at a time, epoch ms.
func (b *Blocks) At(ms int64) *hist.Histogram { return b.at(b.number(ms)) }

// FromCounts makes a measurement from the counts of a remote job. It has no hours, episodes or
// gaps, and nothing across partitions, as CountsOnly says.
func FromCounts(by map[int32]*Counts, blocks Blocks) *Measurement {
	m := New(nil, 0)
	m.CountsOnly, m.Blocks = true, blocks
	for _, id := range slices.Sorted(maps.Keys(by)) {
		c := by[id]
		cell := newCell(nil, nil)
		cell.Counters = c.Counters
		cell.Own, cell.Transport, cell.Ahead, cell.Lag = c.Own, c.Transport, c.Ahead, c.Lag
		if c.Future > 0 {
			cell.AsIs = c.AsIs
		}
		cell.Ties = c.Own.Zero()
		cell.NewMax = c.Own.Negative() + c.Records - c.Own.Count()
		span := c.span
		if span.N = c.Records; span.FirstArrival > span.LastArrival {
			// Without arrival times, event time is used instead, as when reading records.
			span.FirstArrival, span.LastArrival = span.FirstEvent, span.LastEvent
		}
		if span.FirstArrival <= span.LastArrival {
			m.Span.Merge(span)
		}
		m.partition(id).Cells[0] = cell
		if m.Steps[0] == nil {
			m.Steps[0] = Steps{}
		}
		m.Steps[0].Merge(c.Steps)
	}
	return m
}
