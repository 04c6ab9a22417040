package whatif

import (
	"fmt"

	"tidemark/analyze/model"
	"tidemark/engine"
	"tidemark/engine/twin/job"
	"tidemark/flinkapi"
)

// variant is one of the runs that make a range: the phase of the cluster's timers and the time in
// buffers are unknown. The cluster is between the early and the late run.
type variant uint8

const (
	nominal variant = iota
	early           // watermarks are emitted a tenth of an interval after the record
	late            // watermarks are emitted and arrive as late as timers and buffers allow
	variants
)

// place is the operator of the job that an operator of the twin models: its vertex and its index in the chain, -1 for an
// operator that only the twin has.
type place struct {
	vertex *model.Vertex
	chain  int
}

// twin is a job for the reference engine.
type twin struct {
	job    *job.Job
	places []place
	ops    map[*model.Vertex][]int // the operators of each vertex's chain, as indices of places
	views  map[string]view         // by split
	left   []NotModelled
}

// build makes the twin of a design.
func (b *base) build(d *design, v variant) *twin {
	t := &twin{ops: map[*model.Vertex][]int{}, views: map[string]view{}}
	j := b.cross.Job()
	t.job = &job.Job{Name: j.Name, ID: j.ID, Flink: d.version, StartsMs: []int64{b.playMs}}
	end := map[*model.Vertex]int{} // the operator that feeds the out edges of each vertex
	for _, vx := range j.Vertices {
		own := b.chain(t, d, v, vx, end)
		t.ops[vx] = own
		end[vx] = t.add(job.Operator{Name: fmt.Sprintf("%s out %d", vx.ID, len(t.places)), Chained: true, Parallelism: d.parallelism(vx), Inputs: []job.Input{{From: []int{b.leaf(t, vx, own)}}},
			Work: job.Work{Kind: job.Delay, IntervalMs: delayOf(d, v, vx)}}, place{vx, -1})
	}
	return t
}

// delayOf is how long watermarks are delayed after a vertex in the late run, ms.
func delayOf(d *design, v variant, vx *model.Vertex) int64 {
	switch {
	case v != late:
		return 0
	case vx.IsSource() || vx.Assigns():
		return back(d) + bufferMs
	}
	return bufferMs
}

func (t *twin) add(op job.Operator, p place) int {
	t.job.Operators = append(t.job.Operators, op)
	t.places = append(t.places, p)
	return len(t.places) - 1
}

func (t *twin) leave(v *model.Vertex, op *model.Operator, counts bool, why string) {
	name := v.Name
	if op != nil {
		name = op.Name
	}
	t.left = append(t.left, NotModelled{Vertex: *v.Ref(), Operator: name, Why: why, Counts: counts})
}

// chain adds the operators of a vertex and returns their indices.
func (b *base) chain(t *twin, d *design, v variant, vx *model.Vertex, end map[*model.Vertex]int) []int {
	chain := vx.Chain
	if len(chain) == 0 {
		chain = []*model.Operator{{Name: vx.Name, Kind: model.KindUnknown, Parent: -1, Leaf: true}}
		t.leave(vx, nil, true, "neither its metrics nor the plan name its operators")
	}
	own := make([]int, len(chain))
	moved := -1
	for i, op := range chain {
		one := job.Operator{Name: fmt.Sprintf("%s %d %s", vx.ID, i, op.Name), Parallelism: d.parallelism(vx)}
		switch {
		case op.Parent >= 0:
			from := own[op.Parent]
			if op.Parent == 0 && moved >= 0 {
				from = moved
			}
			one.Chained, one.Inputs = true, []job.Input{{From: []int{from}}}
			one.Work = b.work(t, d, v, vx, op)
		case vx.IsSource():
			one.Source = b.source(t, d, v, vx)
		default:
			one.Inputs = inputs(vx, end)
			one.Work = b.work(t, d, v, vx, op)
		}
		own[i] = t.add(one, place{vx, i})
		if f := d.source(vx); i == 0 && f != nil && f.moved {
			moved = t.add(job.Operator{Name: fmt.Sprintf("%s moved", vx.ID), Chained: true, Parallelism: d.parallelism(vx), Inputs: []job.Input{{From: own[:1]}},
				Work: assigner(emission(f.strategy, v))}, place{vx, -1})
		}
	}
	return own
}

// leaf is the operator of a chain that feeds the out edges of its vertex. Where a chain has several ends the plan does
// not say which, and the first that is no sink is taken.
func (b *base) leaf(t *twin, vx *model.Vertex, own []int) int {
	last := len(t.places) - 1
	if len(own) == 1 {
		return last // the operator itself, or the assigner that was moved downstream
	}
	at := own[len(own)-1]
	for i, op := range vx.Chain {
		if op.Leaf && op.Kind != model.KindSink {
			return own[i]
		}
	}
	return at
}

// inputs are the logical inputs of a vertex: two where its head has two, else one that is a union.
func inputs(vx *model.Vertex, end map[*model.Vertex]int) []job.Input {
	var out []job.Input
	two := twoInputs(vx)
	for i, e := range vx.In {
		if k := len(out); k > 0 && (!two || i > 1) && out[k-1].Ship == shipOf(e) {
			out[k-1].From = append(out[k-1].From, end[e.From])
			continue
		}
		out = append(out, job.Input{Ship: shipOf(e), From: []int{end[e.From]}})
	}
	return out
}

