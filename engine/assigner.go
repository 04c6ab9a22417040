package engine

import "fmt"

// Assigner assigns watermarks behind a source or operator. It corresponds to
// TimestampsAndWatermarksOperator (DataStream, "Timestamps/Watermarks"). It drops all upstream
// watermark statuses, and all upstream watermarks except End.
type Assigner struct {
	gen       generator
	hot       hot
	clock     ActivityClock
	forward   *forward
	interval  int64
	now       int64
	nextProbe int64
}

// NewAssigner opens the operator at clock startMs.
func NewAssigner(s Strategy, v Version, startMs int64, out Output) (*Assigner, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	b := v.Behaviour()
	a := &Assigner{
		forward:  &forward{out: out, max: None},
		interval: s.IntervalMs, now: startMs, nextProbe: nextAfter(startMs, s.IntervalMs),
	}
	a.gen, a.hot = newGenerator(s, b)
	a.clock.wall = !b.PausableClocks
	return a, nil
}

// nextAfter returns now + interval, or End when that overflows or the interval is 0.
func nextAfter(now, interval int64) int64 {
	if interval <= 0 || now > End-interval {
		return End
	}
	return now + interval
}

// Record gives the generator a record's event time, after the record was sent downstream.
func (a *Assigner) Record(ts int64) { a.gen.onEvent(&a.hot, ts, a.forward) }

// AdvanceTo runs the periodic emissions up to clock now (ms).
func (a *Assigner) AdvanceTo(now int64) error {
	if now < a.now {
		return fmt.Errorf("clock goes back from %d to %d", a.now, now)
	}
	for a.nextProbe <= now && a.nextProbe != End {
		a.now = a.nextProbe
		a.gen.onPeriodic(&a.hot, a.clock.At(a.now), a.forward)
		a.nextProbe = nextAfter(a.now, a.interval)
	}
	a.now = now
	return nil
}

// EmitWatermark handles an upstream watermark: only End passes.
func (a *Assigner) EmitWatermark(ts int64) {
	if ts == End {
		a.forward.EmitWatermark(End)
	}
}

// EmitStatus drops an upstream status.
func (a *Assigner) EmitStatus(bool) {}

// SetBackpressured pauses the idleness clock (FLIP-471).
func (a *Assigner) SetBackpressured(on bool) error {
	if on {
		a.clock.Pause(a.now)
		return nil
	}
	return a.clock.Resume(a.now)
}

// Finish emits the generator's last watermark; End arrives from upstream.
func (a *Assigner) Finish() { a.gen.onPeriodic(&a.hot, a.clock.At(a.now), a.forward) }

// Now is the clock value of the last AdvanceTo.
func (a *Assigner) Now() int64 { return a.now }
