// Package measure computes from points of event time the three statistics that a watermark delay
// depends on: transport delay A = arrival - event, disorder D = running maximum - event, frontier
// lag L = arrival - running maximum, so that A = D + L for every record. It needs one pass and
// constant memory, and all its counts can be added to those of another range of the same topic.
package measure

import (
	"maps"
	"slices"

	"tidemark/kafkastats/hist"
)

// Counters are plain record counts of one partition and hour.
type Counters struct {
	Records     uint64 `json:"records"`  // usable records that count
	NewMax      uint64 `json:"new_max"`  // first of their partition or above its running maximum
	Ties        uint64 `json:"ties"`     // equal to the running maximum
	PreRoll     uint64 `json:"pre_roll"` // read only for the running maximum
	Future      uint64 `json:"future"`   // quarantined: not part of the running maximum
	Tombstone   uint64 `json:"tombstone"`
	Missing     uint64 `json:"missing"`
	Undecodable uint64 `json:"undecodable"`
	Sentinel    uint64 `json:"sentinel"`
	Snapshot    uint64 `json:"snapshot,omitempty"` // rows that a connector copied from the table when it started
	SameAsKafka uint64 `json:"same_as_kafka"`      // event time equals the Kafka timestamp
	OnSecond    uint64 `json:"on_second"`          // event time is a whole second
	NoArrival   uint64 `json:"no_arrival"`         // no Kafka timestamp
	Append      uint64 `json:"append"`             // the Kafka timestamp is LogAppendTime
}

// Unusable is the number of records without an event time.
func (c Counters) Unusable() uint64 { return c.Missing + c.Undecodable + c.Sentinel }

// Seen is the number of records read, without pre-roll.
func (c Counters) Seen() uint64 {
	return c.Records + c.Future + c.Tombstone + c.Snapshot + c.Unusable()
}

func (c *Counters) add(o Counters) {
	c.Records += o.Records
	c.NewMax += o.NewMax
	c.Ties += o.Ties
	c.PreRoll += o.PreRoll
	c.Future += o.Future
	c.Tombstone += o.Tombstone
	c.Missing += o.Missing
	c.Undecodable += o.Undecodable
	c.Sentinel += o.Sentinel
	c.Snapshot += o.Snapshot
	c.SameAsKafka += o.SameAsKafka
	c.OnSecond += o.OnSecond
	c.NoArrival += o.NoArrival
	c.Append += o.Append
}

// Cell holds the counts of one partition in one hour of arrival time. All histograms are in ms.
type Cell struct {
	Counters
	Own       *hist.Histogram           `json:"own"`               // disorder, signed, over usable records that have a running maximum
	AsIs      *hist.Histogram           `json:"as_is,omitzero"`    // disorder with quarantined records in the maximum; nil: the same as Own
	Transport *hist.Histogram           `json:"transport"`         // transport delay, signed
	Ahead     *hist.Histogram           `json:"ahead"`             // transport delay of quarantined records
	Lag       *hist.Histogram           `json:"lag"`               // frontier lag, signed
	Gaps      *hist.Histogram           `json:"gaps"`              // arrival time between consecutive records
	Windows   map[int64]*hist.Histogram `json:"windows,omitempty"` // by window size (ms): running maximum - end of the record's window
}

func newCell(windows []int64, exact *hist.Budget) *Cell {
	c := &Cell{Own: &hist.Histogram{}, Transport: &hist.Histogram{}, Ahead: &hist.Histogram{}, Lag: &hist.Histogram{}, Gaps: &hist.Histogram{}}
	if exact != nil {
		c.Own = hist.NewExact(exact)
	}
	if len(windows) > 0 {
		c.Windows = make(map[int64]*hist.Histogram, len(windows))
		for _, w := range windows {
			c.Windows[w] = &hist.Histogram{}
			if exact != nil {
				c.Windows[w] = hist.NewExact(exact)
			}
		}
	}
	return c
}

func (c *Cell) pack() {
	for _, h := range []*hist.Histogram{c.Own, c.AsIs, c.Transport, c.Ahead, c.Lag, c.Gaps} {
		if h != nil {
			h.Pack()
		}
	}
	for _, h := range c.Windows {
		h.Pack()
	}
}

// Merge adds the counts of o; the order of merging does not matter.
func (c *Cell) Merge(o *Cell) {
	if c.AsIs != nil || o.AsIs != nil {
		if c.AsIs == nil {
			c.AsIs = c.Own.Clone()
		}
		c.AsIs.Merge(o.DisorderAsIs())
	}
	c.add(o.Counters)
	c.Own.Merge(o.Own)
	c.Transport.Merge(o.Transport)
	c.Ahead.Merge(o.Ahead)
	c.Lag.Merge(o.Lag)
	c.Gaps.Merge(o.Gaps)
	for _, w := range slices.Sorted(maps.Keys(o.Windows)) {
		if c.Windows == nil {
			c.Windows = map[int64]*hist.Histogram{}
		}
		if c.Windows[w] == nil {
			c.Windows[w] = &hist.Histogram{}
			if o.Windows[w].Exact() {
				c.Windows[w] = o.Windows[w].Clone()
				continue
			}
		}
		c.Windows[w].Merge(o.Windows[w])
	}
}

// DisorderAsIs is the disorder that a generator without a clamp would have seen.
func (c *Cell) DisorderAsIs() *hist.Histogram {
	if c.AsIs != nil {
		return c.AsIs
	}
	return c.Own
}

// TopicCell holds the statistics across partitions, in one hour of arrival time.
type TopicCell struct {
	Merged     *hist.Histogram `json:"merged"`      // disorder against the minimum over partitions: it depends on the slowest one
	MergedIdle *hist.Histogram `json:"merged_idle"` // the same without idle partitions
	// Woken is disorder against the larger of a partition's own maximum and MergedIdle's minimum,
	// and its steps: nil without an idle timeout.
	Woken      *hist.Histogram `json:"woken,omitempty"`
	WokenSteps Steps           `json:"woken_steps,omitempty"`
	Global     *hist.Histogram `json:"global"`  // disorder against the maximum over partitions: one generator for all
	Passage    *hist.Histogram `json:"passage"` // how long after event time x the slowest partition passes x, by event time
	Skew       *hist.Histogram `json:"skew"`    // furthest partition - slowest active partition, per record
}

func newTopicCell() *TopicCell {
	h := func() *hist.Histogram { return &hist.Histogram{} }
	return &TopicCell{Merged: h(), MergedIdle: h(), Global: h(), Passage: h(), Skew: h()}
}

// Merge adds the counts of o.
func (c *TopicCell) Merge(o *TopicCell) {
	c.Merged.Merge(o.Merged)
	c.MergedIdle.Merge(o.MergedIdle)
	c.Global.Merge(o.Global)
	c.Passage.Merge(o.Passage)
	c.Skew.Merge(o.Skew)
	if o.Woken != nil {
		c.woken()
		c.Woken.Merge(o.Woken)
		c.WokenSteps.Merge(o.WokenSteps)
	}
}

func (c *TopicCell) woken() {
	if c.Woken == nil {
		c.Woken = &hist.Histogram{}
	}
	if c.WokenSteps == nil {
		c.WokenSteps = Steps{}
	}
}

func (c *TopicCell) pack() {
	if c.Woken != nil {
		c.Woken.Pack()
	}
	for _, h := range []*hist.Histogram{c.Merged, c.MergedIdle, c.Global, c.Passage, c.Skew} {
		h.Pack()
	}
}
