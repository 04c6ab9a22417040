package crosscheck

import (
	"fmt"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

var _ = registerCrosscheck(catalog.Check{
	Code: "TM806", Cause: "watermark-behind", Title: "A watermark is behind what the records yield",
	Symptom: 1, Severity: catalog.Warning, Needs: catalog.Needs(catalog.TwoSamples, catalog.PartitionOffsets, catalog.TopicRecords),
	Means: "A split, a subtask or a vertex shows an older event time than the reference engine has after the same records, by more than the emission interval and the age of the metrics explain.",
	Why: "The engine behaves as Flink's own classes of this version do. What it cannot explain is something else: a generator that was not asked to emit, timers that do not run because the task is busy, a strategy that filters event times, a queue, or a split that holds its subtask although the metrics call it idle. " +
		"The tolerance is derived and printed with the result.",
	Fix: catalog.Fix{Text: "Look at the split or subtask named: what it holds is not in the records."},
}, runBehind)

func runBehind(c *Crosscheck) []catalog.Finding { return c.deviations("TM806", Behind, "behind") }

// deviations turns comparisons with the same verdict into findings, one per source or vertex.
func (c *Crosscheck) deviations(code, verdict, word string) []catalog.Finding {
	var out []catalog.Finding
	sound := true
	for _, s := range c.Sources {
		if s.Missing != "" {
			continue
		}
		var hits []Compared
		for _, x := range append(append([]Compared{}, s.Splits...), s.Subtasks...) {
			if x.Verdict == verdict {
				hits = append(hits, x)
			}
		}
		// Compared with a delay that was only declared every split would differ, which TM801 reports.
		if len(hits) > 0 && s.InForce.Exact {
			out = append(out, c.deviation(code, word, s.Vertex, hits))
		}
		sound = sound && len(hits) == 0
	}
	if !sound {
		return out // what is downstream inherits it
	}
	byVertex := map[*model.Vertex][]Compared{}
	for _, x := range c.Downstream() {
		if x.Verdict == verdict {
			byVertex[x.Vertex] = append(byVertex[x.Vertex], x)
		}
	}
	for _, v := range c.Job().Vertices {
		if hits := byVertex[v]; len(hits) > 0 {
			return append(out, c.deviation(code, word, v, hits)) // the first one; others inherit
		}
	}
	return out
}

func (c *Crosscheck) deviation(code, word string, v *model.Vertex, hits []Compared) catalog.Finding {
	f := catalog.NewFinding(code, v)
	f.Operator = model.HeadName(v)
	f.HeldBack = c.Job().HeldBack(v, hitsReading(v))
	f.Confidence = catalog.Likely
	first := hits[0]
	by := ""
	if first.DiffMs != 0 {
		by = " by " + units.Duration(abs(first.DiffMs))
	}
	f.Summary = fmt.Sprintf("The watermark of %s is %s, %s what its records yield%s", first.Label, first.Observed, word, by)
	if len(hits) > 1 {
		f.Summary += fmt.Sprintf("; so are %s", catalog.Plural(len(hits)-1, "other"))
	}
	for _, x := range hits[:min(len(hits), 6)] {
		f.AddSubtask(x.Subtask)
		f.Prove(v, x.Label, "watermark shown", x.Observed.String())
		f.Prove(v, x.Label, "watermark of the reference engine", x.Lo.String()+" to "+x.Hi.String())
	}
	return f
}

func hitsReading(v *model.Vertex) model.Reading {
	if v.IsSource() {
		return v.MinOut()
	}
	return v.MinIn()
}
