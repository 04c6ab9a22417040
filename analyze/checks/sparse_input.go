package checks

import (
	"fmt"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM111", Cause: "sparse-input", Title: "A sparse input sets the pace of event time",
	Try:     "idle-timeout=10s",
	Symptom: 6, Severity: catalog.Info, Needs: catalog.Needs(catalog.Plan, catalog.SourceWatermark, catalog.TwoSamples, catalog.RecordsOut),
	Explains:  []catalog.Explains{catalog.Stalls(catalog.Standing), catalog.Delays(catalog.Owed, catalog.Constant, catalog.Unknown)},
	Settled:   true,
	EventTime: true,
	Means:     "Event time stands between two records of an input, subtask or split that gives few: it moves on with the next one. Its silence is no longer than it usually is.",
	Why: "A minimum moves no more often than its rarest member. Windows behind it close late by up to the distance of two of its records; nothing is lost. " +
		"Told from a silent input (TM102, TM103, TM105) by the rhythm: the silence is within three times the mean distance of two records since the start.",
	Fix: catalog.Fix{
		Text:       "Nothing to do if results may wait that long. Else send heartbeats, or declare the sparse input idle between its records: an idle timeout shorter than their distance, if its times do not matter (rules, control data); records of it that come later may then be late.",
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
		s := j.HolderOf(v).Subtask
		if s == nil || !s.Vertex.IsSource() || reported[s] {
			continue
		}
		if f, ok := sparseInput(j, v, s); ok {
			reported[s] = true
			out = append(out, f)
		}
	}
	return out
}

func sparseInput(j *model.Job, held *model.Vertex, s *model.Subtask) (catalog.Finding, bool) {
	src := s.Vertex
	quiet, known := s.Quiet()
	if idle, told := s.SourceIdle.Value(); !known || !quiet || !told || !s.Out().Frozen() || !s.OrdinarySilence(int64(idle)) || model.PausedByAlignment(s) {
		return catalog.Finding{}, false
	}
	if n, ok := src.Pending(); ok && n > 0 {
		return catalog.Finding{}, false
	}
	silence := int64(s.SourceIdle.Now)
	n, _ := s.Records.Value()
	f := catalog.NewFinding("TM111", src)
	f.Operator, f.Subtasks = model.HeadName(src), []int{s.Index}
	f.HeldBack = j.HeldBack(src, src.MinOut())
	f.Since(silence)
	which := "source " + model.SourceLabel(src)
	if len(src.Subtasks) > 1 {
		which += fmt.Sprintf(" subtask %d", s.Index)
	}
	if splits := s.ActiveSplits(); len(splits) == 1 {
		f.Split = splits[0].ID
		which += " split " + f.Split
	}
	f.Summary = fmt.Sprintf("%s waits for the next record of %s, which gives one about every %s: the last came %s ago, event time stands at %s",
		model.QuoteName(held.Name), which, units.Duration(s.RunMs/int64(n)), units.Duration(silence), s.Out().Now)
	f.ProveGauge(src, model.SubtaskLabel(s), "numRecordsOut", s.Records)
	f.Prove(src, model.SubtaskLabel(s), "sourceIdleTime", bothValues(s.SourceIdle))
	f.ProveReading(src, model.SubtaskLabel(s), "currentOutputWatermark", s.Out())
	f.ProveReading(held, model.QuoteName(held.Name), "event time", held.EventTime())
	return f, true
}
