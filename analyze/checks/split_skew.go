package checks

import (
	"fmt"

	"tidemark/analyze/catalog"
	"tidemark/analyze/lag"
	"tidemark/analyze/model"
	"tidemark/flinkapi"
	"tidemark/internal/units"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM305", Cause: "split-skew", Title: "One split's event time is far behind its moving siblings",
	Headline: "{place} is far behind the other partitions, and all wait for it",
	Symptom:  5, Severity: catalog.Warning, Needs: catalog.Needs(catalog.Or(catalog.SplitMetrics, catalog.SeveralSubtasks).Apart(), catalog.TwoSamples),
	Explains:  []catalog.Explains{catalog.Delays(catalog.Owed, catalog.Constant)},
	EventTime: true,
	Hides:     []string{"TM306"},
	Means:     "A split advances, but minutes behind the others. The source's watermark is the minimum, so everything waits for that split, and the state of the faster ones grows.",
	Why:       "Typical reasons: a producer or region with delayed data, a partition that is read more slowly. An idle timeout does not help, because the split is active. Unlike with an idle split, the split advances; unlike with a backlog, no records are pending.",
	Fix: catalog.Fix{
		Text:       "Find out what writes to that split. For a backfill, use watermark alignment to bound the state. If one partition has the slow producers, distribute the keys differently.",
		DataStream: "strategy.withWatermarkAlignment(\"orders\", Duration.ofSeconds(30), Duration.ofSeconds(1))",
		SQL:        "WITH ('scan.watermark.alignment.group' = 'orders', 'scan.watermark.alignment.max-drift' = '30 s')",
	},
	Run: runSplitSkew,
})

const skewMinMs = 30_000

func runSplitSkew(j *model.Job) []catalog.Finding {
	var out []catalog.Finding
	for _, v := range j.Sources() {
		e := model.Emitter{Vertex: v}
		if h := v.Head(); h == nil {
			continue
		} else {
			e.Op = h
		}
		if f, ok := splitSkew(j, v, model.Known(e.Spots())); ok {
			out = append(out, f)
		} else if f, ok := sharedSkew(j, v); ok {
			out = append(out, f)
		}
	}
	return out
}

func splitSkew(j *model.Job, v *model.Vertex, spots []model.Spot) (catalog.Finding, bool) {
	var slow, fast model.Spot
	found := false
	for _, p := range spots {
		if late, ok := j.Lag(v, p.Reading); !ok || late < -model.AheadMs {
			continue // ahead of the clock is TM202
		}
		if moved, told := p.Reading.Moved(); told && !moved && !j.ReadsBacklog(p.Subtask) {
			continue
		}
		if !found {
			slow, fast, found = p, p, true
			continue
		}
		if p.Reading.Now.Before(slow.Reading.Now) {
			slow = p
		}
		if fast.Reading.Now.Before(p.Reading.Now) {
			fast = p
		}
	}
	if !found {
		return catalog.Finding{}, false
	}
	a, _ := slow.Reading.Now.Millis()
	b, _ := fast.Reading.Now.Millis()
	skew := b - a
	replay := catchingUp(j, slow)
	if skew < skewMinMs || replay && skew < replaySkewMs || model.NearEpochZero(a) || model.UnitOf(a, j.NowMs) != "" {
		return catalog.Finding{}, false
	}
	if !replay && slow.Subtask.OrdinarySilence(skew) {
		return catalog.Finding{}, false // records come so rarely that their times are this far apart
	}
	f := catalog.NewFinding("TM305", v)
	f.Operator = model.HeadName(v)
	f.Subtasks = []int{slow.Subtask.Index}
	f.HeldBack = j.HeldBack(v, v.MinOut())
	where := fmt.Sprintf("subtask %d", slow.Subtask.Index)
	if slow.Split != nil {
		f.Split = slow.Split.ID
		where += " split " + slow.Split.ID
	} else if n := len(slow.Subtask.ActiveSplits()); n > 1 {
		where += fmt.Sprintf(" (one of its %d splits; this version shows no watermark per split)", n)
		f.Confidence = catalog.Likely
	}
	if _, told := slow.Reading.Moved(); !told {
		f.Severity, f.Confidence = catalog.Info, catalog.Possible // what is wrong with it takes a second sample
		where += " (one sample: it may also stand still)"
	}
	f.Summary = fmt.Sprintf("Source %s %s is %s behind %s in event time: all consumers wait for it", model.SourceLabel(v), where, units.Duration(skew), fast.Label())
	if replay {
		tellReplay(j, v, &f, skew, fast)
	}
	f.Since(skew)
	f.ProveReading(v, slow.Label(), "watermark", slow.Reading)
	f.ProveReading(v, fast.Label(), "watermark", fast.Reading)
	if n, ok := slow.Subtask.Pending.Value(); ok {
		f.Prove(v, model.SubtaskLabel(slow.Subtask), "pendingRecords", units.Number(n))
	}
	return f, true
}

