package checks

import (
	"fmt"
	"math"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM304", Cause: "source-backlog", Title: "The source is catching up with a backlog",
	Headline: "{vertex} is catching up with a backlog",
	Severity: catalog.Info, Needs: catalog.Needs(catalog.Or(catalog.PendingRecords, catalog.BusyTime), catalog.EmitLag),
	Explains:  []catalog.Explains{catalog.Delays(catalog.Owed, catalog.Constant, catalog.Unknown), catalog.Stalls(catalog.Never)},
	EventTime: true,
	Means:     "The source reads old records while newer ones wait: event time is late because reading is behind, not because of the strategy.",
	Why:       "pendingRecords is above zero (for Kafka the sum of the consumer's records-lag) and the records read are old. The catch-up speed is the event time gained per second of wall clock between two samples. Below 1 the job falls further behind and needs more parallelism or a faster operator. If the connector has no pendingRecords, the evidence is old records that become younger, or a source that is busy all the time with old records.",
	Fix: catalog.Fix{
		Text:       "Wait if the speed is well above 1. Otherwise raise the parallelism or find the bottleneck.",
		DataStream: "env.fromSource(…).setParallelism(partitions)",
		SQL:        "-- 1.19+, where the connector has it; else SET 'parallelism.default'\nWITH ('scan.parallelism' = '<partitions>')",
	},
	Hides: []string{"TM306"},
	Run:   runSourceBacklog,
})

func runSourceBacklog(j *model.Job) []catalog.Finding {
	var out []catalog.Finding
	for _, v := range j.Sources() {
		pending, ok := v.Pending()
		lo, hi, seen := v.EmitLag()
		lag, late := j.Lag(v, v.MinOut())
		age := float64(lag)
		if seen && (!v.IsSQLScan() || !late) { // a table source shows the connector's times, better than none
			age = hi
		}
		// The last of a backlog has been fetched, and is not emitted yet.
		if unknown := !ok && v.CatchesUp(); !unknown && (!ok || pending <= 0 && !(v.GrowsYounger() && lo >= model.FrozenMs)) || !late && !seen || age < model.FrozenMs || ok && pending > 0 && !newestIsOld(v) {
			continue
		}
		if _, slow := jamBehind(j, v); slow {
			continue // TM303: what keeps it from reading
		}
		f := catalog.NewFinding("TM304", v)
		f.Operator = model.HeadName(v)
		f.HeldBack = j.HeldBack(v, v.MinOut())
		f.Summary = fmt.Sprintf("Source %s reads records %s old with %s still pending", model.SourceLabel(v), units.Duration(int64(age)), units.Number(pending))
		if !ok {
			f.Confidence = catalog.Likely
			f.Summary = fmt.Sprintf("Source %s reads records %s old, as fast as it can; how many wait is not shown by this connector", model.SourceLabel(v), units.Duration(int64(age)))
		}
		if speed, ok := catchUpSpeed(j, v); ok {
			switch {
			case speed > 1.05 && !v.FallsBehind():
				f.Summary += fmt.Sprintf("; it gains %.1f s of event time per second, about %s are left", speed, units.Duration(int64(age/(speed-1))))
			case speed > 1.05:
				f.Severity = catalog.Warning
				f.Summary += fmt.Sprintf("; its backlog grows, though event time advanced %.1f s per second between the samples: it does not catch up", speed)
			default:
				f.Severity = catalog.Warning
				f.Summary += fmt.Sprintf("; it gains %.2f s of event time per second and does not catch up", speed)
			}
			f.ProveReading(v, model.SourceLabel(v), "currentOutputWatermark (minimum)", v.MinOut())
		} else {
			f.Summary += "; its speed is not known"
			if v.FallsBehind() {
				f.Severity = catalog.Warning
				f.Summary += ", and its backlog grows"
			}
		}
		if ok {
			f.Prove(v, model.SourceLabel(v), "pendingRecords", units.Number(pending))
		}
		if seen {
			f.Prove(v, model.SourceLabel(v), "currentEmitEventTimeLag (largest)", units.Duration(int64(hi)))
		}
		f.Since(int64(age))
		out = append(out, f)
	}
	return out
}

// catchUpSpeed is event time gained per wall clock: of the watermark, or where a split has none yet,
// of the records read.
func catchUpSpeed(j *model.Job, v *model.Vertex) (float64, bool) {
	if v.GapMs <= 0 {
		return 0, false
	}
	gap := float64(v.GapMs)
	if v.MinOut().Frozen() {
		return 0, false // what is read now is older than what was read first
	}
	if advance, ok := v.MinOut().Advance(); ok {
		return float64(advance) / gap, true
	}
	slowest, found := 0.0, false
	for _, s := range v.Subtasks {
		n, _ := s.Pending.Value()
		rise, ok := s.Records.Rise()
		if !ok || rise == 0 || n <= 0 || math.IsNaN(s.EmitLag.Before) || math.IsNaN(s.EmitLag.Now) {
			continue
		}
		if speed := 1 + (s.EmitLag.Before-s.EmitLag.Now)/gap; !found || speed < slowest {
			slowest, found = speed, true
		}
	}
	return slowest, found && slowest >= 0 // below it turned to an older split: no speed
}

// newestIsOld asks the newest record of any subtask with records pending.
func newestIsOld(v *model.Vertex) bool {
	for _, s := range v.Subtasks {
		if n, ok := s.Pending.Value(); ok && n > 0 {
			if lag, ok := s.EmitLag.Value(); !ok || lag > model.FrozenMs/3 {
				return true
			}
		}
	}
	return false
}
