package whatif

import (
	"fmt"

	"tidemark/analyze/model"
	"tidemark/engine/twin/run"
	"tidemark/flinkapi"
)

// Fit compares the unchanged twin with the cluster, gauge by gauge, at both samples.
type Fit struct {
	Compared int             `json:"compared"`
	Differ   int             `json:"differ"`
	Furthest int64           `json:"furthest_ms"` // of those that fit: the most event time between the gauge and the twin's own value
	Rows     []FitRow        `json:"rows"`
	Tolerate []model.LagPart `json:"tolerance"`
}

// FitRow is one gauge of the cluster and the range in which the twin has it. Of an offset the values are
// offsets, else watermarks.
type FitRow struct {
	Vertex   model.Ref          `json:"vertex"`
	Operator string             `json:"operator"`
	Subtask  int                `json:"subtask"`
	Split    string             `json:"split,omitempty"`
	Gauge    string             `json:"gauge"`
	Sample   int                `json:"sample"` // 1 is the earlier one
	Shown    flinkapi.Watermark `json:"shown"`
	From     flinkapi.Watermark `json:"from"`
	To       flinkapi.Watermark `json:"to"`
	Fits     bool               `json:"fits"`
	DiffMs   int64              `json:"difference_ms"` // shown minus the nearer end, 0 inside
	Records  *OffsetRow         `json:"records,omitempty"`
}

// OffsetRow is how far a split was read.
type OffsetRow struct{ Shown, From, To int64 }

// The gauges that are compared, as Flink names them.
const (
	gaugeIn     = "currentInputWatermark"
	gaugeOut    = "currentOutputWatermark"
	gaugeSplit  = "watermark.currentWatermark"
	gaugeOffset = "currentOffset"
	gaugeLate   = "numLateRecordsDropped"
)

// sampleAt is one of the two samples.
type sampleAt struct {
	n    int
	at   moment
	pick func(model.Reading) flinkapi.Watermark
	num  func(model.Gauge) float64
}

func (b *base) samples() []sampleAt {
	return []sampleAt{
		{1, b.before, func(r model.Reading) flinkapi.Watermark { return r.Before }, func(g model.Gauge) float64 { return g.Before }},
		{2, b.now, func(r model.Reading) flinkapi.Watermark { return r.Now }, func(g model.Gauge) float64 { return g.Now }},
	}
}

// moments are when each vertex was read, with what may have passed before and after.
func (b *base) moments(d *design) []int64 {
	all := []int64{b.now.lo}
	for _, vx := range b.cross.Job().Vertices {
		all = append(all, b.now.lo-back(d)-d.phaseOf(vx))
	}
	for _, s := range b.samples() {
		for _, vx := range b.cross.Job().Vertices {
			if _, ok := s.at.at[vx.ID]; ok {
				lo, hi := s.at.of(vx)
				phase := d.phaseOf(vx)
				all = append(all, lo, hi, lo-back(d)-phase, hi+ahead(d)+phase, lo-back(d), hi+ahead(d), (lo+hi)/2, lo-onTheWay(vx))
			}
		}
	}
	return all
}

// fit compares the films with the cluster.
func (b *base) fit(d *design, f films) *Fit {
	out := &Fit{Tolerate: b.tolerances(d)}
	for _, s := range b.samples() {
		for _, vx := range b.cross.Job().Vertices {
			if _, ok := s.at.at[vx.ID]; ok && b.dark[vx] == nil {
				b.fitVertex(out, d, f, s, vx, vx)
			}
		}
	}
	for _, vx := range b.cross.Job().Vertices {
		if b.dark[vx] == nil {
			b.fitLate(out, d, f, vx, vx)
		}
	}
	return out
}

// fitVertex compares what a vertex shows with what the twin of vx does; the two are the same, unless the
// twin of one job is held against another.
func (b *base) fitVertex(out *Fit, d *design, f films, s sampleAt, vx, shown *model.Vertex) {
	lo, hi := s.at.of(vx)
	lo, hi = lo-d.phaseOf(vx), hi+d.phaseOf(vx)
	row := func(t *model.Subtask, op, gauge string, shown flinkapi.Watermark, pick func(*run.Snapshot, *film) int64) {
		if !shown.Readable() {
			return
		}
		r := FitRow{Vertex: *vx.Ref(), Operator: op, Subtask: t.Index, Gauge: gauge, Sample: s.n, Shown: shown,
			From: watermark(f.low(d, vx, lo, pick)), To: watermark(f.high(d, hi, pick))}
		out.take(r, watermark(pick(f[nominal].at[(lo+hi)/2], f[nominal])))
	}
	for _, t := range shown.Subtasks {
		for i, g := range t.Ops {
			at, k := f[nominal].operator(vx, shown.Chain[i]), t.Index
			if at < 0 {
				continue
			}
			if !vx.IsSource() && i == 0 && !eitherInputs(vx) {
				row(t, shown.Chain[i].Name, gaugeIn, s.pick(t.In), func(x *run.Snapshot, _ *film) int64 { return x.Operators[at].Subtasks[k].In })
			}
			row(t, shown.Chain[i].Name, gaugeOut, s.pick(g.Out), func(x *run.Snapshot, _ *film) int64 { return x.Operators[at].Subtasks[k].Out })
		}
		if vx.IsSource() && d.source(vx) != nil {
			b.fitSplits(out, d, f, s, vx, t)
		}
	}
}

// operator is the operator of a vertex's twin with a name, -1 where there is none.
func (t *twin) operator(vx *model.Vertex, op *model.Operator) int {
	for i, own := range t.ops[vx] {
		if i < len(vx.Chain) && vx.Chain[i].Name == op.Name {
			return own
		}
	}
	return -1
}

