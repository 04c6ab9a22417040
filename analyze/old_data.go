package analyze

import (
	"fmt"

	"tidemark/internal/units"
)

var _ = register(Check{
	Code: "TM306", Cause: "old-data", Title: "Records are already old when they are read",
	Severity: Warning, Needs: []string{"currentEmitEventTimeLag", "pendingRecords"},
	Means: "Every record is minutes old when the source emits it, and none waits in the source: the delay lies before Flink, in producers, mirrors or batch uploads.",
	Why: "currentEmitEventTimeLag is high on all active subtasks while pendingRecords is 0. No bound, timeout or parallelism changes that. " +
		"Told from a backlog (TM304) by nothing pending, from a zone shift (TM203) by not being near a whole offset.",
	Fix: Fix{
		Text: "Look upstream of the topic: compare Kafka's record time with the event time (tidemark recommend TOPIC shows both).",
	},
	Run: runOldData,
})

func runOldData(j *Job) []Finding {
	var out []Finding
	for _, v := range j.Sources() {
		lo, hi, ok := v.emitLag()
		pending, told := v.pending()
		flows, compared := v.Flows()
		if quiet, known := v.allQuiet(); known && quiet {
			continue // old by now, perhaps not when they were read
		}
		if !ok || lo < boundMinMs || !told || pending > 0 || compared && !flows || v.isSQLScan() {
			continue
		}
		if unitOf(int64(float64(j.NowMs)-lo), j.NowMs) != "" {
			continue
		}
		f := newFinding("TM306", v)
		f.Operator = headName(v)
		f.HeldBack = j.heldBack(v, v.MinOut())
		f.since(int64(lo))
		f.Summary = fmt.Sprintf("Source %s gets records that are at least %s old and has none pending: the time is lost before Flink", sourceLabel(v), units.Duration(int64(lo)))
		f.prove(v, sourceLabel(v), "currentEmitEventTimeLag (smallest, largest)", fmt.Sprintf("%s, %s", units.Duration(int64(lo)), units.Duration(int64(hi))))
		f.prove(v, sourceLabel(v), "pendingRecords", formatNumber(pending))
		out = append(out, f)
	}
	return out
}
