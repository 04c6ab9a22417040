package analyze

import (
	"fmt"

	"tidemark/internal/units"
)

var _ = register(Check{
	Code: "TM503", Cause: "alignment-throttle", Title: "Alignment limits the catch-up speed",
	Symptom: 5, Severity: Warning, Needs: []string{"split pause metrics (2.1+) or watermarkAlignmentDrift", "two samples"},
	Means: "The sources are behind and could read faster, but alignment pauses them again and again: event time gains at most the drift in each update interval.",
	Why:   "Between two announcements a subtask may move at most to the old maximum, so the ceiling is drift / update interval of event time a second. The CPU is idle, nothing is backpressured, splits show paused time, and event time does advance (else TM501).",
	Fix: Fix{
		Text:       "For the catch-up, raise the drift or shorten the update interval; 2.3 compares with older samples (pipeline.watermark-alignment.buffer-size) and is gentler.",
		DataStream: ".withWatermarkAlignment(\"g\", Duration.ofMinutes(5), Duration.ofSeconds(1))",
		SQL:        "WITH ('scan.watermark.alignment.max-drift' = '5 min', 'scan.watermark.alignment.update-interval' = '1 s', …)",
	},
	Hides: []string{"TM304"},
	Run:   runAlignmentThrottle,
})

func runAlignmentThrottle(j *Job) []Finding {
	if !j.Compared() {
		return nil
	}
	for _, v := range j.Sources() {
		var throttled []*Subtask
		for _, s := range v.Subtasks {
			_, isAligned := s.AlignmentDrift.Value()
			busy, _ := s.Busy.Value()
			back, _ := s.Backpressured.Value()
			lag, ok := j.lag(v, s.SourceOut())
			if isAligned && pausedByAlignment(s) && movedCertainly(s.SourceOut()) && ok && lag > frozenMs && busy < 500 && back < 100 {
				throttled = append(throttled, s)
			}
		}
		if len(throttled) == 0 {
			continue
		}
		s := throttled[0]
		advance, _ := s.SourceOut().Advance()
		speed := float64(advance) / float64(max(v.GapMs, 1))
		lag, _ := j.lag(v, s.SourceOut())
		f := newFinding("TM503", v)
		f.Operator, f.Confidence = headName(v), Likely
		f.HeldBack = j.heldBack(v, v.MinOut())
		for _, t := range throttled {
			f.addSubtask(t.Index)
			f.proveGauge(v, subtaskLabel(t), "watermarkAlignmentDrift", t.AlignmentDrift)
			for _, sp := range t.activeSplits()[:min(len(t.activeSplits()), 2)] {
				if _, ok := sp.PausedMs.Value(); ok {
					f.proveGauge(v, "split "+sp.ID, "accumulatedPausedTimeMs", sp.PausedMs)
				}
			}
		}
		f.Summary = fmt.Sprintf("Source %s is %s behind and alignment keeps pausing it: event time gains %.1f s a second with the CPU idle", sourceLabel(v), units.Duration(lag), speed)
		if d, ok := j.declared(v); ok && d.UpdateMs > 0 {
			f.Summary += fmt.Sprintf("; the ceiling is drift / update interval = %.1f s a second", float64(d.DriftMs)/float64(d.UpdateMs))
		}
		f.proveReading(v, subtaskLabel(s), "currentOutputWatermark", s.SourceOut())
		return []Finding{f}
	}
	return nil
}
