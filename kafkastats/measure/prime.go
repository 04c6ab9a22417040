package measure

import (
	"slices"

	"tidemark/kafkastats/hist"
)

// Prime sets the running maximum of a partition before its first record: a segment that starts
// inside an old burst would otherwise look perfectly ordered.
func (c *Collector) Prime(partition int32, maxMs int64) {
	s := c.state(partition)
	s.have, s.max, s.asIs = true, maxMs, maxMs
	if !s.ticking {
		s.prev = maxMs
	}
}

const (
	// knownLags is the number of lags of a partition that define its usual one.
	knownLags = 1000
	// siblings is the number of partitions that must have been read before the segment to know
	// the lag of the hour.
	siblings = 3
)

// RaiseByAppend raises running maxima that the pre-roll left too low, once all pre-rolls of a
// segment were read and before anything is counted. It is for topics whose timestamps are the
// append time: the maximum can then be no older than that time minus the usual frontier lag. A
// partition is raised if its lag is above its own 99th percentile so far and above the current
// median over all partitions, so that neither a partition that is always behind nor an hour in
// which everything is behind counts as a burst; it is raised to the larger of the two medians. It
// returns the partitions that it raised.
func (c *Collector) RaiseByAppend() []int32 {
	now := map[int32]int64{}
	var all []int64
	for id, s := range c.states {
		if s.have && s.ticking {
			now[id] = sub(s.clock, s.max)
			all = append(all, now[id])
		}
	}
	if len(all) < siblings {
		return nil
	}
	slices.Sort(all)
	hour := all[len(all)/2]
	var raised []int32
	for id, lag := range now {
		own := c.lagsOf(id)
		if own.Count() < knownLags || lag <= max(hour, own.Quantile(99, 100)) {
			continue
		}
		s := c.states[id]
		s.max = sub(s.clock, max(hour, own.Quantile(1, 2), 0))
		s.asIs = max(s.asIs, s.max)
		raised = append(raised, id)
	}
	slices.Sort(raised)
	return raised
}

// lagsOf is the frontier lag of a partition as counted so far.
func (c *Collector) lagsOf(id int32) *hist.Histogram {
	sum := &hist.Histogram{}
	for _, cell := range c.m.partition(id).Cells {
		sum.Merge(cell.Lag)
	}
	return sum
}
