package run

import (
	"tidemark/engine"
	"tidemark/engine/twin/job"
)

// worker is the work of a task; some workers have timers, some drop late records.
type worker interface {
	engine.Output
	Record(input int, key, ts int64) error
}

type timed interface {
	AdvanceTo(now int64) error
	NextTimer() int64
}

// task is one subtask of an operator: a queue if its records take time, then the operator, with
// counters around it.
type task struct {
	op       *job.Operator
	waits    bool // its elements wait in a queue
	place    int  // index of op in the description
	subtask  int
	now      func() int64
	work     worker
	timer    timed // nil without a timer
	in       int64 // watermark that entered the operator
	received int64
	sent     int64
	late     int64 // dropped and counted
	dropped  int64 // counted or not
	open     int   // windows, or records that wait; an interval join does not count what it keeps
	peak     int
	timers   int64
	queue    []element
	head     int
	free     float64 // when the last element of the queue will be done
	busyMs   float64
}

// holds notes how many windows or records the operator holds now.
func (t *task) holds(n int) { t.open, t.peak = n, max(t.peak, n) }

// element waits in a queue: a record, a watermark or a status.
type element struct {
	at      float64 // when its turn comes
	kind    uint8
	input   int
	key, ts int64
	cost    float64
}

const (
	isRecord uint8 = iota
	isWatermark
	isIdle
	isActive
)

func (t *task) EmitWatermark(ts int64) {
	if t.queues() {
		t.enqueue(element{kind: isWatermark, ts: ts})
		return
	}
	t.watermark(ts)
}

func (t *task) EmitStatus(idle bool) {
	if !t.queues() {
		t.work.EmitStatus(idle)
		return
	}
	kind := isActive
	if idle {
		kind = isIdle
	}
	t.enqueue(element{kind: kind})
}

// Record handles a record, or puts it into the queue.
func (t *task) Record(input int, key, ts int64) error {
	if t.queues() {
		t.enqueue(element{kind: isRecord, input: input, key: key, ts: ts, cost: t.op.CostMs})
		return nil
	}
	t.received++
	return t.work.Record(input, key, ts)
}

// queues reports a task with a queue in front; a task that is chained to another has none.
func (t *task) queues() bool { return t.waits }

// Timeless reports a task that needs no clock.
func (t *task) Timeless() bool { return !t.waits && t.timer == nil }

func (t *task) watermark(ts int64) {
	t.in = ts
	t.work.EmitWatermark(ts)
}

func (t *task) enqueue(e element) {
	now := float64(t.now())
	e.at = max(t.free, now) + e.cost
	if e.at <= now && t.head == len(t.queue) {
		t.serve(e)
		return
	}
	t.free = e.at
	t.queue = append(t.queue, e)
}

func (t *task) serve(e element) error {
	t.busyMs += e.cost
	switch e.kind {
	case isRecord:
		t.received++
		return t.work.Record(e.input, e.key, e.ts)
	case isWatermark:
		t.watermark(e.ts)
	default:
		t.work.EmitStatus(e.kind == isIdle)
	}
	return nil
}

// room is the time at which the queue can take another record.
func (t *task) room() float64 {
	limit := t.op.Queue
	if limit == 0 {
		limit = job.DefaultQueue
	}
	return t.free - float64(limit)*t.op.CostMs
}

// AdvanceTo runs the queue and the operator's timers.
func (t *task) AdvanceTo(now int64) error {
	for t.head < len(t.queue) && t.queue[t.head].at <= float64(now) {
		e := t.queue[t.head]
		t.head++
		if err := t.serve(e); err != nil {
			return err
		}
	}
	if t.head > 1000 && t.head > len(t.queue)/2 {
		t.queue = append(t.queue[:0], t.queue[t.head:]...)
		t.head = 0
	}
	if t.timer == nil {
		return nil
	}
	return t.timer.AdvanceTo(now)
}

// NextTimer is the time of the next step of the queue or the operator.
func (t *task) NextTimer() int64 {
	next := engine.End
	if t.timer != nil {
		next = t.timer.NextTimer()
	}
	if t.head < len(t.queue) {
		next = min(next, int64(t.queue[t.head].at)+1)
	}
	return next
}
