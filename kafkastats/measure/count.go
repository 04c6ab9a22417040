package measure

import (
	"math"

	"tidemark/kafkastats/record"
)

// modern is 1973 in ms: once records arrive later than this, an event time of zero or below is a
// default value, not an event time.
const modern = 100_000_000_000

// Add counts one point.
func (c *Collector) Add(p record.Point) {
	s := c.state(p.Partition)
	if p.State == record.Usable && sentinel(p) {
		p.State = record.Sentinel
	}
	if len(s.held) > 0 {
		s.held = append(s.held, p)
		c.settle(s, false)
		return
	}
	if p.State == record.Usable && c.jumps(s, p) {
		s.held = append(s.held, p)
		return
	}
	c.count(s, p, false)
}

// cover notes which offsets were read and how many are missing between them.
func (c *Collector) cover(s *state, p record.Point) {
	if p.PreRoll || p.Offset < 0 {
		return
	}
	n := len(s.p.Ranges)
	begun := n > 0 && s.p.Ranges[n-1].From == s.p.Ranges[n-1].To // by From: nothing read yet
	if n == 0 || p.First && !begun || p.Offset < s.p.Ranges[n-1].To {
		s.p.Ranges = append(s.p.Ranges, Range{p.Offset, p.Offset + 1})
		return
	}
	r := &s.p.Ranges[n-1]
	s.p.Jumps += uint64(p.Offset - r.To)
	r.To = p.Offset + 1
}

func sentinel(p record.Point) bool {
	switch p.Event {
	case math.MinInt64, math.MaxInt64, -1:
		return true
	}
	return p.Event <= 0 && p.Type != record.NoTimestamp && p.Arrival > modern
}

// count adds a point after the decision about quarantine.
func (c *Collector) count(s *state, p record.Point, future bool) {
	if s.resume != nil && p.Offset >= s.resume.Next {
		s.reached()
	}
	arrival, known := p.Arrival, p.Type != record.NoTimestamp
	if !known {
		arrival = max(s.max, 0)
		if p.State == record.Usable && !future {
			arrival = max(p.Event, arrival)
		}
	}
	if !future && (!s.ticking || arrival > s.clock) && !(known && c.opts.NowMs > 0 && arrival > c.opts.NowMs+c.opts.FutureMs) {
		s.clock, s.ticking = arrival, true
	}
	if s.resume != nil {
		c.again(s, p.Event, p.State == record.Usable && !future, known, p.Offset)
		return
	}
	c.cover(s, p)
	c.enter(s)
	cell := s.cell
	if p.PreRoll {
		cell.PreRoll++
		if p.State == record.Usable && !future {
			s.max, s.asIs, s.have, s.prev = max(s.max, p.Event), max(s.asIs, p.Event), true, s.clock
			if c.merge != nil {
				c.merge.add(mergePoint{partition: s.id, offset: p.Offset, arrival: s.clock, event: p.Event, known: known, silent: true})
			}
		}
		return
	}
	switch p.State {
	case record.Tombstone:
		cell.Tombstone++
		return
	case record.Snapshot:
		cell.Snapshot++
		return
	case record.Missing:
		cell.Missing++
		return
	case record.Undecodable:
		cell.Undecodable++
		return
	case record.Sentinel:
		cell.Sentinel++
		return
	}
	if future {
		c.quarantine(s, p)
		return
	}
	c.usable(s, p, arrival, known)
}

func (c *Collector) usable(s *state, p record.Point, arrival int64, known bool) {
	cell := s.cell
	cell.Records++
	c.m.Span.see(s.clock, p.Event)
	if p.Event%1000 == 0 {
		cell.OnSecond++
	}
	if known {
		delay := sub(arrival, p.Event)
		cell.Transport.Add(delay)
		if delay == 0 && p.Type == record.CreateTime {
			cell.SameAsKafka++
		}
		if p.Type == record.AppendTime {
			cell.Append++
		}
	} else {
		cell.NoArrival++
	}
	disorder := int64(math.MinInt64)
	if s.have {
		disorder = sub(s.max, p.Event)
		cell.Own.Add(disorder)
		if known {
			cell.Lag.Add(sub(arrival, s.max))
			cell.Gaps.Add(s.clock - s.prev)
			c.m.Joint.add(sub(arrival, p.Event), disorder)
		}
		for _, w := range s.windows {
			w.h.Add(sub(s.max, windowEnd(p.Event, w.ms)))
		}
		c.m.Blocks.add(s.clock, disorder)
		s.p.Confluent.add(disorder, p.Offset)
		if disorder > 0 {
			s.step(disorder)
			s.note(disorder)
		}
		if cell.AsIs != nil {
			cell.AsIs.Add(sub(s.asIs, p.Event))
		}
	}
	switch {
	case !s.have || disorder < 0:
		cell.NewMax++
		s.max = p.Event
	case disorder == 0:
		cell.Ties++
	}
	s.asIs = max(s.asIs, p.Event)
	s.have, s.prev = true, s.clock
	if c.merge != nil {
		c.merge.add(mergePoint{partition: s.id, offset: p.Offset, arrival: s.clock, event: p.Event, known: known, append: p.Type == record.AppendTime})
	}
}
