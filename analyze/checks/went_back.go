package checks

import (
	"fmt"
	"math"
	"slices"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM112", Cause: "records-went-back", Title: "Records are older than those before them: the watermark stands until they have caught up",
	Headline: "{vertex} reads records that are older than those before them: its watermark stands until they have caught up",
	Symptom:  1, Severity: catalog.Critical, Needs: catalog.Needs(catalog.TwoSamples, catalog.SourceWatermark, catalog.EmitLag, catalog.KafkaOffsets),
	Explains:  []catalog.Explains{catalog.Stalls(catalog.Standing), catalog.Delays(catalog.Owed, catalog.Constant, catalog.Unknown)},
	Settled:   true,
	EventTime: true,
	Means:     "A split still has records, but their event times went back behind its watermark. A watermark never goes back: it stands until event time has passed it again, and until then every such record is late.",
	Why: "Offsets rise, the watermark does not, and the records emitted at both samples are older than the watermark. Typical reasons: a producer that replays or whose clock was set back, a mirror that started again, offsets that were reset. " +
		"Unlike with disorder, the watermark does not advance at all. Unlike with a generator that stopped (TM110), the records are behind the watermark, not ahead of it. Unlike with a silent split (TM102), the offset rises.",
	Fix: catalog.Fix{
		Text: "Find what writes old times: a producer that replays or whose clock was set back, a mirror that started again. The watermark advances again once event time has passed it. " +
			"To get results for the old records, read them with a separate job, or restart this job from earlier offsets without its state.",
		DataStream: "// a separate job for the old records\nKafkaSource.<Order>builder().setStartingOffsets(OffsetsInitializer.timestamp(fromMs))…",
		SQL:        "/*+ OPTIONS('scan.startup.mode' = 'timestamp', 'scan.startup.timestamp-millis' = '…') */",
	},
	Hides: []string{"TM110", "TM301", "TM306"},
	Run:   runWentBack,
})

func runWentBack(j *model.Job) []catalog.Finding {
	var out []catalog.Finding
	known, _, _ := resumedBelow(j)
	for _, v := range j.Sources() {
		if v == known {
			continue // FLINK-40504: it was idle before, and stays so for who waits
		}
		var all []backwards
		var proven []*model.Subtask
		for _, s := range v.Subtasks {
			if b, ok := wentBack(j, s); ok {
				all, proven = append(all, b), append(proven, s)
			}
		}
		for _, s := range standingWith(j, v, proven) { // with too few records for a proof
			all = append(all, backwards{subtask: s})
		}
		if len(all) > 0 {
			out = append(out, wentBackFinding(j, v, all))
		}
	}
	return out
}

// backwards is a subtask whose newest records are behind its watermark.
type backwards struct {
	subtask *model.Subtask
	splits  []*model.Split // the ones that went back; none before 2.1, where several are read
	byMs    int64          // by how much, event time; 0 = no record of theirs was seen
}

const (
	wentBackMs      = 10_000 // more than two records of one split may be apart while its watermark stands, event time
	wentBackRecords = 10     // too many to be late by chance
	wentBackFew     = 3      // enough where the watermark has stood for long, and the records of both samples are older
)

// wentBack looks for a subtask whose watermark stands while its splits give records that are older than it.
func wentBack(j *model.Job, s *model.Subtask) (b backwards, ok bool) {
	v, out := s.Vertex, s.SourceOut()
	back, _ := s.Backpressured.Value()
	if !out.Frozen() || back >= jammed || model.PausedByAlignment(s) || v.GapMs <= 3*j.EmitIntervalMs() || v.FetchedMs == 0 || !j.Holds(s, s.Out()) {
		return b, false
	}
	mark, _ := out.Now.Millis()
	ms, known := j.Lag(v, out)
	if !known || ms < -model.AheadMs || model.NearEpochZero(mark) {
		return b, false // ahead of the clock: a record from the future (TM202)
	}
	// The record that a sample shows may be of another split.
	behind := func(at int64, age float64) float64 { return float64(mark-at) + age }
	before, now := behind(v.FetchedMs-v.GapMs, s.EmitLag.Before), behind(v.FetchedMs, s.EmitLag.Now)
	enough := float64(wentBackRecords)
	if ms >= model.QuietMs && min(before, now) >= wentBackMs {
		enough = wentBackFew
	}
	b.subtask = s
	splits, told := s.ActiveSplits(), model.SplitsTellWatermarks(v)
	for _, sp := range splits {
		n, counted := sp.Offset.Rise()
		if !counted && len(splits) == 1 {
			n, counted = s.Records.Rise()
		}
		switch flows := counted && n >= enough; {
		case flows && (sp.Watermark.Frozen() || len(splits) == 1):
			b.splits = append(b.splits, sp)
		case !flows && (!told || sp.Watermark.Frozen()):
			return b, false // it may hold the watermark itself: TM102
		}
	}
	if len(splits) == 0 || told && len(b.splits) == 0 {
		return b, false
	}
	by := math.Max(before, now)
	if by >= wentBackMs && model.UnitOf(mark-int64(by), v.FetchedMs) == "" {
		b.byMs = int64(by)
		return b, true
	}
	return b, told && len(b.splits) < len(splits)
}

func wentBackFinding(j *model.Job, v *model.Vertex, all []backwards) catalog.Finding {
	f := catalog.NewFinding("TM112", v)
	f.Operator, f.Confidence = model.HeadName(v), catalog.Likely
	f.HeldBack = j.HeldBack(v, v.MinOut())
	by, splits := int64(0), []*model.Split(nil)
	for _, b := range all {
		f.Subtasks = append(f.Subtasks, b.subtask.Index)
		by, splits = max(by, b.byMs), append(splits, b.splits...)
		f.ProveReading(v, model.SubtaskLabel(b.subtask), "currentOutputWatermark", b.subtask.SourceOut())
		f.Prove(v, model.SubtaskLabel(b.subtask), "currentEmitEventTimeLag", bothValues(b.subtask.EmitLag))
		for _, sp := range b.splits[:min(len(b.splits), 4)] {
			f.ProveGauge(v, "split "+sp.ID, "currentOffset", sp.Offset)
		}
	}
	slices.Sort(f.Subtasks)
	place, give := catalog.Plural(len(splits), "split"), "give"
	switch {
	case len(splits) == 1:
		f.Split = splits[0].ID
		place, give = "split "+f.Split, "gives"
	case len(splits) == 0:
		place = "splits of subtask " + catalog.SomeInts(f.Subtasks)
		if len(f.Subtasks) > 1 {
			place = "splits of subtasks " + catalog.SomeInts(f.Subtasks)
		}
	}
	f.Summary = fmt.Sprintf("%s: %s of source %s %s records that are up to %s older than its watermark, which stands at %s and advances again when event time has passed it. Until then they are late",
		catalog.Without(f.HeldBack, v, v.MinOut()), place, model.SourceLabel(v), give, units.Duration(by), v.MinOut().Now)
	if by == 0 {
		f.Confidence = catalog.Possible
		f.Summary = fmt.Sprintf("%s: %s of source %s %s records, and event time there stands at %s while its siblings advance: these records are older than those before them, or the generator has stopped emitting",
			catalog.Without(f.HeldBack, v, v.MinOut()), place, model.SourceLabel(v), give, v.MinOut().Now)
	}
	return f
}
