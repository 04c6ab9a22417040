package run

import (
	"fmt"

	"tidemark/engine"
	"tidemark/engine/twin/job"
)

// newTask builds a subtask of an operator.
func (r *run) newTask(i int, op *job.Operator, c engine.Context) (*task, error) {
	t := &task{op: op, waits: op.CostMs > 0 && !op.Chained, place: i, subtask: c.Subtask, now: c.Now, in: engine.None, free: float64(r.startMs)}
	send := c.Emit
	c.Emit = func(key, ts int64) {
		t.sent++
		send(key, ts)
	}
	work, err := r.newWork(op, c, t)
	if err != nil {
		return nil, fmt.Errorf("operator %q: %w", op.Name, err)
	}
	t.work = work
	if d, ok := work.(*delay); !ok || d.ms > 0 {
		t.timer, _ = work.(timed)
	}
	return t, nil
}

func (r *run) newWork(op *job.Operator, c engine.Context, t *task) (worker, error) {
	w := op.Work
	switch w.Kind {
	case job.Pass:
		return engine.Pass(nil)(c)
	case job.Sink:
		return sink{c}, nil
	case job.Window:
		return r.newWindow(w, c, t)
	case job.IntervalJoin:
		return r.newJoin(w, c, t)
	case job.Assign:
		return engine.Assigners(r.strategy(w.Strategy))(c)
	case job.SQLAssign:
		return engine.SQLAssigners(r.strategy(w.Strategy))(c)
	case job.MiniBatch:
		return engine.MiniBatches(w.IntervalMs)(c)
	case job.Wait:
		b, err := engine.NewBuffer(w.Buffer, func(b engine.Buffered) { c.Emit(b.Key, b.EventTime) })
		return &waiting{c, b, t, r}, err
	case job.TemporalJoin:
		b, err := engine.NewBuffer(engine.Versioned, func(b engine.Buffered) { c.Emit(b.Key, b.EventTime) })
		return &temporal{waiting{c, b, t, r}}, err
	case job.Delay:
		return &delay{Context: c, ms: w.IntervalMs}, nil
	case job.LocalAgg:
		return &localAgg{Context: c, size: slice(w.Window), rows: map[row]int64{}}, nil
	case job.Hold:
		return &hold{c, w.FromMs}, nil
	case job.ProcWindow:
		return newProcWindow(c, w.Window.SizeMs), nil
	}
	return nil, fmt.Errorf("unknown kind of work %d", w.Kind)
}

// strategy converts a strategy for the engine, with the user's generator if it has one.
func (r *run) strategy(s job.Strategy) engine.Strategy {
	out := s.Strategy
	if s.Own == job.Flinks {
		return out
	}
	bound := out.BoundMs
	out.Kind, out.BoundMs = engine.Custom, 0
	now := func() int64 { return r.eng.Now() }
	out.New = func() engine.Generator {
		return &generator{own: s.Own, bound: bound, until: s.FromMs, now: now, max: engine.None}
	}
	return out
}

// generator is a generator written by users.
type generator struct {
	own          job.Own
	bound, until int64
	now          func() int64
	max          int64
}

func (g *generator) OnEvent(ts int64, _ engine.GeneratorOutput) { g.max = max(g.max, ts) }

func (g *generator) OnPeriodic(out engine.GeneratorOutput) {
	switch {
	case g.own == job.Clock:
		out.EmitWatermark(g.now() - g.bound)
	case g.max == engine.None:
	case g.own == job.Max:
		out.EmitWatermark(engine.End)
	case g.own == job.Stops && g.now() < g.until:
		out.EmitWatermark(g.max - g.bound - 1)
	}
}

// sink takes every record and emits nothing.
type sink struct{ engine.Context }

func (s sink) EmitWatermark(ts int64)         { s.Out.EmitWatermark(ts) }
func (s sink) EmitStatus(idle bool)           { s.Out.EmitStatus(idle) }
func (s sink) Record(int, int64, int64) error { return nil }

// waiting is CEP, OVER or a sort.
type waiting struct {
	engine.Context
	buffer *engine.Buffer
	task   *task
	run    *run
}

func (w *waiting) EmitStatus(idle bool) { w.Out.EmitStatus(idle) }
func (w *waiting) EmitWatermark(ts int64) {
	w.buffer.Watermark(ts)
	w.task.holds(w.buffer.Waiting())
	w.Out.EmitWatermark(ts)
}
func (w *waiting) Record(_ int, key, ts int64) error {
	w.buffer.Record(key, ts)
	n, counted := w.buffer.Dropped()
	if n > w.task.dropped {
		w.run.dropped(w.task, ts)
	}
	if w.task.dropped = n; counted {
		w.task.late = n
	}
	w.task.holds(w.buffer.Waiting())
	return nil
}

// temporal is an event-time temporal join: rows of the left side wait for the watermark, and are
// joined however late they are.
type temporal struct{ waiting }

func (t *temporal) Record(input int, key, ts int64) error {
	if input > 0 {
		return nil
	}
	return t.waiting.Record(input, key, ts)
}

// hold receives watermarks and, from a given time on, keeps them.
type hold struct {
	engine.Context
	from int64
}

func (h *hold) EmitStatus(idle bool) { h.Out.EmitStatus(idle) }
func (h *hold) EmitWatermark(ts int64) {
	if h.Now() < h.from {
		h.Out.EmitWatermark(ts)
	}
}
func (h *hold) Record(_ int, key, ts int64) error {
	h.Emit(key, ts)
	return nil
}
