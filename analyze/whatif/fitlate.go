package whatif

import (
	"tidemark/analyze/model"
	"tidemark/engine/twin/run"
)

// fitLate compares how many late records each operator of a vertex dropped between the samples.
func (b *base) fitLate(out *Fit, d *design, f playbacks, vx, shown *model.Vertex) {
	for _, op := range shown.Chain {
		rise, counted := lateRise(shown, op)
		at := f[nominal].operator(vx, op)
		if !counted || at < 0 {
			continue
		}
		o := b.rise(d, f, vx, func(s *run.Snapshot) (n int64) {
			for _, t := range s.Operators[at].Subtasks {
				n += t.Late
			}
			return n
		})
		o.Shown = rise
		out.add(FitRow{Vertex: *vx.Ref(), Operator: op.Name, Subtask: -1, Gauge: gaugeLate, Sample: 2, Records: &o, Fits: o.Shown >= o.From && o.Shown <= o.To})
	}
}

// rise is the smallest and the largest possible rise of a late counter between the samples: a record that is late in the
// late run is late in the cluster, and one that is late in the cluster is late in the early run. A record that was read
// before a sample but was still on its way is counted when it arrives.
func (b *base) rise(d *design, f playbacks, vx *model.Vertex, count func(*run.Snapshot) int64) (o OffsetRow) {
	lo0, hi0 := b.before.of(vx)
	lo1, hi1 := b.now.of(vx)
	n := func(v variant, ms int64) int64 { return count(f[v].at[ms]) }
	way := onTheWay(vx)
	o.From = min(max(n(late, lo1-way)-n(late, hi0), 0), n(nominal, lo1)-n(nominal, hi0))
	o.To = max(n(early, hi1+ahead(d))-n(early, lo0-way), n(nominal, hi1)-n(nominal, lo0))
	return o
}

// lateRise is how many late records an operator dropped between the samples.
func lateRise(vx *model.Vertex, op *model.Operator) (int64, bool) {
	n, any := int64(0), false
	for _, c := range vx.Late {
		if rise, ok := c.Dropped.Rise(); ok && c.Operator == op.Metric {
			n, any = n+int64(rise), true
		}
	}
	return n, any
}
