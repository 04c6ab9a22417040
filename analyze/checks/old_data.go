package checks

import (
	"fmt"

	"tidemark/analyze/catalog"
	"tidemark/analyze/lag"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM306", Cause: "old-data", Title: "Records are already old when they are read",
	Headline: "{vertex} reads records that are already old",
	Severity: catalog.Warning, Needs: catalog.Needs(catalog.Or(catalog.EmitLag, catalog.Plan)),
	Explains:  []catalog.Explains{catalog.Delays(catalog.Owed, catalog.Constant)},
	EventTime: true,
	Means:     "Every record is minutes old when the source emits it, and none waits in the source: the delay lies before Flink, in producers, mirrors or batch uploads.",
	Why:       "currentEmitEventTimeLag is high on all active subtasks while pendingRecords is 0. No bound, timeout or parallelism changes that. Unlike with a backlog (TM304), nothing is pending; unlike with a zone shift (TM203), the age is not near a multiple of 15 minutes.",
	Fix: catalog.Fix{
		Text: "Look upstream of the topic: compare Kafka's record time with the event time (tidemark recommend TOPIC shows both).",
	},
	Run: runOldData,
})

func runOldData(j *model.Job) []catalog.Finding {
	var out []catalog.Finding
	for _, v := range j.Sources() {
		lo, hi, ok := lag.Ages(j, v)
		pending, told := v.Pending()
		flows, compared := v.Flows()
		if quiet, known := v.AllQuiet(); known && quiet {
			continue // old by now, perhaps not when they were read
		}
		if v.GrowsYounger() {
			continue // the last of a backlog, which the reader has fetched: TM304
		}
		for _, e := range j.EmittersOf(v) {
			if late, _, known := j.LagRange(v, e.Spots()); known {
				lo = min(lo, float64(late)) // the newest record is no older than its watermark
			}
		}
		if !ok || lo < lag.BoundMinMs || told && pending > 0 || compared && !flows || model.WorstBackpressure(v) >= 100 {
			continue
		}
		f := catalog.NewFinding("TM306", v)
		f.Operator = model.HeadName(v)
		f.HeldBack = j.HeldBack(v, v.MinOut())
		f.Since(int64(lo))
		f.Summary = fmt.Sprintf("Source %s gets records that are at least %s old and has none pending: the time is lost before Flink", model.SourceLabel(v), units.Duration(int64(lo)))
		f.Prove(v, model.SourceLabel(v), "age of the records (smallest, largest)", fmt.Sprintf("%s, %s", units.Duration(int64(lo)), units.Duration(int64(hi))))
		if told {
			f.Prove(v, model.SourceLabel(v), "pendingRecords", units.Number(pending))
		} else {
			f.Confidence = catalog.Possible
			f.Summary = fmt.Sprintf("Source %s gets records that are at least %s old. Whether more of them wait is not shown by this connector: "+
				"with none waiting the time is lost before Flink, else it is a backlog", model.SourceLabel(v), units.Duration(int64(lo)))
			f.Fix.Text = "Compare the source's committed offsets with the end of the topic. Where they meet, look upstream of the topic: compare Kafka's record time with the event time (tidemark recommend TOPIC shows both)."
		}
		out = append(out, f)
	}
	return out
}
