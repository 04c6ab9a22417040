package crosscheck

import (
	"fmt"

	"tidemark/analyze/catalog"
	"tidemark/analyze/fix"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

var _ = registerCrosscheck(catalog.Check{
	Code: "TM801", Cause: "bound-differs", Title: "The delay in force is not the one that was declared",
	Symptom: 3, Severity: catalog.Warning, Needs: catalog.Needs(catalog.PartitionOffsets, catalog.Or(catalog.SplitWatermarks, catalog.SourceOutputs).Apart(), catalog.TopicRecords),
	Means: "The watermarks of the job trail the records by another delay than the plan, the flags or the strategy file say.",
	Why: "A split's watermark plus the delay plus 1 ms (SQL: plus the delay) is always the event time of some record of that split, so the candidates of several splits and samples have one value in common. A job runs the code it was submitted with: a changed constant needs a new submission, and a strategy set twice (at the source and behind it) takes the later one. " +
		"Told from a zone offset (TM804) by not being a whole number of quarters of an hour, and from another unit (TM803) by size.",
	Fix: catalog.Fix{
		Text:       "Submit the job again with the strategy that is meant, or correct what is declared.",
		DataStream: "WatermarkStrategy.<Order>forBoundedOutOfOrderness(Duration.ofSeconds(5))",
		SQL:        "WATERMARK FOR ts AS ts - INTERVAL '5' SECOND",
	},
}, runBoundDiffers)

func runBoundDiffers(c *Crosscheck) []catalog.Finding {
	var out []catalog.Finding
	for _, s := range c.Sources {
		f := s.InForce
		if s.Missing != "" || s.Declared == nil || !f.Known || f.Unit.Scaled() || f.ShiftMs != 0 {
			continue
		}
		want := s.Declared.DelayMs
		if want >= f.Lo && want <= f.Hi || f.Unit.Coarse > 0 && abs(want-f.Lo) < f.Unit.Coarse {
			continue
		}
		x := catalog.NewFinding("TM801", s.Vertex)
		x.Operator = model.HeadName(s.Vertex)
		x.HeldBack = c.Job().HeldBack(s.Vertex, s.Vertex.MinOut())
		if !f.Exact {
			x.Confidence = catalog.Likely
		}
		x.Summary = fmt.Sprintf("Source %s runs with a delay of %s, not %s (%s)", model.SourceLabel(s.Vertex), f.text(), units.Exact(want), s.Declared.Origin)
		x.Fix = fix.Declared(c.Job(), s.Vertex, want)
		s.proveDelay(&x)
		out = append(out, x)
	}
	return out
}

// text is the delay in force, exact to the millisecond.
func (f InForce) text() string {
	if f.Exact || f.Lo == f.Hi {
		return units.Exact(f.Lo)
	}
	return "between " + units.Exact(f.Lo) + " and " + units.Exact(f.Hi)
}

// proveDelay shows what the delay was inferred from.
func (s *CrossSource) proveDelay(f *catalog.Finding) {
	in := s.InForce
	f.Prove(s.Vertex, model.SourceLabel(s.Vertex), "watermarks that this delay explains", fmt.Sprintf("%d of %d, %s left", in.Agree, in.Of, catalog.Plural(in.Alternatives, "candidate")))
	shown := 0
	for _, o := range s.Observed {
		if !o.Last || !o.Watermark.IsKnown() || len(o.Splits) != 1 || shown == 4 {
			continue
		}
		shown++
		at := o.Splits[0]
		f.Prove(s.Vertex, "split "+at.id, "watermark at currentOffset", fmt.Sprintf("%s at %d", o.Watermark, at.offset))
	}
}
