package analyze

import (
	"fmt"

	"tidemark/flinkapi"
	"tidemark/internal/units"
)

var _ = register(Check{
	Code: "TM102", Cause: "idle-split", Title: "A silent split holds event time back",
	Symptom: 1, Severity: Critical, Needs: []string{"source output watermark", "split metrics (2.1+) or Kafka offsets"},
	Means: "One split (a Kafka partition) gives no records while its siblings move; a source's watermark is the minimum over its splits, so it stands still or never starts.",
	Why: "Without withIdleness, a split that is quiet stays in the minimum for ever (WatermarkOutputMultiplexer). From 2.1 on each split shows its own watermark; " +
		"before, Kafka's currentOffset per partition tells who did not move. A split marked idle is not in the minimum and is not blamed; when it speaks again with older times, those records are late. " +
		"Low traffic is told apart by the length of the silence: it must be half a minute (a warning until two) and three times the mean distance of two records; with a known idle timeout, timeout + 3 emit intervals + one metric fetch; five minutes where splits have been idle before, since a timeout of unknown length is in force then.",
	Fix: Fix{
		Text:       "Set an idle timeout longer than the longest ordinary silence, or send a heartbeat record to every partition. Find out why the partition is silent: a key that never occurs, a dead producer.",
		DataStream: "WatermarkStrategy.<Order>forBoundedOutOfOrderness(Duration.ofSeconds(5))\n    .withIdleness(Duration.ofMinutes(1))",
		SQL:        "SET 'table.exec.source.idle-timeout' = '60 s';\n-- or for one table (1.18+): WITH ('scan.watermark.idle-timeout' = '60 s')",
	},
	Hides: []string{"TM604"},
	Run:   runIdleSplit,
})

func runIdleSplit(j *Job) []Finding {
	var out []Finding
	for _, v := range j.Sources() {
		if quiet, known := v.allQuiet(); known && quiet {
			continue // the whole source is quiet: TM105 or TM106
		}
		if f, ok := idleSplits(j, v); ok {
			out = append(out, f)
		}
	}
	return out
}

func idleSplits(j *Job, v *Vertex) (Finding, bool) {
	var silent []*Split
	unsure := false
	for _, s := range v.Subtasks {
		out := s.Out()
		splits := s.activeSplits()
		if len(splits) == 0 || !(out.IsNone() || out.Frozen()) || !j.holds(s, out) || wholeSubtask(s) {
			continue
		}
		found := silentSplits(j, s)
		silent = append(silent, found...)
		if len(found) > 0 && !found[0].Watermark.Now.Readable() && len(splits) > 1 && out.IsNone() && !siblingSpoke(v, s) {
			unsure = true
		}
	}
	if len(silent) == 0 {
		return Finding{}, false
	}
	worst := silent[0]
	for _, sp := range silent {
		if sp.behind(worst) {
			worst = sp
		}
	}
	silence, _ := j.SilenceMs(worst)
	if !j.longEnough(v, silence) || !worst.never() && worst.Subtask.ordinarySilence(silence) {
		return Finding{}, false
	}
	f := newFinding("TM102", v)
	f.HeldBack = j.heldBack(v, v.MinOut())
	f.Split = worst.ID
	f.Operator = headName(v)
	f.since(silence)
	if _, known := v.allQuiet(); unsure || !known { // the whole source may be as silent: TM105, TM106
		f.Confidence = Likely
	}
	if silence < 2*quietMs && !worst.never() {
		f.Severity, f.Confidence = Warning, Likely
	}
	f.Summary = fmt.Sprintf("%s: source %s subtask %d waits for split %s (%s)%s",
		without(f.HeldBack, v, v.MinOut()), sourceLabel(v), worst.Subtask.Index, worst.ID, silenceText(worst, silence), othersText(silent))
	for _, sp := range silent {
		f.addSubtask(sp.Subtask.Index)
	}
	for _, sp := range silent[:min(len(silent), 8)] {
		f.proveSplit(v, sp)
	}
	f.proveReading(v, subtaskLabel(worst.Subtask), "currentOutputWatermark", worst.Subtask.Out())
	if m := v.newestSplit(); m.IsKnown() {
		f.prove(v, sourceLabel(v), "newest event time of its siblings", m)
	}
	return f, true
}

// wholeSubtask reports a subtask of several splits that are all silent: TM103.
func wholeSubtask(s *Subtask) bool {
	quiet, known := s.Quiet()
	return known && quiet && len(s.activeSplits()) > 1
}

// silentSplits lists the splits of a subtask that hold its minimum and gave nothing.
func silentSplits(j *Job, s *Subtask) []*Split {
	var out []*Split
	if j.readsBacklog(s) {
		return nil // its records may well be among those that wait
	}
	for _, sp := range s.activeSplits() {
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
		if w.Now.Readable() && !(w.IsNone() || w.Frozen()) {
			continue
		}
		if w.Now.Readable() && s.Out().Now.Before(w.Now) {
			continue // frozen, but ahead of what holds the subtask
		}
		out = append(out, sp)
	}
	return out
}

func (s *Split) never() bool {
	off, ok := s.Offset.Value()
	return s.Watermark.IsNone() || ok && off < 0 || s.Subtask.Never()
}

// behind orders splits by what holds most: never spoken first, then the oldest event time.
func (s *Split) behind(o *Split) bool {
	if s.never() != o.never() {
		return s.never()
	}
	return s.Watermark.Now.Before(o.Watermark.Now)
}

func siblingSpoke(v *Vertex, not *Subtask) bool {
	for _, s := range v.Subtasks {
		if s != not && s.Out().Now.IsKnown() {
			return true
		}
	}
	return false
}

func silenceText(s *Split, silence int64) string {
	if s.never() {
		return "no record since start, " + units.Duration(silence) + " ago"
	}
	text := "no record for about " + units.Duration(silence)
	if w := s.Watermark.Now; w.IsKnown() {
		text += ", event time stands at " + w.String()
	}
	return text
}

func othersText(silent []*Split) string {
	if len(silent) < 2 {
		return ""
	}
	var ids []string
	for _, s := range silent {
		ids = append(ids, s.ID)
	}
	return fmt.Sprintf("; %s are silent in all: %s", plural(len(silent), "split"), someStrings(ids))
}

func headName(v *Vertex) string {
	if h := v.Head(); h != nil {
		return h.Name
	}
	return ""
}

func (f *Finding) addSubtask(i int) {
	for _, have := range f.Subtasks {
		if have == i {
			return
		}
	}
	f.Subtasks = append(f.Subtasks, i)
}

func (f *Finding) proveSplit(v *Vertex, s *Split) {
	subject := fmt.Sprintf("split %s (subtask %d)", s.ID, s.Subtask.Index)
	if s.Watermark.Now.State() != flinkapi.Absent {
		f.proveReading(v, subject, "split.currentWatermark", s.Watermark)
	}
	if _, ok := s.Offset.Value(); ok {
		f.proveGauge(v, subject, "currentOffset", s.Offset)
	}
	if _, ok := s.Subtask.SourceIdle.Value(); ok {
		f.prove(v, subtaskLabel(s.Subtask), "sourceIdleTime", formatNumber(s.Subtask.SourceIdle.Now)+" ms")
	}
}