// take judges a row and keeps it.
func (o *Fit) take(r FitRow, twin flinkapi.Watermark) {
	diff := func(end flinkapi.Watermark) int64 {
		a, okA := r.Shown.Millis()
		z, okZ := end.Millis()
		if okA && okZ {
			return a - z
		}
		return 0
	}
	r.Fits = true
	switch {
	case r.Shown.Before(r.From):
		r.Fits, r.DiffMs = false, diff(r.From)
	case r.To.Before(r.Shown):
		r.Fits, r.DiffMs = false, diff(r.To)
	default:
		if n := diff(twin); n < 0 {
			o.Furthest = max(o.Furthest, -n)
		} else {
			o.Furthest = max(o.Furthest, n)
		}
	}
	o.add(r)
}

func (o *Fit) add(r FitRow) {
	o.Compared++
	if !r.Fits {
		o.Differ++
	}
	o.Rows = append(o.Rows, r)
}

// fitSplits compares how far the splits of a reader were read, and their watermarks from 2.1 on.
func (b *base) fitSplits(out *Fit, d *design, f films, s sampleAt, vx *model.Vertex, t *model.Subtask) {
	lo, hi := s.at.of(vx)
	lo, hi = lo-d.phaseOf(vx), hi+d.phaseOf(vx)
	at := f[nominal].ops[vx][0]
	for _, sp := range t.ActiveSplits() {
		split := func(x *run.Snapshot) *run.Split {
			if src := x.Operators[at].Subtasks[t.Index].Source; src != nil {
				for i := range src.Splits {
					if src.Splits[i].Topic == sp.ID {
						return &src.Splits[i]
					}
				}
			}
			return nil
		}
		r := FitRow{Vertex: *vx.Ref(), Operator: vx.Chain[0].Name, Subtask: t.Index, Split: sp.ID, Sample: s.n}
		if n := s.num(sp.Offset); n == n {
			offset := func(x *run.Snapshot, fm *film) int64 {
				if one := split(x); one != nil && one.Offset >= 0 {
					return fm.views[sp.ID].offset(one.Offset)
				}
				return -1
			}
			o := OffsetRow{int64(n), f.low(d, vx, lo, offset), f.high(d, hi, offset)}
			r.Gauge, r.Records = gaugeOffset, &o
			// What stands for the records before the twin has no offset of its own.
			r.Fits = (o.Shown >= o.From || o.From < 0) && (o.Shown <= o.To || o.To < 0)
			out.add(r)
			r.Records = nil
		}
		if r.Gauge, r.Shown = gaugeSplit, s.pick(sp.Watermark); r.Shown.Readable() && d.source(vx).behind == nil {
			pick := func(x *run.Snapshot, _ *film) int64 { return split(x).Watermark }
			r.From, r.To = watermark(f.low(d, vx, lo, pick)), watermark(f.high(d, hi, pick))
			out.take(r, watermark(pick(f[nominal].at[(lo+hi)/2], f[nominal])))
		}
	}
}

// fitLate compares how many late records each operator of a vertex dropped between the samples.
func (b *base) fitLate(out *Fit, d *design, f films, vx, shown *model.Vertex) {
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

// rise is the least and the largest possible increase of a counter of late records between the
// samples: each record that is late in the late run is late in the cluster, and each late one of
// the cluster is late in the early run. A record that the source had read at a sample and that
// was still on its way is counted only when it arrives.
func (b *base) rise(d *design, f films, vx *model.Vertex, count func(*run.Snapshot) int64) (o OffsetRow) {
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

// tolerances are what the range of a gauge is made of, ms of wall clock.
func (b *base) tolerances(d *design) []model.LagPart {
	parts := []model.LagPart{
		{Part: "emission interval", Ms: d.intervalMs, Certain: true},
		{Part: "a timer that waits for the record in hand", Ms: d.intervalMs, Certain: true},
		{Part: "from a record's timestamp to its reader, and gauges of one metric dump read one after the other", Ms: slackMs, Certain: true},
		{Part: "a buffer that is not full, at each exchange", Ms: bufferMs, Certain: true},
		{Part: "when the metrics were read", Ms: max(b.now.skew[1]-b.now.skew[0], b.before.skew[1]-b.before.skew[0]), Certain: true},
	}
	for _, f := range d.sources {
		if ms := d.phaseOf(f.vertex); ms > 0 {
			parts = append(parts, model.LagPart{Part: "of source " + f.name + ": when alignment paused it first, which decides when it is resumed", Ms: ms, Certain: true})
		}
	}
	if ms := alignedFor(d); ms > 0 {
		parts = append(parts, model.LagPart{Part: "reports, announcements and samples of alignment", Ms: ms, Certain: true})
	}
	return parts
}

// Unfit says in a sentence where the twin and the cluster differ most upstream; empty where they do not.
func (o *Fit) Unfit() string {
	for _, r := range o.Rows {
		if !r.Fits {
			return r.Sentence()
		}
	}
	return ""
}

// Sentence is a row in words.
func (r FitRow) Sentence() string {
	where := fmt.Sprintf("%s subtask %d", model.QuoteName(r.Operator), r.Subtask)
	switch {
	case r.Gauge == gaugeOffset:
		return fmt.Sprintf("%s has read split %s up to offset %d, the twin up to between %d and %d", where, r.Split, r.Records.Shown, r.Records.From, r.Records.To)
	case r.Gauge == gaugeLate:
		return fmt.Sprintf("%s dropped %d late records between the samples, the twin between %d and %d", model.QuoteName(r.Operator), r.Records.Shown, r.Records.From, r.Records.To)
	}
	if r.Split != "" {
		where = "split " + r.Split
	}
	return fmt.Sprintf("%s of %s is %s, the twin's between %s and %s", r.Gauge, where, r.Shown, r.From, r.To)
}
