package crosscheck

import (
	"fmt"
	"math"
	"math/rand"

	"tidemark/analyze/model"
	"tidemark/engine"
	"tidemark/flinkapi"
)

const crossStart = int64(1_796_000_000_000)

// plot is a made-up job over a made-up topic. What the cluster shows is computed here by hand: the
// maximum of the event times read at the last emission, as the job reads them, less the bound.
type plot struct {
	partitions, subtasks int
	bound, extra         int64
	read                 func(event int64) int64 // the job's event time from the field's
	silent               int                     // this partition stops after 20 s; -1 = none
	empty                int                     // this partition has no record; -1 = none
	poison               int                     // this partition gets a record ten years ahead; -1 = none
	shared               bool                    // an assigner behind the source
	splitMetrics         bool
	everyMs              int64
}

func healthyPlot() plot {
	return plot{partitions: 4, subtasks: 2, bound: 2000, extra: 1, read: func(e int64) int64 { return e }, silent: -1, empty: -1, poison: -1, splitMetrics: true, everyMs: 100}
}

type plotRecord struct{ offset, arrival, event int64 }

// run makes the topic and the job as it looks after 100 s, with a fetch 11 s before.
func (p plot) run() *Crosscheck {
	r := rand.New(rand.NewSource(5))
	records := make([][]plotRecord, p.partitions)
	for at := crossStart; at < crossStart+110_000; at += p.everyMs {
		for i := range p.partitions {
			if i == p.empty || i == p.silent && at > crossStart+20_000 {
				continue
			}
			arrival := at + int64(i)*7
			event := arrival - int64(r.Intn(1500))
			if i == p.poison && len(records[i]) == 50 {
				event = arrival + 10*365*86_400_000
			}
			records[i] = append(records[i], plotRecord{int64(len(records[i])), arrival, event})
		}
	}
	v := &model.Vertex{ID: "src", Name: "Source: Orders", Parallelism: p.subtasks, Status: "RUNNING", Chain: []*model.Operator{{Metric: "Source__Orders", Name: "Source: Orders", Kind: model.KindSource, Parent: -1, Leaf: !p.shared}}}
	if p.shared {
		v.Chain = append(v.Chain, &model.Operator{Metric: "Timestamps/Watermarks", Name: "Timestamps/Watermarks", Kind: model.KindAssigner, Leaf: true})
	}
	data := map[string]*PartitionData{}
	for i := range p.partitions {
		d := &PartitionData{Topic: "orders", Partition: int32(i), Complete: true, NowMs: crossStart + 110_000}
		for _, x := range records[i] {
			d.Add(x.offset, x.arrival, x.event)
			d.End = x.offset + 1
		}
		data[fmt.Sprintf("orders-%d", i)] = d
	}
	before, now := crossStart+89_000, crossStart+100_000
	v.FetchedMs = now
	for t := range p.subtasks {
		s := &model.Subtask{Vertex: v, Index: t, Status: "RUNNING", Records: model.NoGauge(), EmitLag: model.NoGauge(), Backpressured: model.NoGauge()}
		for i := t; i < p.partitions; i += p.subtasks {
			sp := &model.Split{Subtask: s, ID: fmt.Sprintf("orders-%d", i), IdleRate: model.NoGauge(), PausedRate: model.NoGauge(), ActiveMs: model.NoGauge(), IdleMs: model.NoGauge(), PausedMs: model.NoGauge()}
			sp.Offset = model.Gauge{Before: p.offset(records[i], before), Now: p.offset(records[i], now)}
			if p.splitMetrics {
				sp.IdleRate = model.Gauge{Before: 0, Now: 0}
				if !p.shared {
					sp.Watermark = model.Reading{Before: p.split(records[i], before), Now: p.split(records[i], now)}
				} else {
					sp.Watermark = model.Reading{Before: flinkapi.NoWatermark(), Now: flinkapi.NoWatermark()}
				}
			}
			s.Splits = append(s.Splits, sp)
		}
		out := model.Reading{Before: p.subtask(records, t, before), Now: p.subtask(records, t, now)}
		if p.shared {
			s.Ops = []model.OpGauge{{Out: model.Reading{Before: flinkapi.NoWatermark(), Now: flinkapi.NoWatermark()}}, {Out: out}}
			v.Chain[0].Out, v.Chain[1].Out = s.Ops[0].Out, model.MinReading(v.Chain[1].Out, out)
		} else {
			s.Ops = []model.OpGauge{{Out: out}}
			v.Chain[0].Out = model.MinReading(v.Chain[0].Out, out)
		}
		v.Subtasks = append(v.Subtasks, s)
	}
	w := &model.Vertex{ID: "win", Name: "Window10s", Parallelism: 1, Status: "RUNNING", FetchedMs: now, Chain: []*model.Operator{{Metric: "Window10s", Name: "Window10s", Kind: model.KindWindow, Parent: -1, Leaf: true}}}
	e := &model.Edge{From: v, To: w, Ship: "HASH"}
	v.Out, w.In = []*model.Edge{e}, []*model.Edge{e}
	in := model.Reading{}
	for _, s := range v.Subtasks {
		in = model.MinReading(in, s.Out())
	}
	w.Subtasks = []*model.Subtask{{Vertex: w, In: in, Ops: []model.OpGauge{{In: in, Out: in}}, Records: model.NoGauge(), Backpressured: model.NoGauge()}}
	sample := &flinkapi.Sample{HasJob: true, Vertices: map[string]*flinkapi.VertexSample{"src": {Backpressure: &flinkapi.Backpressure{}}}}
	j := &model.Job{ID: "job", Name: "orders", State: "RUNNING", NowMs: now, UptimeMs: 100_000, GapMs: now - before, IntervalMs: 10_000, Before: sample, Now: sample, Vertices: []*model.Vertex{v, w}}
	return &Crosscheck{Jobs: []*model.Job{j}, Version: engine.Latest, Sources: []*CrossSource{{Vertex: v, Data: data, SQL: p.extra == 0, IntervalMs: 200, IntervalBy: "test"}}}
}

func (p plot) offset(rs []plotRecord, at int64) float64 {
	last := -1.0
	for _, r := range rs {
		if r.arrival <= at {
			last = float64(r.offset)
		}
	}
	return last
}

// newest is the largest event time read by the last emission before at, as the job reads it.
func (p plot) newest(rs []plotRecord, at int64) (int64, bool) {
	tick := at - at%200
	best, any := int64(math.MinInt64), false
	for _, r := range rs {
		if r.arrival <= tick {
			best, any = max(best, p.read(r.event)), true
		}
	}
	return best, any
}

func (p plot) split(rs []plotRecord, at int64) flinkapi.Watermark {
	if m, any := p.newest(rs, at); any {
		return flinkapi.KnownWatermark(m - p.bound - p.extra)
	}
	return flinkapi.NoWatermark()
}

func (p plot) subtask(records [][]plotRecord, t int, at int64) flinkapi.Watermark {
	var out flinkapi.Watermark
	for i := t; i < p.partitions; i += p.subtasks {
		w := p.split(records[i], at)
		if p.shared {
			out = flinkapi.MaxWatermark(out, w)
		} else {
			out = flinkapi.MinWatermark(out, w)
		}
	}
	return out
}
