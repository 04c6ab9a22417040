package checks

import (
	"fmt"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM602", Cause: "minibatch-proctime", Title: "Watermark gauges show processing time",
	Headline: "{vertex} shows processing time in its watermark gauges",
	Severity: catalog.Info, Needs: catalog.Needs(catalog.Plan),
	Means: "MiniBatchAssigner(mode=[ProcTime]) discards event-time watermarks and emits multiples of the mini-batch interval on the wall clock: downstream of it every watermark looks like \"now\".",
	Why:   "ProcTimeMiniBatchAssignerOperator uses watermarks as batch markers. Watermarks downstream of it say nothing about event time, and no watermark check applies there.",
	Fix: catalog.Fix{
		Text: "Ignore these watermarks. If the query should be event-time based, declare a WATERMARK and use an event-time operator: the planner then chooses mode=[RowTime].",
		SQL:  "CREATE TABLE … (…, WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)",
	},
	Run: runMiniBatchProctime,
})

func runMiniBatchProctime(j *model.Job) []catalog.Finding {
	var out []catalog.Finding
	for _, v := range j.Vertices {
		for _, op := range v.Chain {
			if op.Kind != model.KindMiniBatchProc {
				continue
			}
			f := catalog.NewFinding("TM602", v)
			f.Operator = op.Name
			f.Summary = fmt.Sprintf("%s emits processing time as watermarks (%s): behind it the gauges say nothing about event time", model.QuoteName(op.Name), model.Describe(op.Out.Now))
			f.Prove(v, model.QuoteName(op.Name), "plan", model.Shorten(op.Text, 120))
			f.ProveReading(v, model.QuoteName(op.Name), "currentOutputWatermark", op.Out)
			out = append(out, f)
		}
	}
	return out
}
