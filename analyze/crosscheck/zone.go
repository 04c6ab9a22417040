package crosscheck

import (
	"fmt"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

var _ = registerCrosscheck(catalog.Check{
	Code: "TM804", Cause: "timestamp-zone", Title: "Timestamps are read in another zone than the field has",
	Symptom: 3, Severity: catalog.Critical, Needs: catalog.Needs(catalog.Or(catalog.SplitWatermarks, catalog.SourceOutputs).Apart(), catalog.TopicRecords),
	Means: "The watermarks are those of the field's event times shifted by a whole number of quarters of an hour.",
	Why: "A local time was taken for UTC, or the other way round. Beside the records the offset is proven where the delay is declared, or where the watermark is ahead of the records, which no delay can make. " +
		"Without a declared delay, an offset into the past looks like a large delay; there the age of the records that a DataStream source shows must agree.",
	Fix: catalog.Fix{
		Text:       "Fix the conversion where the timestamp is read; do not raise the delay.",
		DataStream: "LocalDateTime.parse(text).atZone(ZoneId.of(\"Asia/Shanghai\")).toInstant().toEpochMilli()",
		SQL:        "ts AS TO_TIMESTAMP_LTZ(epoch_millis, 3)\n-- from local text, with the zone of the producers:\nSET 'table.local-time-zone' = 'Asia/Shanghai';\nts AS CAST(TO_TIMESTAMP(local_text) AS TIMESTAMP_LTZ(3))",
	},
}, runTimestampZone)

func runTimestampZone(c *Crosscheck) []catalog.Finding {
	var out []catalog.Finding
	for _, s := range c.Sources {
		in := s.InForce
		if s.Missing != "" || !in.Known || in.ShiftMs == 0 {
			continue
		}
		f := catalog.NewFinding("TM804", s.Vertex)
		f.Operator = model.HeadName(s.Vertex)
		f.HeldBack = c.Job().HeldBack(s.Vertex, s.Vertex.MinOut())
		direction := "ahead of"
		if in.ShiftMs < 0 {
			direction = "behind"
		} else {
			four := 4
			f.Symptom = &four
		}
		if s.Declared == nil || !in.Exact {
			f.Confidence = catalog.Likely
		}
		f.Summary = fmt.Sprintf("Source %s reads event times %s %s the field; with that the delay in force is %s", model.SourceLabel(s.Vertex), units.Duration(abs(in.ShiftMs)), direction, in.text())
		if in.Unit.Coarse > 0 {
			f.Summary += ", and event times are " + in.Unit.String()
		}
		s.proveDelay(&f)
		s.proveRecord(&f)
		out = append(out, f)
	}
	return out
}
