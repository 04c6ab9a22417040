package checks

import (
	"fmt"
	"slices"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM110", Cause: "generator-stopped", Title: "Every split gives records, and the watermark stands",
	Headline: "{vertex} reads from every partition, but its watermark stands still",
	Symptom:  1, Severity: catalog.Critical, Needs: catalog.Needs(catalog.TwoSamples, catalog.SourceWatermark, catalog.Or(catalog.SplitMetrics, catalog.KafkaOffsets)),
	Explains:  []catalog.Explains{catalog.Stalls(catalog.Standing), catalog.Delays(catalog.Owed, catalog.Constant, catalog.Unknown)},
	Settled:   true,
	EventTime: true,
	Means:     "A source subtask reads from all of its splits, its records are fresh, and its watermark has stood still for a minute or more. No split is silent: the generator has stopped emitting.",
	Why: "A custom generator that emits for certain records only, waits for a condition, or failed to reset its state stops event time as a silent split does. An idle timeout does not help, because the split is active. " +
		"Unlike with an idle split (TM102), the offsets of all splits rise; unlike with old data, the records are fresh. Three other causes look the same: a record from the future until the others have caught up with it, before 2.1 a split whose times are far behind its siblings, and a table whose time column does not change.",
	Fix: catalog.Fix{
		Text:       "Emit from the largest time seen, in onPeriodicEmit or for every record, as Flink's own generators do. Find out what the generator waits for.",
		DataStream: "public void onEvent(Trade t, long ts, WatermarkOutput out) { max = Math.max(max, ts); }\npublic void onPeriodicEmit(WatermarkOutput out) {\n    out.emitWatermark(new Watermark(max - delayMs - 1));\n}",
		SQL:        "WATERMARK FOR ts AS ts - INTERVAL '5' SECOND   -- on the column that says when it happened",
	},
	Hides: []string{"TM301", "TM306"},
	Run:   runGeneratorStopped,
})

func runGeneratorStopped(j *model.Job) []catalog.Finding {
	var out []catalog.Finding
	for _, v := range j.Sources() {
		if f, ok := generatorStopped(j, v); ok {
			out = append(out, f)
		}
	}
	return out
}

func generatorStopped(j *model.Job, v *model.Vertex) (catalog.Finding, bool) {
	var stopped []*model.Subtask
	longest := int64(0)
	for _, s := range v.Subtasks {
		if ms, ok := standsThoughAllRead(j, s); ok && j.Holds(s, s.Out()) {
			stopped = append(stopped, s)
			longest = max(longest, ms)
		}
	}
	if len(stopped) == 0 {
		return catalog.Finding{}, false
	}
	proven := stopped
	stopped = append(stopped, standingWith(j, v, proven)...)
	f := catalog.NewFinding("TM110", v)
	f.Operator, f.Confidence = model.HeadName(v), catalog.Likely
	f.HeldBack = j.HeldBack(v, v.MinOut())
	seen := v.GapMs // between the fetches; how far it is behind the records is event time
	if j.UptimeMs > 0 {
		seen = min(seen, j.UptimeMs)
	}
	f.Since(seen)
	for _, s := range stopped {
		f.Subtasks = append(f.Subtasks, s.Index)
	}
	slices.Sort(f.Subtasks)
	which, reads := "subtask "+catalog.SomeInts(f.Subtasks), "reads from all of its splits"
	switch {
	case len(proven) < len(stopped):
		which, reads = "subtasks "+catalog.SomeInts(f.Subtasks), fmt.Sprintf("read, %d of them from all of their splits", len(proven))
	case len(stopped) > 1:
		which, reads = "subtasks "+catalog.SomeInts(f.Subtasks), "read from all of their splits"
	}
	f.Summary = fmt.Sprintf("%s: source %s %s %s, and the watermark stands at %s, %s behind the records: ",
		catalog.Without(f.HeldBack, v, v.MinOut()), model.SourceLabel(v), which, reads, stopped[0].Out().Now, units.Duration(longest))
	if v.IsSQLScan() {
		f.Confidence = catalog.Possible
		f.Fix = rowsFix
		f.Summary += "the rows are older than those before them, or their time column does not change"
	} else {
		f.Summary += "the generator has stopped emitting. A record from the future, a split whose times are far behind, or a very long emit interval would look the same"
		if !model.SplitsTellWatermarks(v) && len(stopped[0].ActiveSplits()) > 1 && lateBehind(v) {
			f.Confidence = catalog.Possible
			f.Summary += ". Records behind it are older than the standing watermark, and dropped: rather one of its splits is in another unit, or far behind"
		}
	}
	for _, s := range stopped[:min(len(stopped), 4)] {
		f.ProveReading(v, model.SubtaskLabel(s), "currentOutputWatermark", s.Out())
		f.ProveGauge(v, model.SubtaskLabel(s), "numRecordsOut", s.Records)
		f.Prove(v, model.SubtaskLabel(s), "currentEmitEventTimeLag", bothValues(s.EmitLag))
		for _, sp := range s.ActiveSplits()[:min(len(s.ActiveSplits()), 4)] {
			f.ProveGauge(v, "split "+sp.ID, "currentOffset", sp.Offset)
		}
	}
	return f, true
}

