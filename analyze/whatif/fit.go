package whatif

import (
	"fmt"

	"tidemark/analyze/model"
	"tidemark/engine/twin/run"
	"tidemark/flinkapi"
)

// Fit compares the unchanged twin with the cluster, gauge by gauge, at both samples.
type Fit struct {
	Compared int             `json:"compared"`    // number of gauges
	Differ   int             `json:"differ"`      // number of gauges outside the twin's range
	Furthest int64           `json:"furthest_ms"` // largest difference between a gauge that fits and the twin's nominal value, ms of event time
	Rows     []FitRow        `json:"rows"`
	Tolerate []model.LagPart `json:"tolerance"` // what the ranges are made of
}

// FitRow is one gauge of the cluster and the range in which the twin has it. Offsets and late records are in records, the
// values of other gauges are watermarks.
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

// OffsetRow is an offset, or a number of late records: that of the cluster, and the range of the twin.
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

// moments lists the times at which the runs must be read for fit, epoch ms.
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

// fit compares the runs with the cluster.
func (b *base) fit(d *design, f playbacks) *Fit {
	out := &Fit{Tolerate: b.tolerances(d)}
	for _, s := range b.samples() {
		for _, vx := range b.cross.Job().Vertices {
			if _, ok := s.at.at[vx.ID]; ok && b.unread[vx] == nil {
				b.fitVertex(out, d, f, s, vx, vx)
			}
		}
	}
	for _, vx := range b.cross.Job().Vertices {
		if b.unread[vx] == nil {
			b.fitLate(out, d, f, vx, vx)
		}
	}
	return out
}

// fitVertex compares the gauges of the vertex shown with the twin of vx. They are the same vertex, unless the twin of one
// job is compared with another job.
func (b *base) fitVertex(out *Fit, d *design, f playbacks, s sampleAt, vx, shown *model.Vertex) {
	lo, hi := s.at.of(vx)
	lo, hi = lo-d.phaseOf(vx), hi+d.phaseOf(vx)
	row := func(t *model.Subtask, op, gauge string, shown flinkapi.Watermark, pick func(*run.Snapshot, *playback) int64) {
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
				row(t, shown.Chain[i].Name, gaugeIn, s.pick(t.In), func(x *run.Snapshot, _ *playback) int64 { return x.Operators[at].Subtasks[k].In })
			}
			row(t, shown.Chain[i].Name, gaugeOut, s.pick(g.Out), func(x *run.Snapshot, _ *playback) int64 { return x.Operators[at].Subtasks[k].Out })
		}
		if vx.IsSource() && d.source(vx) != nil {
			b.fitSplits(out, d, f, s, vx, t)
		}
	}
}

// operator is the index of a vertex's operator in the twin, found by name; -1 = none.
func (t *twin) operator(vx *model.Vertex, op *model.Operator) int {
	for i, own := range t.ops[vx] {
		if i < len(vx.Chain) && vx.Chain[i].Name == op.Name {
			return own
		}
	}
	return -1
}

// take adds a row of watermarks and sets whether it fits; twin is the nominal value.
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

// fitSplits compares the offsets of a reader's splits, and their watermarks from 2.1 on.
func (b *base) fitSplits(out *Fit, d *design, f playbacks, s sampleAt, vx *model.Vertex, t *model.Subtask) {
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
			offset := func(x *run.Snapshot, fm *playback) int64 {
				if one := split(x); one != nil && one.Offset >= 0 {
					return fm.views[sp.ID].offset(one.Offset)
				}
				return -1
			}
			o := OffsetRow{int64(n), f.low(d, vx, lo, offset), f.high(d, hi, offset)}
			r.Gauge, r.Records = gaugeOffset, &o
			// The record that represents those before the start of the twin has no offset.
			r.Fits = (o.Shown >= o.From || o.From < 0) && (o.Shown <= o.To || o.To < 0)
			out.add(r)
			r.Records = nil
		}
		if r.Gauge, r.Shown = gaugeSplit, s.pick(sp.Watermark); r.Shown.Readable() && d.source(vx).behind == nil {
			pick := func(x *run.Snapshot, _ *playback) int64 { return split(x).Watermark }
			r.From, r.To = watermark(f.low(d, vx, lo, pick)), watermark(f.high(d, hi, pick))
			out.take(r, watermark(pick(f[nominal].at[(lo+hi)/2], f[nominal])))
		}
	}
}

// tolerances lists what the range of a gauge is made of, ms of wall clock.
func (b *base) tolerances(d *design) []model.LagPart {
	parts := []model.LagPart{
		{Part: "emission interval", Ms: d.intervalMs, Certain: true},
		{Part: "a timer that waits for the current record", Ms: d.intervalMs, Certain: true},
		{Part: "from a record's timestamp to its reader, and gauges of one metric dump read one after the other", Ms: slackMs, Certain: true},
		{Part: "a buffer that is not full, at each exchange", Ms: bufferMs, Certain: true},
		{Part: "the unknown time at which the metrics were read", Ms: max(b.now.skew[1]-b.now.skew[0], b.before.skew[1]-b.before.skew[0]), Certain: true},
	}
	for _, f := range d.sources {
		if ms := d.phaseOf(f.vertex); ms > 0 {
			parts = append(parts, model.LagPart{Part: "the unknown time at which alignment first paused source " + f.name, Ms: ms, Certain: true})
		}
	}
	if ms := alignedFor(d); ms > 0 {
		parts = append(parts, model.LagPart{Part: "reports, announcements and samples of alignment", Ms: ms, Certain: true})
	}
	return parts
}

// Unfit is a sentence about the most upstream gauge that differs; "" = all fit.
func (o *Fit) Unfit() string {
	for _, r := range o.Rows {
		if !r.Fits {
			return r.Sentence()
		}
	}
	return ""
}

// Sentence is a row as a sentence.
func (r FitRow) Sentence() string {
	where := fmt.Sprintf("%s subtask %d", model.QuoteName(r.Operator), r.Subtask)
	switch {
	case r.Gauge == gaugeOffset:
		return fmt.Sprintf("%s has read split %s up to offset %d, the twin up to an offset between %d and %d", where, r.Split, r.Records.Shown, r.Records.From, r.Records.To)
	case r.Gauge == gaugeLate:
		return fmt.Sprintf("%s dropped %d late records between the samples, the twin between %d and %d", model.QuoteName(r.Operator), r.Records.Shown, r.Records.From, r.Records.To)
	}
	if r.Split != "" {
		where = "split " + r.Split
	}
	return fmt.Sprintf("%s of %s is %s, the twin's between %s and %s", r.Gauge, where, r.Shown, r.From, r.To)
}
