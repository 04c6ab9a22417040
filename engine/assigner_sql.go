package engine

import "fmt"

// SQLAssigner corresponds to WatermarkAssignerOperator (SQL "WatermarkAssigner"), which is used where
// the watermark was not pushed into the scan. Its watermark starts at 0, so it never emits one of
// 0 or less. It emits at once when the value has risen by more than the emission interval, and it
// forwards upstream statuses.
type SQLAssigner struct {
	out        Output
	delay      int64
	interval   int64
	idleMs     int64
	clock      ActivityClock
	counts     bool
	current    int64
	last       int64
	now        int64
	next       int64
	timer      int64
	emittedAt  int64
	activeAt   int64
	records    int64
	seen       int64
	idleStatus bool
}

// NewSQLAssigner opens the operator at clock startMs. It uses the delay, the emission interval
// and the idle timeout of the strategy, nothing else.
func NewSQLAssigner(s Strategy, v Version, startMs int64, out Output) (*SQLAssigner, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if s.Kind != BoundedOutOfOrderness || !s.SQL {
		return nil, fmt.Errorf("watermark assigner: want a SQL delay")
	}
	b := v.Behaviour()
	a := &SQLAssigner{
		out: out, delay: s.BoundMs, interval: s.IntervalMs, idleMs: s.IdleMs, counts: b.AssignerCountsRecords,
		now: startMs, emittedAt: startMs, activeAt: startMs, seen: -1,
	}
	a.clock.wall = !b.PausableClocks
	a.timer = a.interval
	if a.counts {
		a.timer = timerInterval(a.interval, a.idleMs)
	}
	a.next = nextAfter(startMs, a.timer)
	return a, nil
}

// timerInterval is WatermarkAssignerOperator.calculateProcessingTimeTimerInterval.
func timerInterval(interval, idle int64) int64 {
	if interval <= 0 || idle <= 0 {
		return max(interval, idle)
	}
	smaller, larger := min(interval, idle), max(interval, idle)
	if smaller*5 < larger {
		return smaller
	}
	return max(smaller/5, 1)
}

// Record is Before and After: the whole handling of a record's event time.
func (a *SQLAssigner) Record(ts int64) {
	a.Before()
	a.After(ts)
}

// Before runs ahead of the record: an idle operator becomes active.
func (a *SQLAssigner) Before() {
	a.records++
	if a.idleMs > 0 && a.idleStatus {
		a.EmitStatus(false)
		if !a.counts {
			a.activeAt = a.now
		}
	}
}

// After runs once the record was sent downstream.
func (a *SQLAssigner) After(ts int64) {
	a.current = max(a.current, ts-a.delay)
	if a.current-a.last > a.interval {
		a.advance()
	}
}

func (a *SQLAssigner) advance() {
	if a.current > a.last {
		a.last = a.current
		a.out.EmitWatermark(a.current)
	}
}

// AdvanceTo runs the timer up to clock now (ms).
func (a *SQLAssigner) AdvanceTo(now int64) error {
	if now < a.now {
		return fmt.Errorf("clock goes back from %d to %d", a.now, now)
	}
	for a.next <= now && a.next != End {
		a.now = a.next
		a.onTimer()
		a.next = nextAfter(a.now, a.timer)
	}
	a.now = now
	return nil
}

func (a *SQLAssigner) onTimer() {
	if !a.counts {
		a.advance()
		if a.idleMs > 0 && !a.idleStatus && a.now-a.activeAt > a.idleMs {
			a.EmitStatus(true)
		}
		return
	}
	if a.interval > 0 && a.emittedAt+a.interval <= a.now {
		a.emittedAt = a.now
		a.advance()
	}
	reading := a.clock.At(a.now)
	if a.records != a.seen {
		a.activeAt, a.seen = reading, a.records
	}
	if a.idleMs > 0 && !a.idleStatus && a.activeAt+a.idleMs <= reading {
		a.EmitStatus(true)
	}
}

// EmitWatermark handles an upstream watermark: only End passes.
func (a *SQLAssigner) EmitWatermark(ts int64) {
	if ts != End || a.current == End {
		return
	}
	if a.idleMs > 0 && a.idleStatus {
		a.EmitStatus(false)
	}
	a.current = End
	a.out.EmitWatermark(End)
}

// EmitStatus forwards an upstream status.
func (a *SQLAssigner) EmitStatus(idle bool) {
	a.idleStatus = idle
	a.out.EmitStatus(idle)
}

// SetBackpressured pauses the idleness clock (FLIP-471).
func (a *SQLAssigner) SetBackpressured(on bool) error {
	if on {
		a.clock.Pause(a.now)
		return nil
	}
	return a.clock.Resume(a.now)
}

// Finish emits End.
func (a *SQLAssigner) Finish() { a.EmitWatermark(End) }

// Now is the clock value of the last AdvanceTo.
func (a *SQLAssigner) Now() int64 { return a.now }
