package checks

import (
	"fmt"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM103", Cause: "idle-subtask", Title: "A source subtask without records holds event time back",
	Headline: "{place} gets no records: no window behind it can fire",
	Symptom:  1, Severity: catalog.Critical, Needs: catalog.Needs(catalog.SourceWatermark, catalog.RecordsOut),
	Explains:  []catalog.Explains{catalog.Stalls(catalog.Standing, catalog.Never), catalog.Delays(catalog.Owed)},
	Settled:   true,
	EventTime: true,
	Means:     "A subtask that assigns watermarks gets no records while its siblings do: all splits of a source subtask are silent, or the subtask is silent and its splits cannot be named, or nothing reaches a subtask of an assigner.",
	Why:       "A vertex takes the minimum over all upstream channels. A channel that never sent a watermark, or that stands still without being idle, holds it (StatusWatermarkValve). If splits are visible and exactly one is silent, TM102 names it. If siblings show splits and this subtask shows none, see TM104 or TM109.",
	Fix: catalog.Fix{
		Text:       "Set an idle timeout, or find out why these splits are silent.",
		DataStream: "strategy.withIdleness(Duration.ofMinutes(1))",
		SQL:        "SET 'table.exec.source.idle-timeout' = '60 s'",
	},
	Hides: []string{"TM604"},
	Run:   runIdleSubtask,
})

func runIdleSubtask(j *model.Job) []catalog.Finding {
	var out []catalog.Finding
	for _, v := range j.Sources() {
		if quiet, known := v.AllQuiet(); !known || quiet || !v.NeedsEventTime() {
			continue
		}
		var silent []*model.Subtask
		for _, s := range v.Subtasks {
			out := s.Out()
			splits := len(s.ActiveSplits())
			if quiet, known := s.Quiet(); known && quiet && (out.IsNone() || out.Frozen()) && (splits > 1 || splits == 0 && !v.NamesSplits()) && j.Holds(s, out) && !idleOrPaused(s) {
				silent = append(silent, s)
			}
		}
		if len(silent) > 0 {
			if f, ok := idleSubtasks(j, v, silent); ok {
				out = append(out, f)
			}
		}
	}
	for _, v := range j.Vertices {
		if f, ok := idleAssigner(j, v); ok {
			out = append(out, f)
		}
	}
	return out
}

func idleSubtasks(j *model.Job, v *model.Vertex, silent []*model.Subtask) (catalog.Finding, bool) {
	worst := silent[0]
	for _, s := range silent {
		if s.Out().Now.Before(worst.Out().Now) {
			worst = s
		}
	}
	silence, ok := worst.SourceIdle.Value()
	if !ok {
		silence = float64(j.UptimeMs)
		if worst.RunMs > 0 {
			silence = min(silence, float64(worst.RunMs))
		}
	}
	if !j.LongEnough(v, int64(silence)) || newestKnown(v) == 0 || !worst.Never() && worst.OrdinarySilence(int64(silence)) {
		return catalog.Finding{}, false
	}
	f := catalog.NewFinding("TM103", v)
	f.Operator = model.HeadName(v)
	f.HeldBack = j.HeldBack(v, v.MinOut())
	titleHeld(&f, v)
	f.Began(j.Clock(v)-int64(silence), j.Clock(v))
	for _, s := range silent {
		f.Subtasks = append(f.Subtasks, s.Index)
	}
	which := "its split cannot be named: this version or connector shows no split metrics"
	if ids := splitIDs(worst); len(ids) > 0 {
		which = fmt.Sprintf("all of its %d splits are silent: %s", len(ids), catalog.SomeStrings(ids))
		f.Split = ids[0]
	} else {
		f.Confidence = catalog.Likely
	}
	f.Summary = fmt.Sprintf("%s: source %s subtask %d has emitted no record for %s; %s",
		catalog.Without(f.HeldBack, v, v.MinOut()), model.SourceLabel(v), worst.Index, units.Duration(int64(silence)), which)
	if worst.Never() && splitIDs(worst) == nil && emptySubtaskConfidence(j, v) == catalog.Possible {
		f.Severity, f.Confidence = catalog.Warning, catalog.Possible
		f.Summary += ". Something else keeps its consumers from event time; whether this subtask is declared idle does not show"
	}
	for _, s := range silent[:min(len(silent), 8)] {
		f.ProveReading(v, model.SubtaskLabel(s), "currentOutputWatermark", s.Out())
		f.ProveGauge(v, model.SubtaskLabel(s), "numRecordsOut", s.Records)
	}
	return f, true
}

func newestKnown(v *model.Vertex) int64 {
	ms, _ := v.NewestSplit().Millis()
	return ms
}

func splitIDs(s *model.Subtask) []string {
	var ids []string
	for _, sp := range s.ActiveSplits() {
		ids = append(ids, sp.ID)
	}
	return ids
}

func idleOrPaused(s *model.Subtask) bool {
	for _, sp := range s.ActiveSplits() {
		if idle, known := sp.Idle(); known && idle {
			return true
		}
		if paused, known := sp.Paused(); known && paused {
			return true
		}
	}
	return false
}
