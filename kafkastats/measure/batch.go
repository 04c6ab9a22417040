package measure

import "tidemark/kafkastats/record"

// AddAll is Add for each point. Most points of a topic are plain: usable, next in their
// partition, in the same hour as the previous one, with unsuspicious times. They are counted in
// one loop, which needs fewer checks than Add.
func (c *Collector) AddAll(points []record.Point) {
	for len(points) > 0 {
		n := c.addPlain(c.state(points[0].Partition), points)
		if points = points[n:]; len(points) > 0 {
			c.Add(points[0])
			points = points[1:]
		}
	}
}

// addPlain counts points of one partition until one is not plain, and returns their number.
func (c *Collector) addPlain(s *state, points []record.Point) int {
	last := len(s.p.Ranges) - 1
	// With positive maximum, event and arrival no difference can overflow.
	if s.cell == nil || s.resume != nil || !s.have || !s.ticking || len(s.held) > 0 || s.cell.AsIs != nil || s.max <= 0 || last < 0 || s.hour != floorDiv(s.clock, HourMs) {
		return 0
	}
	r, cell, hourEnd := &s.p.Ranges[last], s.cell, (s.hour+1)*HourMs
	if r.From == r.To {
		return 0
	}
	n := 0
	for i := range points {
		p := &points[i]
		if p.Partition != s.id || p.Offset != r.To || !c.plain(s, p) {
			break
		}
		clock := max(s.clock, p.Arrival)
		if clock >= hourEnd {
			break
		}
		s.clock = clock
		r.To++
		n++
		c.m.Span.see(clock, p.Event)
		if p.Event%1000 == 0 {
			cell.OnSecond++
		}
		delay, disorder := p.Arrival-p.Event, s.max-p.Event
		switch {
		case p.Type == record.AppendTime:
			cell.Append++
		case delay == 0:
			cell.SameAsKafka++
		}
		cell.Transport.Add(delay)
		cell.Own.Add(disorder)
		cell.Lag.Add(p.Arrival - s.max)
		cell.Gaps.Add(clock - s.prev)
		for _, w := range s.windows {
			w.h.Add(sub(s.max, windowEnd(p.Event, w.ms)))
		}
		c.m.Joint.add(delay, disorder)
		c.m.Blocks.add(clock, disorder)
		s.p.Confluent.add(disorder, p.Offset)
		switch {
		case disorder > 0:
			s.step(disorder)
			s.note(disorder)
		case disorder == 0:
			cell.Ties++
		default:
			cell.NewMax++
			s.max = p.Event
			s.asIs = max(s.asIs, p.Event)
		}
		s.prev = clock
		if c.merge != nil {
			c.merge.add(mergePoint{partition: s.id, offset: p.Offset, arrival: clock, event: p.Event, known: true, append: p.Type == record.AppendTime})
		}
	}
	cell.Records += uint64(n)
	return n
}

// plain reports whether a point's state and times need no further check.
func (c *Collector) plain(s *state, p *record.Point) bool {
	if p.State != record.Usable || p.PreRoll || p.First || p.Type == record.NoTimestamp || p.Event <= 0 || p.Event >= 1<<62 || p.Arrival <= modern {
		return false
	}
	if p.Event-p.Arrival > c.opts.FutureMs || p.Type == record.CreateTime && p.Arrival == p.Event && p.Event-s.max > c.opts.FutureMs {
		return false
	}
	latest := c.opts.NowMs + c.opts.FutureMs
	return c.opts.NowMs <= 0 || p.Event <= latest && p.Arrival <= latest
}
