// Package run plays a described job on the watermark engine and reads its gauges at given
// moments. It adds what a job has besides event time: readers that read one record at a time,
// operators that take time, queues in front of them, and counters.
package run

import (
	"fmt"
	"slices"

	"tidemark/engine"
	"tidemark/engine/twin/job"
)

// rateMs is the period over which Flink averages its per-second gauges (MeterView, TimerGauge).
const rateMs = 60_000

// alignStepMs is how often a reader that alignment holds back checks again.
const alignStepMs = 100

// Watch has functions that are called while a job is played; nil ones are skipped. op is an index
// of the description's operators. A drop comes with its wall clock and the event time of the
// record, both epoch ms.
type Watch struct {
	Fired   func(op, subtask int, f engine.Fired)
	Dropped func(op, subtask int, at, ts int64)
}

// Play plays a job with a Watch and reads its gauges at each moment (epoch ms, ascending).
func Play(j *job.Job, w Watch, moments ...int64) ([]Snapshot, error) {
	var out []Snapshot
	var r *run
	began := -1
	for _, stop := range stops(moments) {
		if n := startBefore(j, stop); n != began {
			var err error
			if r, err = begin(j, n, w); err != nil {
				return nil, err
			}
			began = n
		}
		end := stop
		if j.EndMs > 0 {
			end = min(end, j.EndMs)
		}
		if err := r.advance(end); err != nil {
			return nil, fmt.Errorf("job %q: %w", j.Name, err)
		}
		if slices.Contains(moments, stop) {
			out = append(out, r.snapshot(stop))
		} else {
			r.mark()
		}
	}
	return out, nil
}

// stops are the moments, plus the time one minute before each, where its rates begin.
func stops(moments []int64) []int64 {
	var all []int64
	for _, m := range moments {
		all = append(all, m, m-rateMs)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// startBefore is the index of the run that is active at a time; 0 before the first run.
func startBefore(j *job.Job, at int64) int {
	n := 0
	for i, s := range j.StartsMs {
		if s <= at {
			n = i
		}
	}
	return n
}

// run is one run of a job: from a start to a failure.
type run struct {
	desc    *job.Job
	watch   Watch
	startMs int64
	eng     *engine.Job
	nodes   []*engine.Node
	tasks   [][]*task   // by operator and subtask; nil for sources
	readers [][]*reader // by operator and subtask; nil for operators with inputs
	all     []*reader
	splits  map[splitKey][]engine.SplitEvent
	marks   []totals
}

type splitKey struct {
	node, split string
}

func begin(j *job.Job, n int, w Watch) (*run, error) {
	r := &run{desc: j, watch: w, startMs: j.StartsMs[n], splits: map[splitKey][]engine.SplitEvent{}}
	r.eng = engine.NewJob(engine.JobConfig{Version: j.Flink, StartMs: r.startMs, OnSplit: func(e engine.SplitEvent) {
		k := splitKey{e.Node, e.Split}
		r.splits[k] = append(r.splits[k], e)
	}})
	for i := range j.Operators {
		op := &j.Operators[i]
		if op.Source != nil {
			r.source(i, op, j.Restored || n > 0, r.restoredFrom(n))
		} else {
			r.operator(i, op)
		}
	}
	for _, rd := range r.all {
		rd.chain(r)
	}
	return r, r.eng.Err()
}

// restoredFrom is the wall clock up to which run n has already read everything; 0 = nothing.
func (r *run) restoredFrom(n int) int64 {
	if n == 0 || r.desc.CheckpointMs == 0 {
		return 0
	}
	run := r.desc.Failures[n-1].AtMs - r.desc.StartsMs[n-1]
	return r.desc.StartsMs[n-1] + run/r.desc.CheckpointMs*r.desc.CheckpointMs
}

func (r *run) source(i int, op *job.Operator, restored bool, fromMs int64) {
	spec := engine.SourceSpec{Strategy: r.strategy(op.Source.Strategy), Parallelism: op.Parallelism, Restored: restored, Align: op.Source.Align}
	node := r.eng.Source(op.Name, spec)
	readers := make([]*reader, op.Parallelism)
	for s := range readers {
		readers[s] = &reader{op: i, node: node, subtask: s, aligned: op.Source.Align != nil, bounded: op.Source.Bounded, arrival: op.Source.ArrivalStamps, free: float64(r.startMs)}
	}
	for k := range op.Source.Splits {
		split := &op.Source.Splits[k]
		if split.Subtask < len(readers) {
			readers[split.Subtask].take(split, fromMs)
		}
	}
	r.nodes, r.tasks, r.readers = append(r.nodes, node), append(r.tasks, nil), append(r.readers, readers)
	r.all = append(r.all, readers...)
	for _, rd := range readers {
		r.eng.Fail(rd.assign(r.startMs, restored))
	}
}

func (r *run) operator(i int, op *job.Operator) {
	var tasks []*task
	inputs := make([]engine.Input, len(op.Inputs))
	for k, in := range op.Inputs {
		inputs[k].Ship = in.Ship
		for _, from := range in.From {
			inputs[k].From = append(inputs[k].From, r.nodes[from])
		}
	}
	node := r.eng.Operator(op.Name, op.Parallelism, func(c engine.Context) (engine.Task, error) {
		t, err := r.newTask(i, op, c)
		tasks = append(tasks, t)
		return t, err
	}, inputs...)
	r.nodes, r.tasks, r.readers = append(r.nodes, node), append(r.tasks, tasks), append(r.readers, nil)
}

// advance lets readers read and timers fire up to a time.
func (r *run) advance(to int64) error {
	for r.eng.Err() == nil {
		horizon := to
		var next *reader
		due := engine.End
		for _, rd := range r.all {
			at, held := rd.due(r.eng.Now())
			if held {
				horizon = min(horizon, r.eng.Now()+alignStepMs)
			}
			// Of the readers that wait for room, the one that has waited longest reads first:
			// each channel has its own credits.
			if at < due || at == due && next != nil && rd.lastRead < next.lastRead {
				next, due = rd, at
			}
		}
		switch {
		case due <= horizon:
			if err := r.eng.AdvanceTo(max(due, r.eng.Now())); err != nil {
				return err
			}
			if err := next.step(r.eng.Now()); err != nil {
				return err
			}
		case horizon <= r.eng.Now() && horizon < to:
			return fmt.Errorf("no way on from %d", horizon)
		default:
			if err := r.eng.AdvanceTo(max(horizon, r.eng.Now())); err != nil {
				return err
			}
			if horizon == to {
				return nil
			}
		}
	}
	return r.eng.Err()
}
