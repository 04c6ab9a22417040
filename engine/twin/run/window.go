package run

import (
	"tidemark/engine"
	"tidemark/engine/twin/job"
)

// window is a window operator that reports its firings and drops to Watch.
type window struct {
	engine.Context
	window *engine.Window
	task   *task
}

func (r *run) newWindow(w job.Work, c engine.Context, t *task) (*window, error) {
	inner, err := engine.NewWindow(w.Window, engine.WindowSink{
		OnFired: func(f engine.Fired) {
			t.timers++
			if r.watch.Fired != nil {
				r.watch.Fired(t.place, t.subtask, f)
			}
			c.Emit(f.Key, f.End-1)
		},
		OnDropped: func(d engine.Dropped) {
			t.dropped++
			if d.Counted && !w.SideOutput {
				t.late++
			}
			r.dropped(t, d.EventTime)
		},
	})
	return &window{c, inner, t}, err
}

func (w *window) EmitStatus(idle bool) { w.Out.EmitStatus(idle) }
func (w *window) EmitWatermark(ts int64) {
	w.window.SetClock(w.Now())
	w.window.Watermark(ts)
	w.task.holds(w.window.Open())
	w.Out.EmitWatermark(ts)
}
func (w *window) Record(_ int, key, ts int64) error {
	w.window.SetClock(w.Now())
	_, err := w.window.Record(key, ts)
	w.task.holds(w.window.Open())
	return err
}

func (r *run) dropped(t *task, ts int64) {
	if r.watch.Dropped != nil {
		r.watch.Dropped(t.place, t.subtask, r.eng.Now(), ts)
	}
}

// join is an interval join that reports its drops to Watch: no Flink metric counts them.
type join struct {
	*engine.IntervalJoin
	task *task
	run  *run
}

func (r *run) newJoin(w job.Work, c engine.Context, t *task) (*join, error) {
	inner, err := engine.NewIntervalJoin(w.Join, c.Out, func(p engine.Pair) { c.Emit(p.Key, max(p.Left, p.Right)) })
	return &join{inner, t, r}, err
}

func (j *join) Record(input int, key, ts int64) error {
	if err := j.IntervalJoin.Record(input, key, ts); err != nil {
		return err
	}
	if n := j.Late(); n > j.task.dropped {
		j.task.dropped = n
		j.run.dropped(j.task, ts)
	}
	return nil
}
