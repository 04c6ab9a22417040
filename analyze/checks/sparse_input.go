package checks

import (
	"fmt"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM111", Cause: "sparse-input", Title: "A sparse input sets the pace of event time",
	Headline: "{place} sends a record only now and then, and {behind} waits for it",
	Symptom:  6, Severity: catalog.Info, Needs: catalog.Needs(catalog.Plan, catalog.SourceWatermark, catalog.TwoSamples, catalog.RecordsOut),
	Explains:  []catalog.Explains{catalog.Stalls(catalog.Standing), catalog.Delays(catalog.Owed, catalog.Constant, catalog.Unknown)},
	Settled:   true,
	EventTime: true,
	Means:     "An input, subtask or split has few records, and event time stands still between two of them. It advances with the next one. The silence is no longer than usual.",
	Why:       "A minimum advances no more often than its slowest member. Windows close late by up to the distance between two of its records; nothing is lost. Unlike with a silent input (TM102, TM103, TM105), the silence is within three times the mean distance between two records since the start.",
	Fix: catalog.Fix{
		Text:       "Nothing to do if results may wait that long. Otherwise send heartbeats. If the times of this input do not matter (rules, control data), an idle timeout shorter than the distance between its records makes it idle in between; its later records may then be late.",
		DataStream: "// an input whose times do not matter\nWatermarkStrategy.<Rule>forMonotonousTimestamps()\n    .withIdleness(Duration.ofSeconds(10))",
		SQL:        "-- on the sparse table (1.18+)\nWITH ('scan.watermark.idle-timeout' = '10 s')",
	},
	Run: runSparseInput,
})

func runSparseInput(j *model.Job) []catalog.Finding {
	var out []catalog.Finding
	reported := map[*model.Subtask]bool{}
	for _, v := range j.Vertices {
		flows, counted := v.Flows()
		if v.IsSource() || !v.EventTime().Frozen() || !counted || !flows {
			continue
		}
		h := j.HolderOf(v)
		if h.Subtask == nil || !h.Vertex.IsSource() || reported[h.Subtask] {
			continue
		}
		if f, ok := sparseInput(j, v, h); ok {
			reported[h.Subtask] = true
			out = append(out, f)
		}
	}
	return out
}

// sparse is for how long a place has given nothing, and how far apart its records are, ms of wall clock, where
// that silence is its own rhythm.
func sparse(j *model.Job, h model.Holder) (silence, apart int64, ok bool) {
	s := h.Subtask
	if quiet, known := s.Quiet(); known && quiet {
		idle, told := s.SourceIdle.Value()
		if n, counted := s.Records.Value(); told && counted && n > 0 && s.OrdinarySilence(int64(idle)) {
			return int64(idle), s.RunMs / int64(n), true
		}
		if !told { // how far its splits are apart says nothing of a silence that all of them share
			return 0, 0, false
		}
	}
	if h.Split == nil {
		return 0, 0, false
	}
	silence, told := j.SilenceMs(h.Split)
	quiet, known := h.Split.Quiet()
	off, read := h.Split.Offset.Value()
	if !told || !known || !quiet || !read || off < 1 || !h.Split.OrdinarySilence(silence) {
		return 0, 0, false
	}
	return silence, s.RunMs / int64(off+1), true
}

func sparseInput(j *model.Job, held *model.Vertex, h model.Holder) (catalog.Finding, bool) {
	s, src := h.Subtask, h.Vertex
	silence, apart, ok := sparse(j, h)
	if !ok || !s.Out().Frozen() || model.PausedByAlignment(s) {
		return catalog.Finding{}, false
	}
	if n, ok := src.Pending(); ok && n > 0 && h.Split == nil {
		return catalog.Finding{}, false
	}
	f := catalog.NewFinding("TM111", src)
	f.Operator, f.Subtasks = model.HeadName(src), []int{s.Index}
	f.HeldBack = j.HeldBack(src, src.MinOut())
	f.Since(silence)
	which := "source " + model.SourceLabel(src)
	if len(src.Subtasks) > 1 {
		which += fmt.Sprintf(" subtask %d", s.Index)
	}
	if h.Split == nil {
		if splits := s.ActiveSplits(); len(splits) == 1 {
			h.Split = splits[0]
		}
	}
	if h.Split != nil {
		f.Split = h.Split.ID
		which += " split " + f.Split
	}
	f.Summary = fmt.Sprintf("%s waits for the next record of %s, which gives one about every %s: the last came %s ago, event time stands at %s",
		model.QuoteName(held.Name), which, units.Duration(apart), units.Duration(silence), s.Out().Now)
	f.ProveGauge(src, model.SubtaskLabel(s), "numRecordsOut", s.Records)
	if h.Split != nil {
		proveSplit(&f, src, h.Split)
	}
	f.ProveReading(src, model.SubtaskLabel(s), "currentOutputWatermark", s.Out())
	f.ProveReading(held, model.QuoteName(held.Name), "event time", held.EventTime())
	return f, true
}