// rowsFix is for a table: its watermark is computed from each row, and no generator can stop.
var rowsFix = catalog.Fix{
	Text: "Compare the times of the newest rows with the watermark. A producer that replays, or whose clock was set back, writes older ones; a column that is set once, such as a creation date, does not change.",
	SQL:  "SELECT MIN(ts), MAX(ts) FROM orders /*+ OPTIONS('scan.startup.mode' = 'latest-offset') */",
}

// standingWith lists the subtasks that hold the watermark where the proven ones do, without a proof of their own.
func standingWith(j *model.Job, v *model.Vertex, proven []*model.Subtask) []*model.Subtask {
	var more []*model.Subtask
	for _, s := range v.Subtasks {
		if !slices.Contains(proven, s) && standsWith(proven, s) && j.Holds(s, s.Out()) {
			more = append(more, s)
		}
	}
	return more
}

// standsWith reports a subtask that reads, of which of its splits is not shown, and that stands where the generator
// of its siblings stopped.
func standsWith(proven []*model.Subtask, s *model.Subtask) bool {
	own, known := s.SourceOut().Now.Millis()
	rise, told := s.Records.Rise()
	return known && told && rise > 0 && s.SourceOut().Frozen() && slices.ContainsFunc(proven, func(p *model.Subtask) bool {
		at, _ := p.SourceOut().Now.Millis()
		return max(own-at, at-own) < model.QueueMinMs
	})
}

// emittedAfter is so many records that a watermark was due for one of them: the last may have come a moment ago.
const emittedAfter = 2

// standsThoughAllRead is how far a subtask's watermark has fallen behind the records it reads, where each
// of its splits gave some between two fetches and the watermark did not move.
func standsThoughAllRead(j *model.Job, s *model.Subtask) (ms int64, ok bool) {
	out := s.SourceOut()
	splits := s.ActiveSplits()
	back, _ := s.Backpressured.Value()
	if !out.Frozen() || len(splits) == 0 || back >= jammed || model.PausedByAlignment(s) || s.Vertex.GapMs <= 3*j.EmitIntervalMs() {
		return 0, false
	}
	for _, sp := range splits {
		quiet, known := sp.Quiet()
		n, counted := sp.Offset.Rise()
		if !known || quiet || counted && n < emittedAfter || model.MovedCertainly(sp.Watermark) {
			return 0, false
		}
	}
	age, known := s.EmitLag.Value()
	lag, late := j.Lag(s.Vertex, out)
	if own, _ := out.Now.Millis(); !known || !late || age < -model.AheadMs || model.NearEpochZero(own) { // time 0: TM205
		return 0, false
	}
	ms = lag - int64(max(age, 0))
	return ms, ms >= model.QuietMs
}
