package engine

import "iter"

// From is shorthand for an Input.
func From(ship Ship, nodes ...*Node) Input { return Input{ship, nodes} }

type windowTask struct {
	Context
	window *Window
}

// Windows counts records per key and window and emits one record a firing, at
// the window's last millisecond.
func Windows(spec WindowSpec, sink WindowSink) Factory {
	return func(c Context) (Task, error) {
		emit := WindowSink{OnDropped: sink.OnDropped, OnFired: func(f Fired) {
			if sink.OnFired != nil {
				sink.OnFired(f)
			}
			c.Emit(f.Key, f.End-1)
		}}
		w, err := NewWindow(spec, emit)
		return &windowTask{c, w}, err
	}
}

func (t *windowTask) EmitStatus(idle bool) { t.Out.EmitStatus(idle) }
func (t *windowTask) EmitWatermark(ts int64) {
	t.window.SetClock(t.Now())
	t.window.Watermark(ts)
	t.Out.EmitWatermark(ts)
}
func (t *windowTask) Record(_ int, key, ts int64) error {
	t.window.SetClock(t.Now())
	_, err := t.window.Record(key, ts)
	return err
}

type joinTask struct {
	*IntervalJoin
}

// IntervalJoins joins input 0 (left) with input 1 (right).
func IntervalJoins(spec IntervalJoinSpec, pair func(Pair)) Factory {
	return func(c Context) (Task, error) {
		j, err := NewIntervalJoin(spec, c.Out, func(p Pair) {
			if pair != nil {
				pair(p)
			}
			c.Emit(p.Key, max(p.Left, p.Right))
		})
		return joinTask{j}, err
	}
}

// Replay runs a whole sequence and, with finish, ends the input.
func Replay(cfg ReplayConfig, records iter.Seq2[Record, error], finish bool) (Result, error) {
	r, err := NewReplayer(cfg)
	if err != nil {
		return Result{}, err
	}
	for record, err := range records {
		if err != nil {
			return Result{}, err
		}
		if err := r.Add(record); err != nil {
			return Result{}, err
		}
	}
	if finish {
		if err := r.Finish(); err != nil {
			return Result{}, err
		}
	}
	return r.Result(), nil
}