func (b *base) work(t *twin, d *design, v variant, vx *model.Vertex, op *model.Operator) job.Work {
	if op.Kind == model.KindAssigner {
		return b.assigns(t, d, v, vx, op)
	}
	w, why, rows := workOf(vx, op, d.version)
	w.Window.LatenessMs, w.Window.OffsetMs = max(w.Window.LatenessMs, d.lateness[op]), w.Window.OffsetMs+d.offset[op]
	switch {
	case why != "":
		t.leave(vx, op, rows, why)
	case rows && !passesAll(vx, op):
		t.leave(vx, op, true, "how many records it emits for those it reads")
	}
	return w
}

// assigns is the work of an assigner, with the strategy of its source, or the one given with --known, or the one in the
// plan.
func (b *base) assigns(t *twin, d *design, v variant, vx *model.Vertex, op *model.Operator) job.Work {
	if f := d.source(vx); f != nil && f.behind == op {
		return assigner(emission(f.strategy, v))
	}
	if f := d.source(vx); f != nil && !f.moved && vx.Assigner() >= 0 {
		return job.Work{} // its generator was moved into the source
	}
	if s, ok := d.assigners[op]; ok {
		return assigner(emission(s, v))
	}
	if p, ok := model.ParseDeclared(op.Text); ok && p.DelayKnown {
		return assigner(emission(engine.Strategy{BoundMs: p.DelayMs, SQL: true, IntervalMs: d.intervalMs}, v))
	}
	t.leave(vx, op, false, "its delay: give it with --known")
	return job.Work{}
}

func assigner(s engine.Strategy) job.Work {
	kind := job.Assign
	if s.SQL && s.Kind == engine.BoundedOutOfOrderness {
		kind = job.SQLAssign
	}
	return job.Work{Kind: kind, Strategy: job.Strategy{Strategy: s}}
}

// leadMs is how far watermarks of the early run are ahead: one reader may be slackMs behind the others, and one buffer in
// front of a window bufferMs behind the other buffers.
const leadMs = slackMs + bufferMs

// emission is a strategy with the timer phase of a variant.
func emission(s engine.Strategy, v variant) engine.Strategy {
	if v != early {
		return s
	}
	if s.IntervalMs > 0 {
		s.IntervalMs = max(s.IntervalMs/10, 1)
	}
	if s.Kind == engine.BoundedOutOfOrderness && s.BoundMs >= leadMs {
		s.BoundMs -= leadMs
	} else if s.Kind == engine.BoundedOutOfOrderness && !s.SQL {
		bound := s.BoundMs - leadMs
		s.Kind, s.BoundMs = engine.Custom, 0
		s.New = func() engine.Generator { return &leading{bound: bound, newest: engine.None} }
	} else {
		s.BoundMs = 0
	}
	return s
}

// leading is bounded out-of-orderness whose bound may be negative.
type leading struct{ bound, newest int64 }

func (g *leading) OnEvent(ts int64, _ engine.GeneratorOutput) { g.newest = max(g.newest, ts) }
func (g *leading) OnPeriodic(out engine.GeneratorOutput) {
	if g.newest != engine.None {
		out.EmitWatermark(g.newest - g.bound - 1)
	}
}

// ended reports a source with a subtask that has finished or has emitted the end of input.
func ended(vx *model.Vertex) bool {
	for _, t := range vx.Subtasks {
		if finished(t) {
			return true
		}
	}
	return false
}

func finished(t *model.Subtask) bool {
	return t.SourceOut().Now.State() == flinkapi.End || t.Status == "FINISHED"
}

// source gives a source its strategy and its splits with their records.
func (b *base) source(t *twin, d *design, v variant, vx *model.Vertex) *job.Source {
	f := d.source(vx)
	if f == nil {
		t.leave(vx, vx.Head(), true, "its splits are not Kafka partitions, so its records were not read")
		return &job.Source{Strategy: job.Strategy{Strategy: engine.Strategy{Kind: engine.NoWatermarks, IntervalMs: d.intervalMs}}}
	}
	src := &job.Source{Align: f.align, Bounded: ended(vx), Strategy: job.Strategy{Strategy: emission(f.strategy, v)}}
	if f.behind != nil || f.moved {
		src.Strategy.Strategy = engine.Strategy{Kind: engine.NoWatermarks, IntervalMs: f.strategy.IntervalMs}
	}
	width := d.parallelism(vx)
	for _, s := range vx.Subtasks {
		for _, sp := range s.ActiveSplits() {
			data := f.cross.Data[sp.ID]
			owner := s.Index
			topic, partition := sp.ID, 0
			if data != nil {
				topic, partition = data.Topic, int(data.Partition)
			}
			if width != vx.Parallelism {
				owner = engine.KafkaOwner(topic, int32(partition), width)
			}
			l := b.logs[sp.ID]
			if l == nil {
				l = &Log{}
			}
			one := l.after(b.playMs-b.backMs, b.first[sp.ID], f.read, v != early && f.strategy.SQL && !d.version.Behaviour().SQLKeepsMax)
			one.startMs, one.endless = b.playMs, !finished(s)
			t.views[sp.ID] = one
			src.Splits = append(src.Splits, job.Split{Topic: sp.ID, Subtask: owner, Records: one})
		}
	}
	return src
}
