package analyze

import (
	"fmt"

	"tidemark/internal/units"
)

var _ = register(Check{
	Code: "TM504", Cause: "false-idle", Title: "A split was declared idle while it had records",
	Severity: Warning, Needs: []string{"split metrics (2.1+), Kafka offsets or backpressure", "late counters", "two samples"},
	Means: "Late records are dropped, and a split is marked idle although records wait in it, its source is backpressured, or alignment pauses it: the idle clock ran while Flink did not read.",
	Why:   "Before 1.19.2, 1.20.1 and 2.0.0 the idle clock kept running under backpressure and pauses (FLINK-35886, FLIP-471); time spent inside chained operators still counts in all releases to 2.3 (FLINK-40234). When the split is read again its records are late.",
	Fix: Fix{
		Text:       "Upgrade past FLIP-471; until then make the idle timeout longer than the longest block, and remove the backpressure.",
		DataStream: "strategy.withIdleness(Duration.ofMinutes(5))",
		SQL:        "SET 'table.exec.source.idle-timeout' = '5 min'",
	},
	Run: runFalseIdle,
})

func runFalseIdle(j *Job) []Finding {
	var out []Finding
	for _, v := range j.Sources() {
		if !lateBehind(v) {
			continue
		}
		if f, ok := falseIdle(j, v); ok {
			out = append(out, f)
		}
	}
	return out
}

func lateBehind(v *Vertex) bool {
	for _, u := range append([]*Vertex{v}, v.descendants()...) {
		for _, c := range u.Late {
			if rise, ok := c.Dropped.Rise(); ok && rise > 0 {
				return true
			}
		}
	}
	return false
}

func falseIdle(j *Job, v *Vertex) (Finding, bool) {
	d, _ := j.declared(v)
	unpaused := j.Version.Known() && !pausesIdleClock(j.Version)
	for _, s := range v.Subtasks {
		back, _ := s.Backpressured.Value()
		pending, okPending := s.Pending.Value()
		for _, sp := range s.activeSplits() {
			idle, known := sp.Idle()
			if off, ok := sp.Offset.Value(); !known && ok && off < 0 && s.SourceOut().Now.IsKnown() {
				idle, known = true, true // before 2.1: a partition without a record that does not hold its subtask
			}
			_, quietKnown := sp.Quiet()
			busyReason := ""
			switch {
			case back >= 100:
				busyReason = fmt.Sprintf("its subtask is backpressured %.0f %%", back/10)
			case okPending && pending > 0 && quietKnown:
				busyReason = fmt.Sprintf("%.0f records are pending", pending)
			case pausedByAlignment(s):
				busyReason = "alignment pauses it"
			}
			if known && idle && busyReason != "" {
				f := newFinding("TM504", v)
				f.Operator, f.Subtasks, f.Split, f.Confidence = headName(v), []int{s.Index}, sp.ID, Likely
				f.Summary = fmt.Sprintf("Split %s of source %s is marked idle although %s; when it is read again its records are late, and late records are being dropped", sp.ID, sourceLabel(v), busyReason)
				if _, ok := sp.IdleMs.Value(); ok {
					f.proveGauge(v, "split "+sp.ID, "accumulatedIdleTimeMs", sp.IdleMs)
				} else {
					f.proveGauge(v, "split "+sp.ID, "currentOffset", sp.Offset)
					f.proveReading(v, subtaskLabel(s), "currentOutputWatermark", s.SourceOut())
				}
				f.proveGauge(v, subtaskLabel(s), "backPressuredTimeMsPerSecond", s.Backpressured)
				f.proveGauge(v, subtaskLabel(s), "pendingRecords", s.Pending)
				return f, true
			}
		}
		if d.IdleMs > 0 && unpaused && back >= 100 {
			f := newFinding("TM504", v)
			f.Operator, f.Subtasks, f.Confidence, f.Issue = headName(v), []int{s.Index}, Possible, "FLINK-35886"
			f.Summary = fmt.Sprintf("Source %s is backpressured with an idle timeout of %s in Flink %s, whose idle clock runs on meanwhile; late records are being dropped", sourceLabel(v), units.Duration(d.IdleMs), j.Version)
			f.prove(v, sourceLabel(v), "plan: idle timeout", units.Duration(d.IdleMs))
			f.proveGauge(v, subtaskLabel(s), "backPressuredTimeMsPerSecond", s.Backpressured)
			return f, true
		}
	}
	return Finding{}, false
}

// pausesIdleClock reports FLIP-471: 1.19.2, 1.20.1, 2.0.0 and later.
func pausesIdleClock(v Version) bool {
	switch {
	case v.Major >= 2:
		return true
	case v.Minor == 19:
		return v.Patch >= 2
	case v.Minor == 20:
		return v.Patch >= 1
	}
	return false
}
