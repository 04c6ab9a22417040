package run

import "tidemark/engine"

// Snapshot is every gauge of a job at one moment.
type Snapshot struct {
	AtMs      int64
	StartMs   int64      // of the active run
	Operators []Operator // as the description
}

// Operator holds the gauges of an operator's subtasks.
type Operator struct{ Subtasks []Subtask }

// Subtask holds the gauges of one subtask of an operator.
type Subtask struct {
	Inputs       []int64 // watermark of each logical input, after its valve
	In, Out      int64   // watermark into and out of the operator
	Received     int64   // records since the start of the run
	Sent         int64
	Late         int64 // dropped and counted
	Dropped      int64 // dropped, counted or not
	Open, Peak   int   // windows open, or records waiting: now, and the most so far; not known for an interval join
	Idle         bool  // its output was last announced idle
	Holder       engine.Hold
	Timers       int64
	Busy         float64 // ms per second over the last minute, of the whole task of the subtask
	Pressed      float64 // likewise, back-pressured
	BusyMs       float64 // since the start of the run
	PressedMs    float64
	ReceivedRate float64 // records per second over the last minute
	SentRate     float64
	Source       *Source // nil for an operator with inputs
	FinishedMs   int64   // wall clock, 0 = running
}

// Source holds the gauges of a reader.
type Source struct {
	Pending   int64
	IdleMs    int64  // sourceIdleTime
	EmitLagMs *int64 // currentEmitEventTimeLag, nil before the first record
	LagMs     *int64 // watermarkLag, nil before the first watermark
	DriftMs   *int64 // watermarkAlignmentDrift, nil before the first announcement
	Splits    []Split
}

// Split holds the gauges of a split. Lost says that they are the last values of a split that is
// gone.
type Split struct {
	ID, Topic                  string
	Partition                  int
	Offset                     int64 // of the last record, -1 = none
	Watermark                  int64
	ActiveMs, IdleMs, PausedMs int64 // since it was assigned
	IdleRate, PausedRate       float64
	Lost                       bool
}

// totals are the counters at a moment; rates are derived from them.
type totals struct {
	atMs int64
	ops  [][]counts
}

type counts struct {
	received, sent    int64
	busyMs, pressedMs float64
}

func (r *run) mark() { r.marks = append(r.marks, r.count()) }

func (r *run) count() totals {
	t := totals{atMs: r.eng.Now()}
	for i := range r.desc.Operators {
		var all []counts
		for _, rd := range r.readers[i] {
			all = append(all, counts{rd.read, rd.read, rd.busyMs, rd.pressedMs})
		}
		for _, k := range r.tasks[i] {
			all = append(all, counts{received: k.received, sent: k.sent, busyMs: k.busyMs})
		}
		t.ops = append(t.ops, all)
	}
	return t
}

// snapshot reads every gauge; at is the wall clock, which is later than the engine's clock for a
// job that has ended.
func (r *run) snapshot(at int64) Snapshot {
	s := Snapshot{AtMs: at, StartMs: r.startMs}
	now, before := r.count(), r.before(at-rateMs)
	span := float64(max(now.atMs-before.atMs, 1)) / 1000
	for i := range r.desc.Operators {
		var op Operator
		for k := range now.ops[i] {
			c, b := now.ops[i][k], counts{}
			if before.ops != nil {
				b = before.ops[i][k]
			}
			sub := Subtask{
				Received: c.received, Sent: c.sent, BusyMs: c.busyMs, PressedMs: c.pressedMs,
				ReceivedRate: float64(c.received-b.received) / span, SentRate: float64(c.sent-b.sent) / span,
				Busy: min((c.busyMs-b.busyMs)/span, 1000), Pressed: min((c.pressedMs-b.pressedMs)/span, 1000),
			}
			sub.Out, sub.Idle = r.nodes[i].Output(k)
			sub.Holder = r.nodes[i].Holder(k)
			if r.readers[i] != nil {
				r.readSource(&sub, r.readers[i][k])
			} else {
				r.readTask(&sub, i, k)
			}
			op.Subtasks = append(op.Subtasks, sub)
		}
		s.Operators = append(s.Operators, op)
	}
	return s
}

// before returns the newest mark at or before a time, or the start of the run.
func (r *run) before(at int64) totals {
	last := totals{atMs: r.startMs}
	for _, m := range r.marks {
		if m.atMs <= at {
			last = m
		}
	}
	return last
}

func (r *run) readTask(sub *Subtask, op, k int) {
	t := r.tasks[op][k]
	sub.Late, sub.Timers, sub.In = t.late, t.timers, t.in
	sub.Dropped, sub.Open, sub.Peak = t.dropped, t.open, t.peak
	for input := range r.desc.Operators[op].Inputs {
		sub.Inputs = append(sub.Inputs, r.nodes[op].Input(k, input))
	}
	if len(sub.Inputs) > 1 && !t.queues() {
		sub.In = engine.End
		for _, w := range sub.Inputs {
			sub.In = min(sub.In, w)
		}
	}
}
