package measure

import (
	"math"

	"tidemark/kafkastats/record"
)

// lookAhead is how many records of a partition decide whether a jump of event time was real if
// there is no independent arrival time.
const lookAhead = 1000

// jumps reports whether a record may be stamped in the future and has to wait for the records
// after it. If its arrival proves it, it is quarantined at once.
func (c *Collector) jumps(s *state, p record.Point) bool {
	known := p.Type != record.NoTimestamp
	if known && sub(p.Event, p.Arrival) > c.opts.FutureMs {
		return true
	}
	if c.opts.NowMs > 0 && sub(p.Event, c.opts.NowMs) > c.opts.FutureMs {
		return true
	}
	// A Kafka timestamp that is the event time itself says nothing about arrival.
	independent := known && (p.Type == record.AppendTime || p.Arrival != p.Event)
	return !independent && s.have && sub(p.Event, s.max) > c.opts.FutureMs
}

// certain reports whether arrival or wall clock alone prove the timestamp wrong.
func (c *Collector) certain(p record.Point) bool {
	return p.Type != record.NoTimestamp && sub(p.Event, p.Arrival) > c.opts.FutureMs ||
		c.opts.NowMs > 0 && sub(p.Event, c.opts.NowMs) > c.opts.FutureMs
}

// settle decides about the oldest held record as soon as possible: a later record close to it
// confirms it, lookAhead records without one condemn it. At the end of a partition the available
// records decide; if there are none, the jump is accepted, because it makes no record late.
func (c *Collector) settle(s *state, end bool) {
	for len(s.held) > 0 {
		first := s.held[0]
		future := c.certain(first)
		if !future {
			behind, confirmed := 0, false
			for _, p := range s.held[1:] {
				if p.State != record.Usable {
					continue
				}
				behind++
				if sub(first.Event, p.Event) <= c.opts.FutureMs && !c.certain(p) {
					confirmed = true
					break
				}
			}
			if !confirmed && behind < lookAhead && !end {
				return
			}
			future = !confirmed && behind > 0
		}
		s.held = s.held[1:]
		c.count(s, first, future)
		for len(s.held) > 0 && !(s.held[0].State == record.Usable && c.jumps(s, s.held[0])) {
			next := s.held[0]
			s.held = s.held[1:]
			c.count(s, next, false)
		}
	}
	s.held = nil
}

// quarantine counts a record stamped in the future without raising the running maximum. From the
// first one on, the disorder that a generator without a clamp sees is also counted.
func (c *Collector) quarantine(s *state, p record.Point) {
	s.cell.Future++
	if p.Type != record.NoTimestamp {
		s.cell.Ahead.Add(sub(p.Arrival, p.Event))
	}
	if len(s.p.Futures) < maxFutures {
		s.p.Futures = append(s.p.Futures, Future{p.Partition, p.Offset, p.Event, p.Arrival})
	}
	if !s.poison {
		s.poison = true
		if s.cell.AsIs == nil {
			s.cell.AsIs = s.cell.Own.Clone()
		}
		if s.have {
			s.asIs = max(s.asIs, s.max)
		}
	}
	if s.asIs != math.MinInt64 {
		s.cell.AsIs.Add(sub(s.asIs, p.Event))
	}
	s.asIs = max(s.asIs, p.Event)
}
