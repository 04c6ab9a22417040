package whatif

import (
	"fmt"
	"math"
	"slices"

	"tidemark/analyze/model"
	"tidemark/engine"
	"tidemark/engine/simulate"
	"tidemark/engine/twin/job"
	"tidemark/engine/twin/run"
	"tidemark/internal/units"
)

// points is how many steps of the time judged a series has.
const points = 240

// steps are the moments at which a series is read.
func (b *base) steps() []int64 {
	all := make([]int64, points+1)
	for i := range all {
		all[i] = b.fromMs + (b.now.lo-b.fromMs)*int64(i)/points
	}
	return all
}

// column reads a design's films.
func (b *base) column(name string, settings []Setting, d *design, f films) Column {
	c := Column{Name: name, Settings: []string{}, Vertices: []VertexOutcome{}, Operators: []OperatorOutcome{}, Estimates: b.estimates(d)}
	for _, s := range settings {
		c.Settings = append(c.Settings, s.String())
	}
	for _, vx := range b.cross.Job().Vertices {
		if b.dark[vx] != nil {
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

func (b *base) vertexOutcome(d *design, f films, vx *model.Vertex) VertexOutcome {
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

// eventTime is what a vertex goes by: the least input of its subtasks, of several inputs what its head
// passes on, and of a source what its active subtasks emit.
func eventTime(f *film, vx *model.Vertex, s *run.Snapshot) int64 {
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

// end is the operator of the twin that a vertex's edges leave from.
func end(f *film, vx *model.Vertex) int {
	for i, p := range f.places {
		if p.vertex == vx && f.job.Operators[i].Work.Kind == job.Delay {
			return f.job.Operators[i].Inputs[0].From[0]
		}
	}
	return f.ops[vx][0]
}

// holder walks from a vertex to what it waits for at the end.
func (b *base) holder(f *film, vx *model.Vertex) *Holder {
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
					out.Split = s.Topic // by which build names a split
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

func (b *base) operatorOutcome(d *design, f films, vx *model.Vertex, op *model.Operator, at int) (OperatorOutcome, bool) {
	w := f[nominal].job.Operators[at].Work
	o := OperatorOutcome{Vertex: *vx.Ref(), Operator: op.Name, Roughly: b.roughly(f[nominal], vx, op)}
	if o.Roughly == "" && d.shortMs > 0 && w.Kind == job.Window {
		o.Unknown = true
		o.Roughly = fmt.Sprintf("it still holds windows of before what could be played: under these settings, records of %s more were needed", units.Duration(d.shortMs))
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
	pick := func(count func(h *hearing) int64) Range {
		r := Range{Low: count(f[nominal].narrow[at]), Twin: count(f[nominal].heard[at]), High: count(f[nominal].wide[at])}
		for v := range variants {
			n := count(f[v].heard[at])
			r.Low, r.High = min(r.Low, n), max(r.High, n)
		}
		return r
	}
	h := f[nominal].heard[at]
	o.Windows = pick(func(h *hearing) int64 { return int64(len(h.windows)) })
	o.Rows = pick(func(h *hearing) int64 { return h.rows })
	o.Dropped = pick(func(h *hearing) int64 { return h.lost })
	o.Again, o.FirstMs, o.LatestMs = h.again, h.firstMs, h.latestMs
	if n := h.latency.Count(); n > 0 {
		o.p50, o.p99, o.silent = f.quantile(at, 1, 2), f.quantile(at, 99, 100), f.silent(at)
		o.Latency = simulate.Spread{N: int64(n), P50: h.latency.Quantile(1, 2), P99: h.latency.Quantile(99, 100), Max: h.latency.Max()}
	}
	if w.Kind == job.IntervalJoin {
		return o, true // it does not count what it keeps
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

// quantile is a quantile of an operator's latency, over the runs in which something fires.
func (f films) quantile(at int, num, den uint64) Range {
	n := f[nominal].heard[at].latency.Quantile(num, den)
	r := Range{n, n, n}
	heard := []*hearing{f[nominal].narrow[at], f[nominal].wide[at]}
	for v := range variants {
		heard = append(heard, f[v].heard[at])
	}
	for _, h := range heard {
		if h.latency.Count() > 0 {
			n := h.latency.Quantile(num, den)
			r.Low, r.High = min(r.Low, n), max(r.High, n)
		}
	}
	return r
}

// silent reports an operator of which nothing fires in one of the runs.
func (f films) silent(at int) bool {
	return slices.ContainsFunc(f[:], func(one *film) bool { return one.heard[at].latency.Count() == 0 })
}

// roughly says why an operator's counts are not exact: something before it sends on another number of
// records than it takes.
func (b *base) roughly(f *film, vx *model.Vertex, op *model.Operator) string {
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

// before reports an operator of a chain that stands before another.
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

// estimates says what of a design is not exact.
func (b *base) estimates(d *design) []string {
	out := []string{}
	for _, vx := range b.cross.Job().Vertices {
		n, wider := d.width[vx]
		if !wider {
			continue
		}
		out = append(out, fmt.Sprintf("parallelism %d of %s: splits are dealt out as Kafka's enumerator does, keys as Java's String and Long hash; how fast %d subtasks read is not known", n, model.QuoteName(vx.Name), n))
	}
	for _, f := range d.sources {
		if f.strategy.SQL && f.behind == nil && !d.version.Behaviour().SQLKeepsMax {
			out = append(out, fmt.Sprintf("the generator of table %s keeps the last event time and not the largest (FLINK-37025): what it emits depends on the phase of its timer", f.name))
		}
		if f.idleMost > 0 && f.origin["idle-timeout"] == FromSilence {
			out = append(out, fmt.Sprintf("the idle timeout of source %s is taken to be %s: without gauges of its splits only that it is below %s is seen, and when a silent one was left out depends on it; say it with --known '%s.idle-timeout=…'",
				f.name, units.Duration(f.strategy.IdleMs), units.Duration(f.idleMost), f.name))
		}
		if f.origin["delay"] == FromNothing {
			out = append(out, fmt.Sprintf("no watermark tells the delay of source %s, which is taken to be 0: say it with --known '%s.delay=…'", f.name, f.name))
		}
		if (f.origin["delay"] == FromChange || f.origin["interval"] == FromChange) && b.silentGenerator(f) {
			out = append(out, fmt.Sprintf("source %s emits no watermark as it is, and nothing tells whether it has no strategy or whether pipeline.auto-watermark-interval is 0: it is taken to have none", f.name))
		}
	}
	return out
}

// passesAll reports an operator that sent on one record for each it took between the samples.
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
