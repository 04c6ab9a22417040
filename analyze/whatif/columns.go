package whatif

import (
	"fmt"
	"slices"

	"tidemark/analyze/model"
	"tidemark/engine"
	"tidemark/engine/simulate"
	"tidemark/engine/twin/job"
	"tidemark/engine/twin/run"
	"tidemark/internal/units"
)

// points is the number of steps in the series of a vertex.
const points = 240

// steps are the moments at which a series is read.
func (b *base) steps() []int64 {
	all := make([]int64, points+1)
	for i := range all {
		all[i] = b.fromMs + (b.now.lo-b.fromMs)*int64(i)/points
	}
	return all
}

// column is the outcome of a design, from its runs.
func (b *base) column(name string, settings []Setting, d *design, f playbacks) Column {
	c := Column{Name: name, Settings: []string{}, Vertices: []VertexOutcome{}, Operators: []OperatorOutcome{}, Estimates: b.estimates(d)}
	for _, s := range settings {
		c.Settings = append(c.Settings, s.String())
	}
	for _, vx := range b.cross.Job().Vertices {
		if b.unread[vx] != nil {
			continue
		}
		c.Vertices = append(c.Vertices, b.vertexOutcome(d, f, vx))
		for i, op := range vx.Chain {
			if own := f[nominal].ops[vx]; i < len(own) {
				if o, ok := b.operatorOutcome(d, f, vx, op, own[i]); ok {
					c.Operators = append(c.Operators, o)
				}
			}
		}
	}
	return c
}

func (b *base) vertexOutcome(d *design, f playbacks, vx *model.Vertex) VertexOutcome {
	end := b.now.lo
	o := VertexOutcome{Vertex: *vx.Ref(), Source: vx.IsSource(), Points: []simulate.Point{}}
	for _, op := range vx.Chain {
		o.Uses = o.Uses || op.Kind.UsesEventTime()
	}
	at := func(v variant, ms int64) int64 { return eventTime(f[v], vx, f[v].at[ms]) }
	raised, last := b.fromMs, int64(0)
	for i, ms := range b.steps() {
		w := at(nominal, ms)
		if i > 0 && w > last {
			o.LongestMs, raised, o.Advanced = max(o.LongestMs, ms-raised), ms, true
		}
		last = w
		o.Points = append(o.Points, simulate.Point{At: ms, Watermark: watermark(w)})
	}
	o.StandsMs = end - raised
	o.LongestMs = max(o.LongestMs, o.StandsMs)
	o.Watermark = watermark(last)
	o.Low, o.High = watermark(min(at(late, end), last)), watermark(max(at(early, end), last))
	if vx.IsSource() || vx.Assigns() {
		o.Low = watermark(min(at(nominal, end-back(d)-d.phaseOf(vx)), last))
	}
	if step := (end - b.fromMs) / points; o.StandsMs > 2*step+back(d) {
		o.HeldBy = b.holder(f[nominal], vx)
	}
	return o
}

// eventTime is the watermark that a vertex acts on: the smallest input of its subtasks, with several inputs the output of
// its head, and of a source the smallest output of its subtasks that are not idle.
func eventTime(f *playback, vx *model.Vertex, s *run.Snapshot) int64 {
	own := f.ops[vx]
	least, most := engine.End, engine.None
	active := false
	for k := range s.Operators[own[0]].Subtasks {
		head := &s.Operators[own[0]].Subtasks[k]
		w := head.In
		switch {
		case vx.IsSource():
			tail := &s.Operators[end(f, vx)].Subtasks[k]
			w = tail.Out
			most = max(most, w)
			if tail.Idle {
				continue
			}
		case len(head.Inputs) > 1:
			w = head.Out
		}
		active = true
		least = min(least, w)
	}
	if !active {
		return most
	}
	return least
}

// end is the operator of the twin that feeds the out edges of a vertex.
func end(f *playback, vx *model.Vertex) int {
	for i, p := range f.places {
		if p.vertex == vx && f.job.Operators[i].Work.Kind == job.Delay {
			return f.job.Operators[i].Inputs[0].From[0]
		}
	}
	return f.ops[vx][0]
}

// holder is the place that a vertex waits for at the end of the run.
func (b *base) holder(f *playback, vx *model.Vertex) *Holder {
	s := f.at[b.now.lo]
	at, k := f.ops[vx][0], 0
	for i := range s.Operators[at].Subtasks {
		if s.Operators[at].Subtasks[i].In < s.Operators[at].Subtasks[k].In {
			k = i
		}
	}
	for range f.places {
		h := s.Operators[at].Subtasks[k].Holder
		p := f.places[at]
		out := &Holder{Point: model.Point{Vertex: p.vertex.Ref(), Subtask: &k}, Watermark: watermark(h.Watermark)}
		if src := f.job.Operators[at].Source; src != nil {
			for _, s := range src.Splits {
				if s.ID() == h.By.Split {
					out.Split = s.Topic // build puts the name of the split there
				}
			}
			return out
		}
		next := slices.IndexFunc(f.job.Operators, func(o job.Operator) bool { return o.Name == h.By.Node })
		if next < 0 {
			return out
		}
		at, k = next, h.By.Subtask
	}
	return nil
}

// estimates says why the numbers of a design are estimates.
func (b *base) estimates(d *design) []string {
	out := []string{}
	for _, vx := range b.cross.Job().Vertices {
		n, wider := d.width[vx]
		if !wider {
			continue
		}
		out = append(out, fmt.Sprintf("parallelism %d of %s: splits are assigned as by Kafka's enumerator, keys by the hash codes of Java's String and Long; how fast %d subtasks read is not known", n, model.QuoteName(vx.Name), n))
	}
	for _, f := range d.sources {
		if f.strategy.SQL && f.behind == nil && !d.version.Behaviour().SQLKeepsMax {
			out = append(out, fmt.Sprintf("the generator of table %s keeps the last event time, not the largest (FLINK-37025): its watermarks depend on the phase of its timer", f.name))
		}
		if f.idleMost > 0 && f.origin["idle-timeout"] == FromSilence {
			out = append(out, fmt.Sprintf("the idle timeout of source %s is assumed to be %s: its splits have no gauges, so only an upper limit of %s is known; give it with --known '%s.idle-timeout=…'",
				f.name, units.Duration(f.strategy.IdleMs), units.Duration(f.idleMost), f.name))
		}
		if f.origin["delay"] == FromNothing {
			out = append(out, fmt.Sprintf("the delay of source %s is assumed to be 0, since no watermark shows it: give it with --known '%s.delay=…'", f.name, f.name))
		}
		if (f.origin["delay"] == FromChange || f.origin["interval"] == FromChange) && b.silentGenerator(f) {
			out = append(out, fmt.Sprintf("source %s emits no watermark, either because it has no strategy or because pipeline.auto-watermark-interval is 0: the first is assumed", f.name))
		}
	}
	return out
}
