package checks

import (
	"fmt"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM503", Cause: "alignment-throttle", Title: "Alignment limits the catch-up speed",
	Headline: "{vertex} catches up slowly because watermark alignment limits it",
	Symptom:  5, Severity: catalog.Warning, Needs: catalog.Needs(catalog.Or(catalog.SplitPauses, catalog.AlignmentDrift), catalog.TwoSamples),
	Explains: []catalog.Explains{catalog.Delays(catalog.Owed, catalog.Constant, catalog.Unknown)},
	Means:    "The sources are behind and could read faster, but alignment pauses them again and again: event time gains at most the drift in each update interval.",
	Why:      "Between two announcements a subtask may advance at most to the old maximum, so the limit is drift / update interval of event time per second. The CPU is idle, nothing is backpressured, splits show paused time, and event time advances (otherwise TM501).",
	Fix: catalog.Fix{
		Text:       "For the catch-up, raise the drift or shorten the update interval. 2.3 compares with older samples (pipeline.watermark-alignment.buffer-size) and throttles less.",
		DataStream: ".withWatermarkAlignment(\"g\", Duration.ofMinutes(5), Duration.ofSeconds(1))",
		SQL:        "WITH ('scan.watermark.alignment.max-drift' = '5 min', 'scan.watermark.alignment.update-interval' = '1 s', …)",
	},
	Hides: []string{"TM304"},
	Run:   runAlignmentThrottle,
})

func runAlignmentThrottle(j *model.Job) []catalog.Finding {
	if !j.Compared() {
		return nil
	}
	for _, v := range j.Sources() {
		var throttled []*model.Subtask
		for _, s := range v.Subtasks {
			_, isAligned := s.AlignmentDrift.Value()
			busy, _ := s.Busy.Value()
			back, _ := s.Backpressured.Value()
			lag, ok := j.Lag(v, s.SourceOut())
			if isAligned && model.PausedByAlignment(s) && model.MovedCertainly(s.SourceOut()) && ok && lag > model.FrozenMs && busy < 500 && back < 100 {
				throttled = append(throttled, s)
			}
		}
		if len(throttled) == 0 {
			continue
		}
		s := throttled[0]
		advance, _ := s.SourceOut().Advance()
		speed := float64(advance) / float64(max(v.GapMs, 1))
		lag, _ := j.Lag(v, s.SourceOut())
		f := catalog.NewFinding("TM503", v)
		f.Operator, f.Confidence = model.HeadName(v), catalog.Likely
		f.HeldBack = j.HeldBack(v, v.MinOut())
		for _, t := range throttled {
			f.AddSubtask(t.Index)
			f.ProveGauge(v, model.SubtaskLabel(t), "watermarkAlignmentDrift", t.AlignmentDrift)
			for _, sp := range t.ActiveSplits()[:min(len(t.ActiveSplits()), 2)] {
				if _, ok := sp.PausedMs.Value(); ok {
					f.ProveGauge(v, "split "+sp.ID, "accumulatedPausedTimeMs", sp.PausedMs)
				}
			}
		}
		f.Summary = fmt.Sprintf("Source %s is %s behind and alignment keeps pausing it: event time gains %.1f s per second with the CPU idle", model.SourceLabel(v), units.Duration(lag), speed)
		if d, ok := j.Declared(v); ok && d.UpdateMs > 0 {
			f.Summary += fmt.Sprintf("; the ceiling is drift / update interval = %.1f s per second", float64(d.DriftMs)/float64(d.UpdateMs))
		}
		f.ProveReading(v, model.SubtaskLabel(s), "currentOutputWatermark", s.SourceOut())
		return []catalog.Finding{f}
	}
	return nil
}