// replaySkewMs is from how far apart on splits of a backlog are more than a matter of which is read first, ms of
// event time.
const replaySkewMs = 60 * 60_000

// tellReplay says what happens when splits are far apart while a backlog is read: the state of the faster ones is
// kept.
func tellReplay(j *model.Job, v *model.Vertex, f *catalog.Finding, skew int64, fast model.Spot) {
	f.Title = "Splits are hours apart while a backlog is read"
	f.Summary += fmt.Sprintf(", and windows of %s keep their state for %s of event time until it has caught up", fast.Label(), units.Duration(skew))
	if size := stateSize(j.Before); size > 0 {
		if now := stateSize(j.Now); now > size {
			f.Summary += "; checkpoints grow"
		}
	}
	if now := stateSize(j.Now); now > 0 {
		text := units.Number(now) + " bytes"
		if size := stateSize(j.Before); size > 0 {
			text = units.Number(size) + " -> " + text
		}
		f.Prove(nil, "latest checkpoint", "state size", text)
	}
	f.Fix.Text = "Align the splits, so that the fast ones wait instead of their windows: watermark alignment bounds how far they are apart, and with it the state. Nothing is lost without it; the state may not fit."
}

// stateSize is that of the latest checkpoint, bytes, 0 where none is known.
func stateSize(s *flinkapi.Sample) float64 {
	if s == nil || s.Checkpoints == nil || s.Checkpoints.Latest.Completed == nil {
		return 0
	}
	return float64(s.Checkpoints.Latest.Completed.StateSize)
}

// sharedSkew is the candidate that gauges before 2.1 cannot tell from a bound: subtasks that read several
// splits, whose records are of ages that reach up to the whole lag.
func sharedSkew(j *model.Job, v *model.Vertex) (catalog.Finding, bool) {
	b, ok := lag.BoundOf(j, v)
	lo, hi, seen := v.EmitLag()
	if n, told := v.Pending(); !ok || b.Declared || b.Upper || b.Ms <= lag.LimitMs || !seen || told && n > 0 || !model.MovedCertainly(v.MinOut()) || !lag.SharedSkew(v, b) {
		return catalog.Finding{}, false
	}
	f := catalog.NewFinding("TM305", v)
	f.Title, f.Confidence = "One split may be far behind its siblings", catalog.Possible
	f.Operator = model.HeadName(v)
	f.HeldBack = j.HeldBack(v, v.MinOut())
	for _, s := range v.Subtasks {
		if len(s.ActiveSplits()) > 1 && len(f.Subtasks) < 8 {
			f.AddSubtask(s.Index)
		}
	}
	f.Summary = fmt.Sprintf("Source %s emits event time %s behind the clock from records that are between %s and %s old: one of several splits of a subtask is that far behind its siblings, or a bound of about %s is in force; this version shows no watermark per split",
		model.SourceLabel(v), units.Duration(b.Ms+int64(lo)), units.Duration(int64(lo)), units.Duration(int64(hi)), units.Duration(b.Ms))
	f.Prove(v, model.SourceLabel(v), "currentEmitEventTimeLag (smallest, largest)", units.Duration(int64(lo))+", "+units.Duration(int64(hi)))
	f.ProveReading(v, model.SourceLabel(v), "currentOutputWatermark (minimum)", v.MinOut())
	f.Fix.Text = "Compare the partitions in the topic itself: tidemark crosscheck names the split that is behind, or the delay in force. " + f.Fix.Text
	return f, true
}

// catchingUp reports a place that is behind only because it cannot read or still reads its backlog: which split a
// reader reads first is arbitrary.
func catchingUp(j *model.Job, p model.Spot) bool {
	age, ok := p.Subtask.EmitLag.Value()
	back, _ := p.Subtask.Backpressured.Value()
	return back >= 500 || j.ReadsBacklog(p.Subtask) && (ok && age > model.FrozenMs || back >= 100)
}
