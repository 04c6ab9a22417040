package whatif

import (
	"fmt"
	"math"
	"slices"

	"tidemark/analyze/model"
	"tidemark/engine"
	"tidemark/engine/simulate"
	"tidemark/engine/twin/job"
	"tidemark/internal/units"
)

func (b *base) operatorOutcome(d *design, f playbacks, vx *model.Vertex, op *model.Operator, at int) (OperatorOutcome, bool) {
	w := f[nominal].job.Operators[at].Work
	o := OperatorOutcome{Vertex: *vx.Ref(), Operator: op.Name, Roughly: b.roughly(f[nominal], vx, op)}
	if o.Roughly == "" && d.shortMs > 0 && w.Kind == job.Window {
		o.Unknown = true
		o.Roughly = fmt.Sprintf("it still holds windows from before the time played: with these settings %s more of records are needed", units.Duration(d.shortMs))
	}
	switch w.Kind {
	case job.Window:
		o.Fires, o.Counted = true, true
	case job.Wait:
		o.Counted = w.Buffer != engine.Sort
	case job.IntervalJoin, job.TemporalJoin:
	default:
		return o, false
	}
	pick := func(count func(h *tally) int64) Range {
		r := Range{Low: count(f[nominal].narrow[at]), Twin: count(f[nominal].tallies[at]), High: count(f[nominal].wide[at])}
		for v := range variants {
			n := count(f[v].tallies[at])
			r.Low, r.High = min(r.Low, n), max(r.High, n)
		}
		return r
	}
	h := f[nominal].tallies[at]
	o.Windows = pick(func(h *tally) int64 { return int64(len(h.windows)) })
	o.Rows = pick(func(h *tally) int64 { return h.rows })
	o.Dropped = pick(func(h *tally) int64 { return h.lost })
	o.Again, o.FirstMs, o.LatestMs = h.again, h.firstMs, h.latestMs
	if n := h.latency.Count(); n > 0 {
		o.p50, o.p99, o.silent = f.quantile(at, 1, 2), f.quantile(at, 99, 100), f.silent(at)
		o.Latency = simulate.Spread{N: int64(n), P50: h.latency.Quantile(1, 2), P99: h.latency.Quantile(99, 100), Max: h.latency.Max()}
	}
	if w.Kind == job.IntervalJoin {
		return o, true // the engine does not count the records that it keeps
	}
	var open, peak [variants]int
	for v := range variants {
		for _, t := range f[v].at[b.now.lo].Operators[at].Subtasks {
			open[v], peak[v] = open[v]+t.Open, peak[v]+t.Peak
		}
	}
	o.Open, o.Peak = &open[nominal], &peak[nominal]
	o.peak = Range{int64(slices.Min(peak[:])), int64(peak[nominal]), int64(slices.Max(peak[:]))}
	return o, true
}

// quantile is a quantile of an operator's latency, ms, over the runs in which something fires.
func (f playbacks) quantile(at int, num, den uint64) Range {
	n := f[nominal].tallies[at].latency.Quantile(num, den)
	r := Range{n, n, n}
	tallies := []*tally{f[nominal].narrow[at], f[nominal].wide[at]}
	for v := range variants {
		tallies = append(tallies, f[v].tallies[at])
	}
	for _, h := range tallies {
		if h.latency.Count() > 0 {
			n := h.latency.Quantile(num, den)
			r.Low, r.High = min(r.Low, n), max(r.High, n)
		}
	}
	return r
}

// silent reports an operator that does not fire in one of the runs.
func (f playbacks) silent(at int) bool {
	return slices.ContainsFunc(f[:], func(one *playback) bool { return one.tallies[at].latency.Count() == 0 })
}

// roughly says why an operator's counts are not exact: an operator upstream emits another number of records than it reads.
// "" = they are exact.
func (b *base) roughly(f *playback, vx *model.Vertex, op *model.Operator) string {
	up := append([]*model.Vertex{vx}, vx.Ancestors()...)
	for _, n := range f.left {
		if !n.Counts || n.Operator == op.Name && n.Vertex.ID == vx.ID {
			continue
		}
		for _, v := range up {
			if v.ID == n.Vertex.ID && (v != vx || before(vx, n.Operator, op)) {
				return fmt.Sprintf("%s is not modelled: %s", model.QuoteName(n.Operator), n.Why)
			}
		}
	}
	return ""
}

// before reports that the operator with a name comes before op in the chain.
func before(vx *model.Vertex, name string, op *model.Operator) bool {
	for _, one := range vx.Chain {
		if one == op {
			return false
		}
		if one.Name == name {
			return true
		}
	}
	return false
}

// passesAll reports an operator that emitted as many records as it read between the samples.
func passesAll(vx *model.Vertex, op *model.Operator) bool {
	in, out, any := 0.0, 0.0, false
	for i, one := range vx.Chain {
		if one != op {
			continue
		}
		for _, t := range vx.Subtasks {
			if i >= len(t.Ops) {
				return false
			}
			a, okA := t.Ops[i].RecordsIn.Rise()
			z, okZ := t.Ops[i].RecordsOut.Rise()
			if !okA || !okZ {
				return false
			}
			in, out, any = in+a, out+z, true
		}
	}
	return any && math.Abs(in-out) <= 2+in/200
}
