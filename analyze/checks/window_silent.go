package checks

import (
	"fmt"
	"strings"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM308", Cause: "window-without-output", Title: "A window takes records in, and has never emitted a row",
	Headline: "{vertex} receives records but has never emitted a row",
	Severity: catalog.Info, Needs: catalog.Needs(catalog.OperatorWatermarks),
	Settled: true, EventTime: true,
	Means: "The watermark passes window after window and records that are not late come in, but no row has ever left the operator or the filter right after it.",
	Why:   "Event time is not the cause. The window's own rules keep the rows: a trigger that never fires (a custom one, or a count that is not reached), an evictor that removes everything, a filter or HAVING inside the operator, or a window longer than the job has run.",
	Fix: catalog.Fix{
		Text:       "Check the trigger, evictor and filter of this window. The default trigger fires once, when the watermark passes the end of the window.",
		DataStream: "stream.keyBy(…).window(…).trigger(EventTimeTrigger.create())",
	},
	Run: runWindowSilent,
})

// silentWindows is how many windows must have ended before their silence means something.
const silentWindows = 3

func runWindowSilent(j *model.Job) []catalog.Finding {
	var out []catalog.Finding
	for _, v := range j.Vertices {
		for i, op := range v.Chain {
			if op.Kind != model.KindWindow || !model.MovedCertainly(op.In) {
				continue
			}
			size, ok := model.WindowStepOf(op.Text)
			late, known := j.Lag(v, op.In)
			if !ok || !known || j.UptimeMs-late < silentWindows*size {
				continue // event time has not passed enough windows since the start
			}
			where := model.QuoteName(op.Name)
			in, sent, told := operatorRecords(v, i)
			if k := filterBehind(v, i); told && sent >= 10 && k >= 0 {
				if _, passed, ok := operatorRecords(v, k); ok && passed == 0 {
					where, sent = where+" with its filter "+model.QuoteName(v.Chain[k].Name), 0
				}
			}
			if !told || in-droppedBy(v, op) < 10 || sent > 0 {
				continue
			}
			f := catalog.NewFinding("TM308", v)
			f.Operator = op.Name
			f.Summary = fmt.Sprintf("%s has taken in %s records in %s and has never put a row out, though its watermark passes the ends of its windows", where, units.Number(in), units.Duration(j.UptimeMs))
			f.ProveReading(v, model.QuoteName(op.Name), "currentInputWatermark (minimum)", op.In)
			f.Prove(v, model.QuoteName(op.Name), "numRecordsIn", units.Number(in))
			f.Prove(v, model.QuoteName(op.Name), "numRecordsOut", units.Number(sent))
			out = append(out, f)
		}
	}
	return out
}

// filterBehind is the index of a SQL filter right after the window, -1 if there is none.
func filterBehind(v *model.Vertex, window int) int {
	for i, op := range v.Chain {
		if _, filters := model.Property(op.Text, "where"); op.Parent == window && filters && strings.HasPrefix(op.Text, "Calc(") {
			return i
		}
	}
	return -1
}

// operatorRecords are the counters of an operator over all subtasks; told is false where one lacks them.
func operatorRecords(v *model.Vertex, op int) (in, sent float64, told bool) {
	for _, s := range v.Subtasks {
		if op >= len(s.Ops) {
			return 0, 0, false
		}
		a, okIn := s.Ops[op].RecordsIn.Value()
		b, okOut := s.Ops[op].RecordsOut.Value()
		if !okIn || !okOut {
			return 0, 0, false
		}
		in, sent = in+a, sent+b
	}
	return in, sent, len(v.Subtasks) > 0
}

func droppedBy(v *model.Vertex, op *model.Operator) float64 {
	for _, l := range v.Late {
		if n, ok := l.Dropped.Value(); ok && l.Operator == op.Metric {
			return n
		}
	}
	return 0
}
