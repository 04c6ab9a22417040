package checks

import (
	"fmt"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM603", Cause: "no-event-time", Title: "No operator of the job uses event time",
	Severity: catalog.Info, Needs: catalog.Needs(catalog.Plan),
	Means: "No operator of the plan waits for or drops by a watermark, so whatever the watermarks are, no result depends on them; or no watermark is declared or emitted at all and only the job's own functions could ask for one.",
	Why: "Only windows, OVER, interval and event-time temporal joins, MATCH_RECOGNIZE and CEP, rowtime deduplication and sort, and CURRENT_WATERMARK use watermarks. The same operators on a PROCTIME() column do not: the plan tells by the column, traced to where it is made. A plain GROUP BY never drops a late row, with or without a WATERMARK clause. " +
		"A keyed user function may set event-time timers, so one of those is enough not to claim this; functions on a stream that is not keyed cannot (ProcessOperator), but may read the watermark, and a committer may tag or commit by it: with one of those this is possible, not certain.",
	Fix: catalog.Fix{
		Text: "Nothing to do, unless results were meant to be windowed: then use a window table function.",
		SQL:  "SELECT window_start, window_end, COUNT(*)\nFROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' MINUTE))\nGROUP BY window_start, window_end",
	},
	Run: runNoEventTime,
})

func runNoEventTime(j *model.Job) []catalog.Finding {
	if len(j.Vertices) == 0 {
		return nil
	}
	if j.UsesEventTime() == model.UseNo {
		return []catalog.Finding{usesNone(j)}
	}
	var out []catalog.Finding
	for _, part := range components(j) {
		src := sourceOf(part)
		if src != nil && !src.EventTimeSign() && mayUse(part) {
			out = append(out, showsNone(src, part))
		}
	}
	return out
}

// usesNone is certain where the kind of every operator is known.
func usesNone(j *model.Job) catalog.Finding {
	f := catalog.NewFinding("TM603", nil)
	f.Summary = "No operator of this job uses event time: late, stuck or missing watermarks change no result"
	if own := ownFunctions(j.Vertices); len(own) > 0 {
		f.Confidence = catalog.Possible
		f.Summary = fmt.Sprintf("No operator of this job is known to use event time. Missing or stuck watermarks are harmless unless %s reads them", catalog.SomeStrings(own))
	}
	proveKinds(&f, j.Vertices)
	return f
}

// showsNone is about a part of the job in which no watermark is declared or emitted, and whose own
// functions may still ask for one.
func showsNone(src *model.Vertex, part []*model.Vertex) catalog.Finding {
	f := catalog.NewFinding("TM603", src)
	f.Title, f.Confidence = "No watermark is declared or emitted, and nothing shows that one is needed", catalog.Possible
	f.Operator = model.HeadName(src)
	f.Summary = fmt.Sprintf("No watermark is declared or emitted behind source %s. That is harmless unless %s sets timers or commits by event time",
		model.SourceLabel(src), catalog.SomeStrings(ownFunctions(part)))
	f.ProveReading(src, model.SourceLabel(src), "currentOutputWatermark (minimum)", src.MinOut())
	for _, v := range part {
		if g := taskGauge(v, 0, "numFiredTimers"); v.MinIn().IsNone() && g != "" && g != "0" {
			f.Prove(v, model.QuoteName(v.Name), "numFiredTimers without a watermark", g)
			f.Summary += fmt.Sprintf("; timers of %s fire without one, so they are timers of processing time", model.QuoteName(model.HeadName(v)))
		}
	}
	proveKinds(&f, part)
	return f
}

func sourceOf(part []*model.Vertex) *model.Vertex {
	for _, v := range part {
		if v.IsSource() {
			return v
		}
	}
	return nil
}

func mayUse(part []*model.Vertex) bool {
	for _, v := range part {
		if v.EventTimeUse() == model.UseUnknown {
			return true
		}
	}
	return false
}

// ownFunctions names the operators whose use of event time no plan shows.
func ownFunctions(vertices []*model.Vertex) []string {
	var out []string
	for _, v := range vertices {
		for _, op := range v.Chain {
			if op.Kind == model.KindUnknown || op.Kind == model.KindCommitter {
				out = append(out, model.QuoteName(op.Name))
			}
		}
	}
	return out
}

func proveKinds(f *catalog.Finding, vertices []*model.Vertex) {
	for _, v := range vertices {
		for _, op := range v.Chain {
			if len(f.Evidence) < 12 {
				f.Prove(v, model.QuoteName(op.Name), "kind", string(op.Kind))
			}
		}
	}
}
