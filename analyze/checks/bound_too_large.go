package checks

import (
	"fmt"

	"tidemark/analyze/catalog"
	"tidemark/analyze/lag"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM301", Cause: "bound-too-large", Title: "The out-of-orderness bound makes results late",
	Headline: "{vertex} has a delay that makes every result late",
	Symptom:  3, Severity: catalog.Warning, Needs: catalog.Needs(catalog.SourceWatermark, catalog.Or(catalog.EmitLag, catalog.Plan)),
	Explains:  []catalog.Explains{catalog.Delays(catalog.Constant)},
	EventTime: true,
	Means:     "Records are fresh when they are read and none wait, but event time is minutes behind the clock: the declared bound (or SQL delay) is the whole lag.",
	Why:       "REST does not show a DataStream bound. It is inferred: the lag of an advancing split's watermark minus the lag of the records read. A bound is called too large only if it is at least one minute and ten times the age of the oldest record seen. Unlike with old data, currentEmitEventTimeLag is small; unlike with an interval join, the lag begins at the source; unlike with a zone shift, the records are on time.",
	Fix: catalog.Fix{
		Text:       "Measure the topic (tidemark recommend TOPIC) and declare the delay that keeps late records below the share you accept.",
		DataStream: "WatermarkStrategy.<Order>forBoundedOutOfOrderness(Duration.ofSeconds(5))",
		SQL:        "WATERMARK FOR ts AS ts - INTERVAL '5' SECOND",
	},
	Run: runBoundTooLarge,
})

func runBoundTooLarge(j *model.Job) []catalog.Finding {
	var out []catalog.Finding
	for _, v := range j.Sources() {
		b, ok := lag.BoundOf(j, v)
		if !ok || !b.Large() {
			continue
		}
		lo, hi, seen := v.EmitLag()
		if seen && !b.Declared && !b.Upper && hi > float64(b.Ms)/10 && hi-lo >= float64(b.Ms)/10 && model.MovedCertainly(v.MinOut()) && !lag.SharedSkew(v, b) {
			out = append(out, fittingBound(j, v, b, lo, hi))
			continue
		}
		if !seen && !b.Declared || hi > float64(b.Ms)/10 || lo < -model.AheadMs {
			continue
		}
		if n, ok := v.Pending(); ok && n > 0 && hi > lag.BoundMinMs {
			continue
		}
		if r := v.MinOut(); !r.Now.IsKnown() || r.Frozen() {
			continue
		}
		f := catalog.NewFinding("TM301", v)
		f.Operator = model.HeadName(v)
		f.HeldBack = j.HeldBack(v, v.MinOut())
		how := "inferred from the gauges"
		f.Confidence = catalog.Likely
		switch {
		case b.Declared:
			how, f.Confidence = "declared in the plan", catalog.Certain
		case b.Upper:
			how, f.Confidence = "inferred; a table source hides the age of the rows, so old rows would look the same", catalog.Possible
		}
		notProven := ""
		if _, told := v.MinOut().Moved(); !told && !b.Declared {
			f.Severity, f.Confidence = catalog.Info, catalog.Possible
			notProven = "; or its watermark stands, which one fetch does not show"
		}
		f.Summary = fmt.Sprintf("Source %s emits event time %s behind records that are at most %s old when read: a bound of %s is in force (%s)",
			model.SourceLabel(v), units.Duration(b.Ms), units.Duration(max(int64(hi), 0)), b.Range(), how) + notProven
		f.ProveReading(v, model.SourceLabel(v), "currentOutputWatermark (minimum)", v.MinOut())
		if lag, ok := j.Lag(v, v.MinOut()); ok {
			f.Prove(v, model.SourceLabel(v), "event-time lag", units.Duration(lag))
		}
		if seen {
			f.Prove(v, model.SourceLabel(v), "currentEmitEventTimeLag (smallest, largest)", fmt.Sprintf("%s, %s", units.Duration(int64(lo)), units.Duration(int64(hi))))
		}
		if d, ok := j.Declared(v); ok {
			f.Prove(v, model.SourceLabel(v), "plan: watermark", d.Expr)
		}
		out = append(out, f)
	}
	return out
}

// fittingBound is the note on a large inferred bound whose records were seen at ages that spread over at
// least a tenth of it: it fits their disorder, and is what the lag is made of.
func fittingBound(j *model.Job, v *model.Vertex, b lag.Bound, lo, hi float64) catalog.Finding {
	f := catalog.NewFinding("TM301", v)
	f.Severity, f.Confidence = catalog.Info, catalog.Possible
	f.Title = "{vertex} has a large out-of-orderness bound in force"
	f.Operator = model.HeadName(v)
	f.Summary = fmt.Sprintf("Source %s emits event time about %s behind its records, which were between %s and %s old when read: such a bound fits their disorder, and results wait for it",
		model.SourceLabel(v), units.Duration(b.Ms), units.Duration(max(int64(lo), 0)), units.Duration(int64(hi)))
	f.ProveReading(v, model.SourceLabel(v), "currentOutputWatermark (minimum)", v.MinOut())
	f.Prove(v, model.SourceLabel(v), "currentEmitEventTimeLag (smallest, largest)", units.Duration(int64(lo))+", "+units.Duration(int64(hi)))
	return f
}
