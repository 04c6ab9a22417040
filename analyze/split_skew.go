package analyze

import (
	"fmt"

	"tidemark/internal/units"
)

var _ = register(Check{
	Code: "TM305", Cause: "split-skew", Title: "One split's event time is far behind its moving siblings",
	Symptom: 5, Severity: Warning, Needs: []string{"split metrics (2.1+), or several source subtasks", "two samples"},
	Means: "A split moves, but minutes behind the others; the source's watermark is the minimum, so everything waits for that split, and state piles up for the fast ones.",
	Why: "A producer or region with delayed data, or a partition that is read more slowly. Idleness cannot help, since the split is active. " +
		"Told from an idle split by its movement, and from a backlog by no records pending.",
	Fix: Fix{
		Text:       "Find what writes to that split; for a backfill use watermark alignment to bound the state, and rebalance keys if one partition carries the slow producers.",
		DataStream: "strategy.withWatermarkAlignment(\"orders\", Duration.ofSeconds(30), Duration.ofSeconds(1))",
		SQL:        "WITH ('scan.watermark.alignment.group' = 'orders', 'scan.watermark.alignment.max-drift' = '30 s')",
	},
	Run: runSplitSkew,
})

const skewMinMs = 30_000

func runSplitSkew(j *Job) []Finding {
	var out []Finding
	for _, v := range j.Sources() {
		e := emitter{vertex: v}
		if h := v.Head(); h == nil {
			continue
		} else {
			e.op = h
		}
		if f, ok := splitSkew(j, v, known(e.spots())); ok {
			out = append(out, f)
		}
	}
	return out
}

func splitSkew(j *Job, v *Vertex, spots []spot) (Finding, bool) {
	var slow, fast spot
	found := false
	for _, p := range spots {
		if lag, ok := j.lag(v, p.reading); !ok || lag < -aheadMs {
			continue // ahead of the clock is TM202
		}
		if moved, told := p.reading.Moved(); told && !moved {
			continue
		}
		if !found {
			slow, fast, found = p, p, true
			continue
		}
		if p.reading.Now.Before(slow.reading.Now) {
			slow = p
		}
		if fast.reading.Now.Before(p.reading.Now) {
			fast = p
		}
	}
	if !found {
		return Finding{}, false
	}
	a, _ := slow.reading.Now.Millis()
	b, _ := fast.reading.Now.Millis()
	skew := b - a
	if skew < skewMinMs || catchingUp(j, slow) || nearEpochZero(a) || unitOf(a, j.NowMs) != "" {
		return Finding{}, false
	}
	if _, told := slow.reading.Moved(); !told && slow.subtask.ordinarySilence(skew) {
		return Finding{}, false
	}
	f := newFinding("TM305", v)
	f.Operator = headName(v)
	f.Subtasks = []int{slow.subtask.Index}
	f.HeldBack = j.heldBack(v, v.MinOut())
	where := fmt.Sprintf("subtask %d", slow.subtask.Index)
	if slow.split != nil {
		f.Split = slow.split.ID
		where += " split " + slow.split.ID
	} else if n := len(slow.subtask.activeSplits()); n > 1 {
		where += fmt.Sprintf(" (one of its %d splits; this version shows no watermark per split)", n)
		f.Confidence = Likely
	}
	if _, told := slow.reading.Moved(); !told {
		f.Confidence = Possible
		where += " (one sample: it may also stand still)"
	}
	f.Summary = fmt.Sprintf("Source %s %s is %s behind %s in event time: all consumers wait for it", sourceLabel(v), where, units.Duration(skew), fast.label())
	f.since(skew)
	f.proveReading(v, slow.label(), "watermark", slow.reading)
	f.proveReading(v, fast.label(), "watermark", fast.reading)
	if n, ok := slow.subtask.Pending.Value(); ok {
		f.prove(v, subtaskLabel(slow.subtask), "pendingRecords", formatNumber(n))
	}
	return f, true
}

// catchingUp reports a place that is only behind because it is kept from reading, or still reads its
// backlog: which split a reader takes first is chance.
func catchingUp(j *Job, p spot) bool {
	lag, ok := p.subtask.EmitLag.Value()
	back, _ := p.subtask.Backpressured.Value()
	return back >= 500 || j.readsBacklog(p.subtask) && (ok && lag > frozenMs || back >= 100)
}
