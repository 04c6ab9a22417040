package checks

import (
	"fmt"
	"strings"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM201", Cause: "epoch-unit", Title: "Timestamps are read in the wrong unit",
	Symptom: 4, Severity: catalog.Critical, Needs: []string{"source output watermark"},
	Explains:  []catalog.Explains{catalog.Misreads(catalog.Foreign, catalog.Future), catalog.Stalls(catalog.Standing), catalog.Delays(catalog.Owed, catalog.Constant, catalog.Unknown)},
	EventTime: true,
	Means:     "The watermark lies in January or February 1970 (seconds read as milliseconds: nothing fires), or thousands of years ahead (a value multiplied by 1000 or more: everything later is late).",
	Why: "Flink's event time is in milliseconds. Seconds of today are about 1.8e9, which read as ms is 21 January 1970; milliseconds taken for seconds, and micro- or nanoseconds read as ms, are now times 1000 or 1,000,000. " +
		"Told from time 0 (TM205) by not being near 0, and from one bad record (TM202) by all active splits agreeing.",
	Fix: catalog.Fix{
		Text:       "Convert in the timestamp assigner or the computed column.",
		DataStream: "// seconds: * 1000L, microseconds: / 1000L, nanoseconds: / 1_000_000L\nstrategy.withTimestampAssigner((r, t) -> r.epochSeconds() * 1000L)",
		SQL:        "-- seconds: TO_TIMESTAMP_LTZ(x, 0), milliseconds: TO_TIMESTAMP_LTZ(x, 3)\nts AS TO_TIMESTAMP_LTZ(epoch_seconds, 0)",
	},
	Hides: []string{"TM202", "TM203", "TM205", "TM301", "TM304", "TM305", "TM306"},
	Run:   runEpochUnit,
})

func runEpochUnit(j *model.Job) []catalog.Finding {
	var out []catalog.Finding
	for _, e := range j.Emitters() {
		spots := model.Known(e.Spots())
		unit, hits := "", 0
		var first model.Spot
		for _, p := range spots {
			ms, _ := p.Reading.Now.Millis()
			if u := model.UnitOf(ms, j.NowMs); u != "" {
				if hits == 0 {
					unit, first = u, p
				}
				hits++
			}
		}
		if hits == 0 || hits*2 < len(spots) {
			continue
		}
		f := catalog.NewFinding("TM201", e.Vertex)
		f.Operator = e.Op.Name
		f.HeldBack = j.HeldBack(e.Vertex, e.Vertex.MinOut())
		if hits < len(spots) {
			f.Confidence = catalog.Likely
		}
		ms, _ := first.Reading.Now.Millis()
		effect := "no window fires for decades"
		if ms > j.NowMs {
			effect = "everything after it is late"
		}
		f.Summary = fmt.Sprintf("%s emits event time %s: %s; %s", model.QuoteName(e.Op.Name), WithMillis(first.Reading.Now.String(), ms), unit, effect)
		for _, p := range spots[:min(len(spots), 4)] {
			f.AddSubtask(p.Subtask.Index)
			f.ProveReading(e.Vertex, p.Label(), "watermark", p.Reading)
		}
		f.Prove(e.Vertex, "JobManager clock", "now / 1000", j.NowMs/1000)
		out = append(out, f)
	}
	return out
}

// WithMillis adds the number to a date; a time outside the calendar is written as its number already.
func WithMillis(written string, ms int64) string {
	if strings.HasSuffix(written, " ms") {
		return written
	}
	return fmt.Sprintf("%s (%d ms)", written, ms)
}
