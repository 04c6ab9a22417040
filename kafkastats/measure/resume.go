package measure

import "math"

// State is what a collector needs, besides the records that follow, to continue as if it had
// never stopped. It belongs to the measurement of the Take right before it.
type State struct {
	Partitions map[int32]PartitionState `json:"partitions"`
	Min        *int64                   `json:"min,omitempty"`      // frontier of all partitions; nil: some have no record
	MinIdle    *int64                   `json:"min_idle,omitempty"` // the same without idle partitions
	Max        *int64                   `json:"max,omitempty"`
	Start      *int64                   `json:"start,omitempty"` // arrival of the first record of all
	Wake       int64                    `json:"wake,omitempty"`
}

// PartitionState is the state of a partition. Records from Again on are compared across
// partitions once more, because they were still waiting for others; those from Next on are
// counted.
type PartitionState struct {
	Again int64     `json:"again"`
	Loud  int64     `json:"loud"` // records from here on count in the comparison; those before only raise maxima
	Next  int64     `json:"next"`
	At    Standing  `json:"at"`              // at Next
	Front *Standing `json:"front,omitempty"` // at Again; nil: the partition has not been compared yet
	Clock *int64    `json:"clock,omitempty"` // clock of the first record from Again on; nil: Again is Next
}

// Standing is a partition's event time and clock, in epoch ms.
type Standing struct {
	Have    bool  `json:"have,omitempty"`
	Max     int64 `json:"max,omitempty"`
	AsIs    int64 `json:"as_is,omitempty"`
	Poison  bool  `json:"poison,omitempty"`
	Ticking bool  `json:"ticking,omitempty"`
	Clock   int64 `json:"clock,omitempty"`
	Prev    int64 `json:"prev,omitempty"`
}

// State returns the state to continue from. Records held back for a look-ahead come after Next:
// they are read again. Only partitions with a counted record have a state.
func (c *Collector) State() State {
	out := State{Partitions: map[int32]PartitionState{}}
	for id, s := range c.states {
		next, begun := s.p.next()
		if !begun {
			continue
		}
		p := PartitionState{Again: next, Loud: next, Next: next, At: Standing{s.have, s.max, s.asIs, s.poison, s.ticking, s.clock, s.prev}}
		if s.resume != nil {
			// Stopped again before it reached the old position.
			p = *s.resume
			clock := s.clock
			p.Clock = &clock
		}
		if c.merge != nil {
			c.merge.standing(id, &p)
		}
		out.Partitions[id] = p
	}
	if c.merge != nil {
		f := &c.merge.front
		out.Min, out.MinIdle, out.Max, out.Start, out.Wake = known(f.min), known(f.minAll), known(f.max), known(f.start), f.wake
	}
	return out
}

// Resume continues from a state, before the first record and after Expect of every partition. The
// records must start at each partition's Again.
func (c *Collector) Resume(from State) {
	for id, p := range from.Partitions {
		s := c.state(id)
		s.p.Ranges = []Range{{p.Next, p.Next}}
		s.resume = &p
		if c.merge != nil && p.Front != nil {
			c.merge.front.resume(c.merge.expect(id).part, *p.Front)
		}
		if p.Again >= p.Next {
			s.reached()
			continue
		}
		s.have, s.max, s.asIs = false, math.MinInt64, math.MinInt64
		if p.Front != nil {
			s.have, s.max, s.asIs = p.Front.Have, p.Front.Max, p.Front.Max
		}
		if p.Clock != nil {
			s.clock, s.ticking = *p.Clock, true
		}
	}
	if c.merge != nil {
		f := &c.merge.front
		f.min, f.minAll, f.max, f.start, f.wake = value(from.Min), value(from.MinIdle), value(from.Max), value(from.Start), from.Wake
		f.lowest()
	}
}

// reached restores the state of a partition at the time when the state was taken.
func (s *state) reached() {
	at := s.resume.At
	s.have, s.max, s.asIs, s.poison, s.ticking, s.clock, s.prev = at.Have, at.Max, at.AsIs, at.Poison, at.Ticking, at.Clock, at.Prev
	s.resume = nil
}

// again compares an already counted record with the other partitions, and nothing else.
func (c *Collector) again(s *state, event int64, usable bool, known bool, offset int64) {
	s.resume.Again = offset + 1
	if !usable {
		return
	}
	s.max, s.asIs, s.have = max(s.max, event), max(s.asIs, event), true
	if c.merge != nil {
		c.merge.add(mergePoint{partition: s.id, offset: offset, arrival: s.clock, event: event, known: known, silent: offset < s.resume.Loud})
	}
}

// next is the offset after the last one counted.
func (p *Partition) next() (offset int64, begun bool) {
	if n := len(p.Ranges); n > 0 {
		return p.Ranges[n-1].To, true
	}
	return 0, false
}

func known(ms int64) *int64 {
	if ms == math.MinInt64 {
		return nil
	}
	return &ms
}

func value(ms *int64) int64 {
	if ms == nil {
		return math.MinInt64
	}
	return *ms
}

// Gap says that the records of a partition before an offset were removed before they could be
// read. They do not count as missing: the running maximum continues from the last known one.
func (c *Collector) Gap(partition int32, to int64) {
	s := c.state(partition)
	if next, begun := s.p.next(); begun && to <= next {
		return
	}
	if s.resume != nil {
		s.reached()
	}
	c.From(partition, to)
}
