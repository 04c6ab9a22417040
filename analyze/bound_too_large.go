package analyze

import (
	"fmt"

	"tidemark/internal/units"
)

var _ = register(Check{
	Code: "TM301", Cause: "bound-too-large", Title: "The out-of-orderness bound makes results late",
	Symptom: 3, Severity: Warning, Needs: []string{"source output watermark", "currentEmitEventTimeLag or plan"},
	Means: "Records are fresh when they are read, nothing waits, and yet event time trails the clock by minutes: the declared bound (or SQL delay) is the whole lag.",
	Why: "REST does not show a DataStream bound; it is inferred as the lag of a moving split's watermark minus the lag of the records read. A bound is only called too large when it is at least a minute and ten times the oldest record seen. " +
		"Told from old data by currentEmitEventTimeLag, from an interval join by the operator where the lag begins, from a zone shift by the records.",
	Fix: Fix{
		Text:       "Measure the topic (tidemark recommend TOPIC) and declare the delay that covers the share of late records you can accept.",
		DataStream: "WatermarkStrategy.<Order>forBoundedOutOfOrderness(Duration.ofSeconds(5))",
		SQL:        "WATERMARK FOR ts AS ts - INTERVAL '5' SECOND",
	},
	Run: runBoundTooLarge,
})

const boundMinMs = 60_000

func runBoundTooLarge(j *Job) []Finding {
	var out []Finding
	for _, v := range j.Sources() {
		b, ok := j.boundOf(v)
		if !ok || b.Ms < boundMinMs {
			continue
		}
		lo, hi, seen := v.emitLag()
		if !seen && !b.Declared || hi > float64(b.Ms)/10 || lo < -aheadMs {
			continue
		}
		if n, ok := v.pending(); ok && n > 0 && hi > boundMinMs {
			continue
		}
		if r := v.MinOut(); !r.Now.IsKnown() || r.Frozen() {
			continue
		}
		f := newFinding("TM301", v)
		f.Operator = headName(v)
		f.HeldBack = j.heldBack(v, v.MinOut())
		how := "inferred from the gauges"
		f.Confidence = Likely
		switch {
		case b.Declared:
			how, f.Confidence = "declared in the plan", Certain
		case b.Upper:
			how, f.Confidence = "inferred; a table source hides the age of the rows, so old rows would look the same", Possible
		}
		f.Summary = fmt.Sprintf("Source %s emits event time %s behind records that are at most %s old when read: a bound of about %s is in force (%s)",
			sourceLabel(v), units.Duration(b.Ms), units.Duration(max(int64(hi), 0)), units.Duration(b.Ms), how)
		f.proveReading(v, sourceLabel(v), "currentOutputWatermark (minimum)", v.MinOut())
		if lag, ok := j.lag(v, v.MinOut()); ok {
			f.prove(v, sourceLabel(v), "event-time lag", units.Duration(lag))
		}
		if seen {
			f.prove(v, sourceLabel(v), "currentEmitEventTimeLag (smallest, largest)", fmt.Sprintf("%s, %s", units.Duration(int64(lo)), units.Duration(int64(hi))))
		}
		if d, ok := j.declared(v); ok {
			f.prove(v, sourceLabel(v), "plan: watermark", d.Expr)
		}
		out = append(out, f)
	}
	return out
}
