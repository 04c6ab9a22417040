package checks

import (
	"fmt"
	"math"

	"tidemark/analyze/catalog"
	"tidemark/analyze/lag"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM305", Cause: "split-skew", Title: "One split's event time is far behind its moving siblings",
	Symptom: 5, Severity: catalog.Warning, Needs: []string{"split metrics (2.1+), or several source subtasks", "two samples"},
	Explains:  []catalog.Explains{catalog.Delays(catalog.Owed, catalog.Constant, catalog.Unknown)},
	EventTime: true,
	Means:     "A split moves, but minutes behind the others; the source's watermark is the minimum, so everything waits for that split, and state piles up for the fast ones.",
	Why: "A producer or region with delayed data, or a partition that is read more slowly. Idleness cannot help, since the split is active. " +
		"Told from an idle split by its movement, and from a backlog by no records pending.",
	Fix: catalog.Fix{
		Text:       "Find what writes to that split; for a backfill use watermark alignment to bound the state, and rebalance keys if one partition carries the slow producers.",
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
		f, ok := splitSkew(j, v, model.Known(e.Spots()))
		if !ok {
			f, ok = hiddenSkew(j, v)
		}
		if ok {
			out = append(out, f)
		}
	}
	return out
}

func splitSkew(j *model.Job, v *model.Vertex, spots []model.Spot) (catalog.Finding, bool) {
	var slow, fast model.Spot
	found := false
	for _, p := range spots {
		if ms, ok := j.Lag(v, p.Reading); !ok || ms < -model.AheadMs {
			continue // ahead of the clock is TM202
		}
		if moved, told := p.Reading.Moved(); told && !moved {
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
	if skew < skewMinMs || catchingUp(j, slow) || model.NearEpochZero(a) || model.UnitOf(a, j.NowMs) != "" {
		return catalog.Finding{}, false
	}
	if slow.Subtask.OrdinarySilence(skew) {
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
		f.Confidence = catalog.Possible
		where += " (one sample: it may also stand still)"
	}
	f.Summary = fmt.Sprintf("Source %s %s is %s behind %s in event time: all consumers wait for it", model.SourceLabel(v), where, units.Duration(skew), fast.Label())
	f.Since(skew)
	f.ProveReading(v, slow.Label(), "watermark", slow.Reading)
	f.ProveReading(v, fast.Label(), "watermark", fast.Reading)
	if n, ok := slow.Subtask.Pending.Value(); ok {
		f.Prove(v, model.SubtaskLabel(slow.Subtask), "pendingRecords", units.Number(n))
	}
	return f, true
}

// catchingUp reports a place that is only behind because it is kept from reading, or still reads its
// backlog: which split a reader takes first is chance.
func catchingUp(j *model.Job, p model.Spot) bool {
	age, ok := p.Subtask.EmitLag.Value()
	back, _ := p.Subtask.Backpressured.Value()
	return back >= 500 || j.ReadsBacklog(p.Subtask) && (ok && age > model.FrozenMs || back >= 100)
}

// hiddenSkew finds, where splits show no watermark, a subtask that reads records on time beside others that
// are nearly as old as its watermark: one of its splits is that far behind. Disorder that a bound of that
// size is made for seldom reaches the bound in two readings.
func hiddenSkew(j *model.Job, v *model.Vertex) (catalog.Finding, bool) {
	if v.IsSQLScan() || model.SplitsTellWatermarks(v) {
		return catalog.Finding{}, false
	}
	for _, s := range v.Subtasks {
		out := s.SourceOut()
		late, ok := j.Lag(v, out)
		fresh, old := math.Min(s.EmitLag.Before, s.EmitLag.Now), math.Max(s.EmitLag.Before, s.EmitLag.Now)
		near := float64(late) - math.Max(15_000, float64(late)/20)
		if !ok || late < lag.LimitMs || !model.MovedCertainly(out) || math.IsNaN(fresh+old) || fresh > float64(late)/10 || old < near || v.NamesSplits() && len(s.ActiveSplits()) < 2 || j.ReadsBacklog(s) {
			continue
		}
		f := catalog.NewFinding("TM305", v)
		f.Operator, f.Subtasks, f.Confidence = model.HeadName(v), []int{s.Index}, catalog.Possible
		f.HeldBack = j.HeldBack(v, v.MinOut())
		f.Since(late)
		which := "one of its splits"
		if ids := splitIDs(s); len(ids) > 0 {
			which += " (" + catalog.SomeStrings(ids) + ")"
		}
		f.Summary = fmt.Sprintf("Source %s reads records that are %s old beside such that are %s old, and its event time is %s late: %s is that far behind, or a bound of that size is declared. This version or connector shows no watermark per split",
			model.SubtaskLabel(s), units.Duration(int64(old)), units.Duration(int64(math.Max(fresh, 0))), units.Duration(late), which)
		f.ProveReading(v, model.SubtaskLabel(s), "currentOutputWatermark", out)
		f.Prove(v, model.SubtaskLabel(s), "currentEmitEventTimeLag", bothValues(s.EmitLag))
		return f, true
	}
	return catalog.Finding{}, false
}
