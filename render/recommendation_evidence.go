package render

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"tidemark/internal/units"
	"tidemark/kafkastats/advise"
	"tidemark/render/doc"
)

// evidence answers what a design review asks: which time was taken, whether the late share is stable over time, whose
// records are late, and what each delay costs.
func evidence(r advise.Recommendation) []doc.Block {
	var out []doc.Block
	for _, b := range [][]doc.Block{candidateTable(r), overTime(r.Stability), partitionTable(r), byTable(r.By), costTable(r)} {
		out = append(out, b...)
	}
	return out
}

// candidateTable lists the fields that may be the event time, each with the command that takes it.
func candidateTable(r advise.Recommendation) []doc.Block {
	if len(r.Candidates) == 0 || len(r.Candidates) == 1 && r.Advice.Verdict != advise.Choose {
		return nil
	}
	t := doc.Table{Columns: doc.Columns("field", "needs", "median age", "why not", "command")}
	for _, c := range r.Candidates {
		name, note := c.Field, ""
		if name == "" {
			name = c.Format
		}
		switch {
		case c.Chosen && r.Advice.Verdict == advise.Choose:
			note = "measured here"
		case c.Chosen:
			note = "taken"
		case c.Handled:
			note = "stamped on the way, by its name"
		case c.Ahead >= 0.5:
			note = "ahead of arrival"
		case c.NeedMs == nil:
			note = "not in most records"
		}
		t.Rows = append(t.Rows, doc.Row{Cells: doc.Cells(name, optional(c.NeedMs), optional(c.AgeMs), note, c.Command)})
	}
	list := doc.Heading{Level: 2, Text: "Which time is the event's own?"}
	if r.Advice.Verdict == advise.Choose {
		out := []doc.Block{list, t}
		if len(r.EventTime.Looked) > 0 {
			out = append(out, doc.Paragraph{Text: "Looked at:"}, doc.List(r.EventTime.Looked))
		}
		return out
	}
	return []doc.Block{doc.Folded{Title: "fields that can be parsed as times", Blocks: []doc.Block{t}}}
}

// optional is a duration, a dash where it is not known.
func optional(ms *int64) string {
	if ms == nil {
		return "–"
	}
	return units.Exact(*ms)
}

// overTime is the late share over the time measured.
func overTime(s *advise.Stability) []doc.Block {
	if s == nil || len(s.Over) < 2 {
		return nil
	}
	t := doc.Table{Columns: []doc.Column{{Name: "from (UTC)"}, {Name: "records", Number: true}, {Name: "late", Number: true}, {Name: "share", Number: true}, {Name: ""}}}
	most := 0.0
	for _, p := range s.Over {
		most = math.Max(most, p.Late)
	}
	for _, p := range s.Over {
		from := p.From
		if at, err := time.Parse(time.RFC3339, p.From); err == nil {
			from = units.DayClock(at.UnixMilli())
		}
		t.Rows = append(t.Rows, doc.Row{Cells: doc.Cells(from, units.Count(p.Records), units.Count(p.LateN), units.Share(p.Late), bar(p.Late, most))})
	}
	facts := doc.Pairs{{Name: "first half, second half", Values: []string{fmt.Sprintf("%s, %s late with %s", units.Share(s.FirstHalf), units.Share(s.SecondHalf), units.Exact(s.DelayMs))}}}
	if h := s.Holdout; h != nil {
		facts = append(facts, doc.Pair{Name: "chosen on the first 70 %", Values: []string{fmt.Sprintf("%s, which loses %s of the rest", units.Exact(h.DelayMs), units.Share(h.Late))}})
	}
	if s.ObserveMs != nil {
		facts = append(facts, doc.Pair{Name: "to be observed", Values: []string{units.Duration(*s.ObserveMs) + " at least, " + units.Duration(s.ObservedMs) + " were"}})
	}
	return []doc.Block{doc.Heading{Level: 2, Text: "Does it hold over time?"}, facts, doc.Folded{Title: "late share over time, with " + units.Exact(s.DelayMs), Blocks: []doc.Block{t}}}
}

