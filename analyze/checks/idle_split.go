package checks

import (
	"fmt"
	"slices"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/flinkapi"
	"tidemark/internal/units"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM102", Cause: "idle-split", Title: "A silent split holds event time back",
	Headline: "{place} is silent: no window behind {vertex} can fire",
	Symptom:  1, Severity: catalog.Critical, Needs: catalog.Needs(catalog.SourceWatermark, catalog.Or(catalog.SplitMetrics, catalog.KafkaOffsets)),
	Explains:  []catalog.Explains{catalog.Stalls(catalog.Standing, catalog.Never), catalog.Delays(catalog.Owed)},
	Settled:   true,
	EventTime: true,
	Means:     "One split (a Kafka partition) has no records while its siblings advance. A source's watermark is the minimum over its splits, so it stands still or never starts.",
	Why: "Without withIdleness, a silent split stays in the minimum until its next record (WatermarkOutputMultiplexer). From 2.1 on each split shows its own watermark; before 2.1, Kafka's currentOffset of each partition shows which one did not move. A split that is marked idle is not in the minimum and is not reported; if it later has records with older times, they are late. " +
		"The length of the silence distinguishes it from low traffic: at least 30 s (a warning up to 2 min) and three times the mean distance between two records. With a known idle timeout it is that timeout plus 3 emission intervals plus one metric fetch. Where splits have been idle before, a timeout of unknown length is in force, and it is 5 min.",
	Fix: catalog.Fix{
		Text:       "Set an idle timeout longer than the longest ordinary silence, or send a heartbeat record to every partition. Find out why the partition is silent: a key that never occurs, a producer that died.",
		DataStream: "WatermarkStrategy.<Order>forBoundedOutOfOrderness(Duration.ofSeconds(5))\n    .withIdleness(Duration.ofMinutes(1))",
		SQL:        "SET 'table.exec.source.idle-timeout' = '60 s';\n-- or for one table (1.18+): WITH ('scan.watermark.idle-timeout' = '60 s')",
	},
	Hides: []string{"TM604"},
	Run:   runIdleSplit,
})

func runIdleSplit(j *model.Job) []catalog.Finding {
	var out []catalog.Finding
	for _, v := range j.Sources() {
		if quiet, known := v.AllQuiet(); known && quiet || !known && mayAllBeQuiet(j, v) {
			continue // the whole source is quiet: TM105 or TM106
		}
		if !v.NeedsEventTime() {
			continue // nothing waits: TM603
		}
		if f, ok := idleSplits(j, v); ok {
			out = append(out, f)
		}
	}
	return out
}

// mayAllBeQuiet reports a source of which a part could not be read, and behind which no record is seen: that part may
// be as silent as the rest.
func mayAllBeQuiet(j *model.Job, v *model.Vertex) bool {
	return slices.ContainsFunc(j.GapsOf(v), j.Bears) && !slices.ContainsFunc(v.Out, func(e *model.Edge) bool {
		flows, known := e.To.Flows()
		return flows || !known
	})
}

func idleSplits(j *model.Job, v *model.Vertex) (catalog.Finding, bool) {
	var silent []*model.Split
	unsure := false
	for _, s := range v.Subtasks {
		out := s.Out()
		splits := s.ActiveSplits()
		if len(splits) == 0 || !(out.IsNone() || out.Frozen()) || !j.Holds(s, out) || wholeSubtask(s) {
			continue
		}
		found := silentSplits(j, s)
		silent = append(silent, found...)
		if len(found) > 0 && !found[0].Watermark.Now.Readable() && len(splits) > 1 && out.IsNone() && !siblingSpoke(v, s) {
			unsure = true
		}
	}
	silent = slices.DeleteFunc(silent, func(sp *model.Split) bool {
		ms, _ := j.SilenceMs(sp)
		return !never(sp) && sp.OrdinarySilence(ms)
	})
	if len(silent) == 0 {
		return catalog.Finding{}, false
	}
	worst := silent[0]
	for _, sp := range silent {
		if behind(sp, worst) {
			worst = sp
		}
	}
	silence, _ := j.SilenceMs(worst)
	if !j.LongEnough(v, silence) {
		return catalog.Finding{}, false
	}
	f := catalog.NewFinding("TM102", v)
	f.HeldBack = j.HeldBack(v, v.MinOut())
	titleHeld(&f, v)
	f.Split = worst.ID
	f.Operator = model.HeadName(v)
	f.Began(j.Clock(v)-silence, j.Clock(v))
	if _, known := v.AllQuiet(); unsure || !known { // the whole source may be as silent: TM105, TM106
		f.Confidence = catalog.Likely
	}
	if silence < 2*model.QuietMs && !never(worst) {
		f.Severity, f.Confidence = catalog.Warning, catalog.Likely
	}
	f.Summary = fmt.Sprintf("%s of source %s (subtask %d) %s. %s%s",
		catalog.SplitName(worst.ID), model.SourceLabel(v), worst.Subtask.Index, silenceText(j, worst, silence), holdsText(f.HeldBack), othersText(silent))
	for _, sp := range silent {
		f.AddSubtask(sp.Subtask.Index)
	}
	for _, sp := range silent[:min(len(silent), 8)] {
		proveSplit(&f, v, sp)
	}
	f.ProveReading(v, model.SubtaskLabel(worst.Subtask), "currentOutputWatermark", worst.Subtask.Out())
	if m := v.NewestSplit(); m.IsKnown() {
		f.Prove(v, model.SourceLabel(v), "newest event time of its siblings", m)
	}
	return f, true
}

