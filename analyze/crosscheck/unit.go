package crosscheck

import (
	"fmt"

	"tidemark/analyze/catalog"
	"tidemark/analyze/fix"
	"tidemark/analyze/model"
)

var _ = registerCrosscheck(catalog.Check{
	Code: "TM803", Cause: "timestamp-unit", Title: "Timestamps are read in another unit than the field has",
	Symptom: 4, Severity: catalog.Critical, Needs: catalog.Needs(catalog.Or(catalog.SplitWatermarks, catalog.SourceOutputs).Apart(), catalog.TopicRecords),
	Means: "The watermarks are those of the field's event times multiplied or divided by a power of ten.",
	Why:   "Flink's event time is in milliseconds. Beside the records the factor is proven: with it, and only with it, the watermarks of the splits are event times of their records less one and the same delay.",
	Fix: catalog.Fix{
		Text:       "Convert in the timestamp assigner or the computed column.",
		DataStream: "// seconds: * 1000L, microseconds: / 1000L, nanoseconds: / 1_000_000L\nstrategy.withTimestampAssigner((r, t) -> r.epochSeconds() * 1000L)",
		SQL:        "-- seconds: TO_TIMESTAMP_LTZ(x, 0), milliseconds: TO_TIMESTAMP_LTZ(x, 3)\nts AS TO_TIMESTAMP_LTZ(epoch_seconds, 0)",
	},
}, runTimestampUnit)

func runTimestampUnit(c *Crosscheck) []catalog.Finding {
	var out []catalog.Finding
	for _, s := range c.Sources {
		in := s.InForce
		if s.Missing != "" || !in.Known || !in.Unit.Scaled() {
			continue
		}
		f := catalog.NewFinding("TM803", s.Vertex)
		f.Operator = model.HeadName(s.Vertex)
		f.HeldBack = c.Job().HeldBack(s.Vertex, s.Vertex.MinOut())
		if !in.Exact {
			f.Confidence = catalog.Likely
		}
		f.Summary = fmt.Sprintf("Source %s reads the field %s; in that reading the delay in force is %s", model.SourceLabel(s.Vertex), in.Unit, in.text())
		f.Fix = unitFix(in.Unit)
		s.proveDelay(&f)
		s.proveRecord(&f)
		out = append(out, f)
	}
	return out
}

// unitFix is what makes a field that is read in another unit right.
func unitFix(m Misreading) catalog.Fix {
	switch m {
	case Misreading{Num: 1, Den: 1000}:
		return fix.Seconds
	case Misreading{Num: 1000, Den: 1}:
		return fix.TimesThousand
	case Misreading{Num: 1_000_000, Den: 1}:
		return fix.Nanoseconds
	}
	return catalog.Fix{Text: "Do not divide the field: it is in the unit that it was measured in here."}
}

// proveRecord shows the last record of a split next to its watermark.
func (s *CrossSource) proveRecord(f *catalog.Finding) {
	for _, o := range s.Observed {
		if !o.Last || len(o.Splits) == 0 {
			continue
		}
		d := s.Data[o.Splits[0].id]
		if d == nil {
			continue
		}
		if i := d.at(o.Splits[0].offset); i >= 0 {
			f.Prove(s.Vertex, "split "+o.Splits[0].id, fmt.Sprintf("event time of the record at offset %d, as the field gives it", d.Tail[i].Offset), d.Tail[i].Event)
			return
		}
	}
}
