package advise

import (
	"maps"
	"slices"
)

// ladder are delays that a person declares, ms, with at most two significant digits: the number
// of records late at such a delay is exact (measure.Steps).
var ladder = []int64{100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_200_000, 1_800_000,
	3_600_000, 7_200_000, 18_000_000, 36_000_000, 72_000_000, 180_000_000, 360_000_000, 720_000_000}

// curve tabulates the cost of each delay: the ladder up to the largest disorder, and the delays
// of the decision.
func (s *summary) curve(a Advice) []Point {
	marks := map[int64]string{0: ""}
	for _, d := range ladder {
		marks[d] = ""
		if d > s.total.Own.Max() {
			break
		}
	}
	if a.MaxByMs != nil && *a.MaxByMs >= 0 {
		marks[*a.MaxByMs] = "sla"
	}
	if a.DropsOnlyMs != nil {
		marks[*a.DropsOnlyMs] = "drops"
	}
	if a.Verdict == Fits || a.Verdict == InsufficientEvidence {
		marks[a.DataStreamMs] = "need"
	}
	marks[a.RoundedMs] = "rounded"
	spent, spentKnown := s.spent()
	var out []Point
	for _, d := range slices.Sorted(maps.Keys(marks)) {
		p := Point{DelayMs: d, LateN: s.late(d), Mark: marks[d]}
		p.LateCI95 = s.evidence(d, p.LateN).interval95()
		if s.n > 0 {
			p.Late = float64(p.LateN) / float64(s.n)
			if s.o.WindowMs > 0 {
				dropped := s.dropped(d) / float64(s.n)
				p.Dropped = &dropped
			}
		}
		if e := s.emission(d); e != nil {
			p.Deployed = &e.Late
		}
		if spentKnown {
			latency := d + spent
			p.LatencyP99 = &latency
			held := float64(s.n) / float64(max(1, s.m.Span.LastArrival-s.m.Span.FirstArrival)) * float64(d+max(0, s.topic.Passage.Quantile(1, 2)))
			p.Held = &held
		}
		out = append(out, p)
	}
	return out
}

// hours merges the measured hours into hours of the day, UTC.
func (s *summary) hours(a Advice) []Hour {
	hours := s.folded(func(hour int64) int { return int((hour%24 + 24) % 24) })
	out := []Hour{}
	for _, h := range slices.Sorted(maps.Keys(hours)) {
		f := hours[h]
		ds, _ := need(f.own, false, s.o.Target.Allowed(f.records))
		out = append(out, Hour{Hour: h, Records: f.records, NeedMs: ds, Late: float64(f.own.Above(a.RoundedMs)) / float64(f.records),
			P999: max(0, f.own.Quantile(999, 1000)), Thin: s.thin(f.records)})
	}
	return out
}

// partitions judges each partition separately.
func (s *summary) partitions() []Partition {
	if s.parts != nil {
		return s.parts
	}
	out := []Partition{}
	defer func() { s.parts = out }()
	var needs []int64
	for _, id := range s.m.IDs() {
		p := s.m.Partitions[id]
		t := p.Total()
		row := Partition{ID: id, Records: t.Records, Disorder: quantiles(t.Own), Future: t.Future, GapP9999: t.Gaps.Quantile(9999, 10_000),
			GapMax: t.Gaps.Max(), Contiguous: p.Jumps == 0}
		if !s.m.CountsOnly {
			d := p.Confluent.Confluent()
			row.Confluent = &d
		}
		row.NeedMs, _ = need(t.Own, false, s.o.Target.Allowed(t.Records))
		if s.arrivalKnown && t.Transport.Count() > 0 {
			q := quantiles(t.Transport)
			row.Transport = &q
		}
		if t.Records > 0 {
			needs = append(needs, row.NeedMs)
		}
		out = append(out, row)
	}
	if len(needs) < 3 {
		return out
	}
	slices.Sort(needs)
	median := needs[(len(needs)-1)/2]
	for i := range out {
		out[i].Outlier = out[i].NeedMs > 3*max(median, 1000)
	}
	return out
}

func (s *summary) confluent() *Confluent {
	if s.m.CountsOnly {
		return nil
	}
	c := &Confluent{}
	for i, id := range s.m.IDs() {
		d := s.m.Partitions[id].Confluent.Confluent()
		if i == 0 {
			c.MinMs = d
		}
		c.MinMs, c.MaxMs = min(c.MinMs, d), max(c.MaxMs, d)
	}
	if s.n > 0 {
		c.Late = float64(s.total.Own.Above(c.MaxMs)) / float64(s.n)
	}
	return c
}
