package measure

import (
	"math"

	"tidemark/kafkastats/hist"
	"tidemark/kafkastats/record"
)

// state is the state of a partition between two records.
type state struct {
	id      int32
	p       *Partition
	hour    int64
	cell    *Cell
	windows []window // of the cell
	steps   Steps    // of the hour
	tally   *tally   // of the hour, not yet in steps; nil: few records so far
	few     int      // steps counted without a tally
	have    bool
	max     int64 // running maximum without quarantined records
	asIs    int64 // running maximum with them
	poison  bool  // a record was quarantined: asIs differs
	clock   int64 // latest arrival, never decreasing
	ticking bool
	prev    int64 // arrival of the previous record
	slot    int64
	worst   Worst
	held    []record.Point  // look-ahead after a jump
	resume  *PartitionState // records before its Next are only compared across partitions
}

// window is one window size and its histogram: a map look-up per record would be too slow.
type window struct {
	ms int64
	h  *hist.Histogram
}

func (c *Collector) state(id int32) *state {
	if c.last != nil && c.last.id == id {
		return c.last
	}
	s := c.states[id]
	if s == nil {
		s = &state{id: id, p: c.m.partition(id), hour: math.MinInt64, slot: math.MinInt64, max: math.MinInt64, asIs: math.MinInt64}
		c.states[id] = s
	}
	c.last = s
	return s
}

// enter switches to the cell of the hour of the partition's clock.
func (c *Collector) enter(s *state) {
	hour := floorDiv(s.clock, HourMs)
	if s.cell != nil && hour == s.hour {
		return
	}
	if s.cell != nil {
		s.cell.pack()
	}
	s.settleSteps()
	s.hour = hour
	if s.steps = c.m.Steps[hour]; s.steps == nil {
		s.steps = Steps{}
		c.m.Steps[hour] = s.steps
	}
	s.cell = s.p.Cells[hour]
	if s.cell == nil {
		s.cell = newCell(c.opts.Windows, c.opts.Exact)
		s.p.Cells[hour] = s.cell
	}
	s.windows = s.windows[:0]
	for ms, h := range s.cell.Windows {
		s.windows = append(s.windows, window{ms, h})
	}
	if s.poison && s.cell.AsIs == nil {
		s.cell.AsIs = s.cell.Own.Clone()
	}
}

// step counts a positive disorder.
func (s *state) step(disorder int64) {
	if s.tally == nil {
		if s.few++; s.few > 64 {
			s.tally = &tally{}
		}
	}
	if s.tally == nil || !s.tally.add(disorder) {
		s.steps.add(disorder)
	}
}

// settleSteps moves the counts to their hour.
func (s *state) settleSteps() {
	if s.steps != nil && s.tally != nil {
		s.tally.into(s.steps)
	}
}

// note remembers the largest disorder of the current 10 s.
func (s *state) note(disorder int64) {
	if slot := floorDiv(s.clock, slotMs); slot != s.slot {
		s.leaveSlot()
		s.slot = slot
	}
	if disorder > s.worst.Disorder {
		s.worst = Worst{disorder, s.clock}
	}
}

func (s *state) leaveSlot() {
	if s.worst.Disorder > 0 {
		s.p.Slots.add(s.slot, s.worst)
	}
	s.worst = Worst{}
}
