package checks

import (
	"fmt"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM504", Cause: "false-idle", Title: "A split was marked idle while it had records",
	Headline: "{place} was declared idle while it had records",
	Severity: catalog.Warning, Needs: catalog.Needs(catalog.Or(catalog.SplitMetrics, catalog.KafkaOffsets, catalog.BusyTime.As("backpressure")), catalog.LateCounters, catalog.TwoSamples),
	Explains: []catalog.Explains{catalog.Loses()},
	Means:    "Late records are dropped, and a split is marked idle although it has records waiting, its source is backpressured, or alignment pauses it: the idle clock ran while Flink did not read. Or event time runs ahead of a subtask that still sends records: the idle timeout is shorter than the distance between its records.",
	Why:      "Before 1.19.2, 1.20.1 and 2.0.0 the idle clock kept running under backpressure and pauses (FLINK-35886, FLIP-471); time spent inside chained operators still counts in all releases to 2.3 (FLINK-40234). When the split is read again, its records are late.",
	Fix: catalog.Fix{
		Text:       "Upgrade to a version with FLIP-471. Until then, make the idle timeout longer than the longest blocking, and remove the backpressure.",
		DataStream: "strategy.withIdleness(Duration.ofMinutes(5))",
		SQL:        "SET 'table.exec.source.idle-timeout' = '5 min'",
	},
	Run: runFalseIdle,
})

func runFalseIdle(j *model.Job) []catalog.Finding {
	var out []catalog.Finding
	for _, v := range j.Sources() {
		if !lateBehind(v) {
			continue
		}
		f, ok := falseIdle(j, v)
		if !ok {
			f, ok = idleBetweenRecords(j, v)
		}
		if ok {
			out = append(out, f)
		}
	}
	return out
}

func lateBehind(v *model.Vertex) bool {
	for _, u := range append([]*model.Vertex{v}, v.Descendants()...) {
		for _, c := range u.Late {
			if rise, ok := c.Dropped.Rise(); ok && rise > 0 {
				return true
			}
		}
	}
	return false
}

func falseIdle(j *model.Job, v *model.Vertex) (catalog.Finding, bool) {
	d, _ := j.Declared(v)
	unpaused := j.Version.Known() && !j.Version.PausesIdleClock()
	for _, s := range v.Subtasks {
		back, _ := s.Backpressured.Value()
		pending, okPending := s.Pending.Value()
		for _, sp := range s.ActiveSplits() {
			idle, known := sp.Idle()
			if off, ok := sp.Offset.Value(); !known && ok && off < 0 && s.SourceOut().Now.IsKnown() {
				idle, known = true, true // before 2.1: a partition without a record that does not hold its subtask
			}
			_, quietKnown := sp.Quiet()
			busyReason := ""
			switch {
			case back >= 100:
				busyReason = "its subtask is backpressured " + units.Share(back/1000)
			case okPending && pending > 0 && quietKnown:
				busyReason = units.Number(pending) + " records are pending"
			case model.PausedByAlignment(s):
				busyReason = "alignment pauses it"
			}
			if known && idle && busyReason != "" {
				f := catalog.NewFinding("TM504", v)
				f.Operator, f.Subtasks, f.Split, f.Confidence = model.HeadName(v), []int{s.Index}, sp.ID, catalog.Likely
				f.Summary = fmt.Sprintf("Split %s of source %s is marked idle although %s; when it is read again its records are late, and late records are being dropped", sp.ID, model.SourceLabel(v), busyReason)
				if _, ok := sp.IdleMs.Value(); ok {
					f.ProveGauge(v, "split "+sp.ID, "accumulatedIdleTimeMs", sp.IdleMs)
				} else {
					f.ProveGauge(v, "split "+sp.ID, "currentOffset", sp.Offset)
					f.ProveReading(v, model.SubtaskLabel(s), "currentOutputWatermark", s.SourceOut())
				}
				f.ProveGauge(v, model.SubtaskLabel(s), "backPressuredTimeMsPerSecond", s.Backpressured)
				f.ProveGauge(v, model.SubtaskLabel(s), "pendingRecords", s.Pending)
				return f, true
			}
		}
		if d.IdleMs > 0 && unpaused && back >= 100 {
			f := catalog.NewFinding("TM504", v)
			f.Operator, f.Subtasks, f.Confidence, f.Issue = model.HeadName(v), []int{s.Index}, catalog.Possible, "FLINK-35886"
			f.Summary = fmt.Sprintf("Source %s is backpressured with an idle timeout of %s in Flink %s, whose idle clock runs on meanwhile; late records are being dropped", model.SourceLabel(v), units.Duration(d.IdleMs), j.Version)
			f.Prove(v, model.SourceLabel(v), "plan: idle timeout", units.Duration(d.IdleMs))
			f.ProveGauge(v, model.SubtaskLabel(s), "backPressuredTimeMsPerSecond", s.Backpressured)
			return f, true
		}
	}
	return catalog.Finding{}, false
}