// bar draws a share with characters, twenty for the largest.
func bar(share, most float64) string {
	if most == 0 {
		return ""
	}
	out := ""
	for range int(math.Round(20 * share / most)) {
		out += "█"
	}
	return out
}

// mostPartitions is how many partitions a table lists: those with the most late records.
const mostPartitions = 20

// partitionTable is the late share by partition, at the delay to declare.
func partitionTable(r advise.Recommendation) []doc.Block {
	at := -1
	for i, p := range r.Curve {
		if p.DelayMs == r.Advice.RoundedMs {
			at = i
		}
	}
	if at < 0 || len(r.Partitions) < 2 {
		return nil
	}
	t := doc.Table{Columns: []doc.Column{{Name: "partition", Number: true}, {Name: "records", Number: true}, {Name: "late", Number: true}, {Name: "share", Number: true}, {Name: "needs", Number: true}}}
	for _, p := range worstFirst(r.Partitions, at) {
		late := p.LateByDelay[at]
		t.Rows = append(t.Rows, doc.Row{Cells: doc.Cells(fmt.Sprint(p.ID), units.Count(p.Records), units.Count(late), units.Share(float64(late)/float64(max(1, p.Records))), units.Exact(p.NeedMs))})
	}
	if more := len(r.Partitions) - len(t.Rows); more > 0 {
		t.More = units.Count(more) + " more partitions have fewer late records"
	}
	return []doc.Block{doc.Folded{Title: "late share by partition", Blocks: []doc.Block{t}}}
}

// worstFirst are the partitions with the most late records at a point of the curve.
func worstFirst(all []advise.Partition, at int) []advise.Partition {
	out := slices.Clone(all)
	out = slices.DeleteFunc(out, func(p advise.Partition) bool { return at >= len(p.LateByDelay) })
	slices.SortStableFunc(out, func(a, b advise.Partition) int { return cmp.Compare(b.LateByDelay[at], a.LateByDelay[at]) })
	return out[:min(mostPartitions, len(out))]
}

// byTable is the late share by the value of a field.
func byTable(b *advise.By) []doc.Block {
	if b == nil {
		return nil
	}
	t := doc.Table{Columns: []doc.Column{{Name: b.Field, Cut: true}, {Name: "records", Number: true}, {Name: "late", Number: true}, {Name: "share", Number: true}, {Name: "of all late", Number: true}, {Name: "needs", Number: true}}}
	for _, g := range b.Groups {
		name := g.Value
		if g.Others > 0 {
			name = units.Count(g.Others) + " others"
		}
		t.Rows = append(t.Rows, doc.Row{Cells: doc.Cells(name, units.Count(g.Records), units.Count(g.LateN), units.Share(g.Late), units.Share(g.OfLate), units.Exact(g.NeedMs))})
	}
	return []doc.Block{doc.Heading{Level: 2, Text: "Whose records are late?"}, t}
}

// costTable is what each delay costs: late records, latency of results, records that wait.
func costTable(r advise.Recommendation) []doc.Block {
	if len(r.Curve) == 0 || r.Records == 0 || r.Curve[0].Held == nil {
		return nil
	}
	t := doc.Table{Columns: []doc.Column{{Name: "delay", Number: true}, {Name: "late records", Number: true}, {Name: "p99 result latency", Number: true}, {Name: "records held", Number: true}, {Name: ""}}}
	for _, p := range r.Curve {
		mark := ""
		switch p.DelayMs {
		case r.Advice.RoundedMs:
			mark = "declared"
		case r.Advice.PersonMs:
			mark = "a round delay"
		}
		held := "–"
		if p.Held != nil {
			held = units.Count(int64(math.Round(*p.Held)))
		}
		t.Rows = append(t.Rows, doc.Row{Cells: doc.Cells(units.Exact(p.DelayMs), units.Count(p.LateN), optional(p.LatencyP99), held, mark)})
	}
	return []doc.Block{doc.Folded{Title: "what each delay costs", Blocks: []doc.Block{t,
		doc.Paragraph{Text: "Records held: how many records an operator that waits for the watermark keeps at a time (rate times delay).", Dim: true}}}}
}
