package checks

import (
	"fmt"

	"tidemark/analyze/catalog"
	"tidemark/analyze/fix"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM501", Cause: "alignment-stall", Title: "Watermark alignment has stopped reading",
	Headline: "{vertex} is stopped by watermark alignment",
	Symptom:  5, Severity: catalog.Critical, Needs: catalog.Needs(catalog.Or(catalog.AlignmentDrift, catalog.SplitPauses.As("split pause metrics")), catalog.TwoSamples),
	Explains: []catalog.Explains{catalog.Stalls(catalog.Standing, catalog.Never), catalog.Delays(catalog.Owed)},
	Means:    "Alignment has paused source subtasks (their watermark is above the announced maximum) and does not resume them: a member of the group does not advance, or the announcement itself is stuck.",
	Why:      "The group's maximum is its smallest reported watermark plus the drift. A member that is silent without being idle, finished or lost keeps the maximum where it is. A paused source looks idle, not backpressured; it is recognised by a positive watermarkAlignmentDrift and paused splits. Known bugs have the same effect: FLINK-37670 (1.19.2 to 1.20.1, 2.0.0), FLINK-35157, FLINK-32414, FLINK-40093 (2.1.2, 2.1.3, 2.2.1, 2.3.0).",
	Fix: catalog.Fix{
		Text:       "Give every member of the group an idle timeout that is shorter than the wait you accept. Take sources that may be silent out of the group. Upgrade to a version without the listed bugs.",
		DataStream: "strategy.withIdleness(Duration.ofSeconds(30)).withWatermarkAlignment(\"g\", Duration.ofMinutes(1), Duration.ofSeconds(1))",
		SQL:        "WITH ('scan.watermark.idle-timeout' = '30 s', 'scan.watermark.alignment.max-drift' = '1 min', …)",
	},
	Hides: []string{"TM103", "TM105", "TM106", "TM305", "TM304"},
	Run:   runAlignmentStall,
})

func runAlignmentStall(j *model.Job) []catalog.Finding {
	var stalled []*model.Subtask
	for _, s := range j.AlignedSubtasks() {
		quiet, known := s.Quiet()
		if known && quiet && model.PausedByAlignment(s) && !s.Out().IsNone() && !model.MovedCertainly(s.Out()) && j.Compared() {
			stalled = append(stalled, s)
		}
	}
	if len(stalled) == 0 {
		return nil
	}
	first := stalled[0]
	v := first.Vertex
	f := catalog.NewFinding("TM501", v)
	f.Operator = model.HeadName(v)
	f.HeldBack = j.HeldBack(v, v.MinOut())
	for _, s := range stalled {
		if s.Vertex == v {
			f.AddSubtask(s.Index)
		}
		if len(f.Evidence) < 8 {
			f.ProveGauge(s.Vertex, model.SubtaskLabel(s), "watermarkAlignmentDrift", s.AlignmentDrift)
		}
		if n, ok := s.Pending.Value(); ok && n > 0 && len(f.Evidence) < 8 {
			f.Prove(s.Vertex, model.SubtaskLabel(s), "pendingRecords", units.Number(n))
		}
	}
	says := "%s of %s reads nothing: alignment pauses it"
	if len(stalled) != 1 {
		says = "%s of %s read nothing: alignment pauses them"
	}
	f.Summary = fmt.Sprintf(says, catalog.Plural(len(stalled), "source subtask"), model.SourceLabel(v))
	if h := alignmentHolder(j, stalled); h != nil {
		f.Summary += fmt.Sprintf("; the group waits for source %s subtask %d at %s", model.SourceLabel(h.Vertex), h.Index, model.Describe(h.SourceOut().Now))
		if sp := h.MinSplit(); sp != nil {
			f.Split = sp.ID
			f.Summary += " (split " + sp.ID + ")"
		}
		f.ProveReading(h.Vertex, model.SubtaskLabel(h), "currentOutputWatermark", h.SourceOut())
		f.Fix = fix.Idle(j, h.Vertex)
		f.Fix.Text += " Or take a source that may be silent out of the group."
	} else {
		f.Confidence = catalog.Likely
		f.Summary += "; no member is behind them, so the announcement itself is stuck (a coordinator bug, or a member that was lost)"
	}
	return []catalog.Finding{f}
}

// alignmentHolder is the source subtask whose watermark keeps the group's maximum down: not paused
// itself, and below the announced maximum.
func alignmentHolder(j *model.Job, stalled []*model.Subtask) *model.Subtask {
	top, ok := model.MaxAllowed(stalled[0])
	if !ok {
		return nil
	}
	var best *model.Subtask
	for _, v := range j.Sources() {
		for _, s := range v.Subtasks {
			out := s.SourceOut()
			ms, known := out.Now.Millis()
			if model.PausedByAlignment(s) || model.MovedCertainly(out) || out.IsNone() && len(s.Splits) == 0 && v.NamesSplits() {
				continue
			}
			if out.IsNone() || known && ms <= top {
				if best == nil || out.Now.Before(best.SourceOut().Now) {
					best = s
				}
			}
		}
	}
	return best
}