// wholeSubtask reports a subtask of several splits that are all silent: TM103.
func wholeSubtask(s *model.Subtask) bool {
	quiet, known := s.Quiet()
	return known && quiet && len(s.ActiveSplits()) > 1
}

// silentSplits lists the splits of a subtask that hold its minimum and gave nothing.
func silentSplits(j *model.Job, s *model.Subtask) []*model.Split {
	var out []*model.Split
	if j.ReadsBacklog(s) {
		return nil // its records may well be among those that wait
	}
	for _, sp := range s.ActiveSplits() {
		if idle, known := sp.Idle(); known && idle {
			continue
		}
		if paused, known := sp.Paused(); known && paused {
			continue
		}
		if quiet, known := sp.Quiet(); !known || !quiet {
			continue
		}
		w := sp.Watermark
		if ms, known := w.Now.Millis(); known && model.UnitOf(ms, j.NowMs) != "" {
			continue // TM201
		}
		if w.Now.Readable() && !(w.IsNone() || w.Frozen()) {
			continue
		}
		if w.Now.Readable() && s.SourceOut().Now.Before(w.Now) {
			continue // frozen, but ahead of what holds the subtask
		}
		out = append(out, sp)
	}
	return out
}

func never(s *model.Split) bool {
	off, ok := s.Offset.Value()
	return s.Watermark.IsNone() || ok && off < 0 || s.Subtask.Never()
}

// behind orders splits by what holds most: never spoken first, then the oldest event time.
func behind(s *model.Split, o *model.Split) bool {
	if never(s) != never(o) {
		return never(s)
	}
	return s.Watermark.Now.Before(o.Watermark.Now)
}

func siblingSpoke(v *model.Vertex, not *model.Subtask) bool {
	for _, s := range v.Subtasks {
		if s != not && s.Out().Now.IsKnown() {
			return true
		}
	}
	return false
}

func silenceText(j *model.Job, s *model.Split, silence int64) string {
	if never(s) && s.Subtask.RunMs-j.AgeMs(s) > assignedLaterMs {
		return "has sent no record since it was assigned " + units.Duration(silence) + " ago"
	}
	if never(s) {
		return "has sent no record since the job started " + units.Duration(silence) + " ago"
	}
	text := "has sent no record for about " + units.Duration(silence)
	if w := s.Watermark.Now; w.IsKnown() {
		text += "; its watermark stands at " + w.String()
	}
	return text
}

// assignedLaterMs is how much younger than its subtask a split is that was not there from the start: more than a slow
// start takes.
const assignedLaterMs = 30_000

// holdsText names the vertices whose watermark a silent split holds.
func holdsText(held []model.Ref) string {
	var names []string
	for _, v := range held {
		names = append(names, model.QuoteName(v.Name))
	}
	switch len(names) {
	case 0:
		return "It holds the watermark of its source"
	case 1:
		return "It holds the watermark of " + names[0]
	}
	return fmt.Sprintf("It holds the watermark of %d vertices: %s", len(names), catalog.SomeStrings(names))
}

func othersText(silent []*model.Split) string {
	if len(silent) < 2 {
		return ""
	}
	var ids []string
	for _, s := range silent {
		ids = append(ids, s.ID)
	}
	return fmt.Sprintf("; %s are silent in total: %s", catalog.Plural(len(silent), "split"), catalog.SomeStrings(ids))
}

func proveSplit(f *catalog.Finding, v *model.Vertex, s *model.Split) {
	subject := fmt.Sprintf("split %s (subtask %d)", s.ID, s.Subtask.Index)
	if s.Watermark.Now.State() != flinkapi.Absent {
		f.ProveReading(v, subject, "split.currentWatermark", s.Watermark)
	}
	if _, ok := s.Offset.Value(); ok {
		f.ProveGauge(v, subject, "currentOffset", s.Offset)
	}
	if _, ok := s.Subtask.SourceIdle.Value(); ok {
		f.Prove(v, model.SubtaskLabel(s.Subtask), "sourceIdleTime", units.Number(s.Subtask.SourceIdle.Now)+" ms")
	}
}
