package checks

import (
	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM603", Cause: "no-event-time", Title: "No operator of the job uses event time",
	Severity: catalog.Info, Needs: []string{"plan"},
	Means: "Every operator of the plan is known, and none waits for or drops by a watermark: whatever the watermarks are, no result depends on them.",
	Why: "Only windows, OVER, interval and event-time temporal joins, MATCH_RECOGNIZE and CEP, rowtime deduplication and sort use watermarks. A plain GROUP BY never drops a late row, with or without a WATERMARK clause. " +
		"A keyed user function may set event-time timers, so one of those is enough not to claim this; functions on a stream that is not keyed cannot (ProcessOperator).",
	Fix: catalog.Fix{
		Text: "Nothing to do, unless results were meant to be windowed: then use a window table function.",
		SQL:  "SELECT window_start, window_end, COUNT(*)\nFROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' MINUTE))\nGROUP BY window_start, window_end",
	},
	Run: runNoEventTime,
})

func runNoEventTime(j *model.Job) []catalog.Finding {
	if len(j.Vertices) == 0 || j.UsesEventTime() != model.UseNo {
		return nil
	}
	f := catalog.NewFinding("TM603", nil)
	f.Summary = "No operator of this job uses event time: late, stuck or missing watermarks change no result"
	for _, v := range j.Vertices {
		for _, op := range v.Chain {
			if len(f.Evidence) < 12 {
				f.Prove(v, model.QuoteName(op.Name), "kind", string(op.Kind))
			}
		}
	}
	return []catalog.Finding{f}
}
