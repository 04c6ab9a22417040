package engine

import (
	"slices"
	"strings"
	"testing"
)

var everySecond = Strategy{BoundMs: 1000, IntervalMs: 1000}

func TestOneEmptySplitHoldsTheWindow(t *testing.T) {
	var holds []Hold
	var fired []Fired
	job := NewJob(JobConfig{OnHold: func(h Hold) { holds = append(holds, h) }})
	orders := job.Source("orders", SourceSpec{Strategy: everySecond, Parallelism: 2, Splits: []string{"o-0", "o-1"}})
	window := job.Operator("window", 1, Windows(WindowSpec{SizeMs: 10_000}, WindowSink{OnFired: func(f Fired) { fired = append(fired, f) }}), From(Hash, orders))
	for clock := int64(0); clock < 60_000; clock += 500 {
		check(t, job.AdvanceTo(clock))
		check(t, orders.Record("o-0", 1, clock))
	}
	if len(fired) != 0 {
		t.Fatalf("fired %v though o-1 is silent", fired)
	}
	if h := window.Holder(0); h.By != (Feed{Node: "orders", Subtask: 1}) || h.Watermark != None {
		t.Fatalf("window held by %+v", h)
	}
	if h := orders.Holder(1); h.By.Split != "o-1" {
		t.Fatalf("subtask 1 held by %+v", h)
	}
	check(t, orders.Record("o-1", 1, 59_000))
	check(t, job.AdvanceTo(61_000))
	if len(fired) != 5 || fired[0].Records != 20 {
		t.Fatalf("after o-1 spoke: %v", fired)
	}
	if !slices.ContainsFunc(holds, func(h Hold) bool { return h.Node == "window" && h.By == Feed{Node: "orders", Subtask: 1} }) {
		t.Fatalf("trace %v", holds)
	}
}

func TestJoinHoldsByTheLargerBound(t *testing.T) {
	job := NewJob(JobConfig{})
	source := func(name string) *Node {
		return job.Source(name, SourceSpec{Strategy: Strategy{SQL: true, IntervalMs: 100}, Splits: []string{name}})
	}
	left, right := source("l"), source("r")
	var pairs []Pair
	join := job.Operator("join", 1, IntervalJoins(FromSQLBounds(-5000, 10_000), func(p Pair) { pairs = append(pairs, p) }), From(Hash, left), From(Hash, right))
	check(t, left.Record("l", 1, 60_000))
	check(t, right.Record("r", 1, 65_000))
	check(t, job.AdvanceTo(100))
	if w, _ := join.Output(0); w != 50_000 {
		t.Fatalf("join at %d, want the left's 60000 less 10000", w)
	}
	if !slices.Equal(pairs, []Pair{{1, 60_000, 65_000}}) {
		t.Fatalf("pairs %v", pairs)
	}
	if h := join.Holder(0); h.By != (Feed{Node: "l"}) || h.Input != 0 {
		t.Fatalf("held by %+v", h)
	}
}

func TestUnionBroadcastAndAssigner(t *testing.T) {
	job := NewJob(JobConfig{})
	a := job.Source("a", SourceSpec{Strategy: everySecond, Splits: []string{"a"}})
	b := job.Source("b", SourceSpec{Strategy: everySecond, Splits: []string{"b"}})
	var seen [2]int
	union := job.Operator("union", 2, Pass(func(subtask int, _, _ int64) { seen[subtask]++ }), From(Broadcast, a, b))
	assign := job.Operator("assign", 2, Assigners(Strategy{BoundMs: 7, IntervalMs: 100}), From(Forward, union))
	batch := job.Operator("batch", 1, MiniBatches(10_000), From(Rebalance, assign))
	check(t, a.Record("a", 1, 40_000))
	check(t, b.Record("b", 2, 30_000))
	check(t, job.AdvanceTo(1000))
	if w, _ := union.Output(1); w != 28_999 || seen != [2]int{2, 2} {
		t.Fatalf("union at %d, seen %v", w, seen)
	}
	if w, _ := assign.Output(0); w != 39_992 {
		t.Fatalf("assigner at %d: it ignores what comes from upstream", w)
	}
	if w, _ := batch.Output(0); w != 39_992 {
		t.Fatalf("mini-batch at %d", w)
	}
	check(t, a.Finish())
	check(t, b.Finish())
	for _, n := range []*Node{union, assign, batch} {
		if w, _ := n.Output(0); w != End {
			t.Errorf("%s ends at %d", n.Name(), w)
		}
	}
}

// FLINK-38477: a finished subtask counts as the largest watermark, so once the
// others are idle everything later is late.
func TestFinishedSubtaskBesideIdleOnes(t *testing.T) {
	job := NewJob(JobConfig{})
	src := job.Source("in", SourceSpec{Strategy: Strategy{IntervalMs: 100, IdleMs: 500}, Parallelism: 2, Splits: []string{"0", "1"}})
	sink := job.Operator("sink", 1, Pass(nil), From(Hash, src))
	check(t, src.Record("0", 1, 5000))
	check(t, src.Record("1", 1, 5000))
	check(t, job.AdvanceTo(100))
	check(t, src.FinishSubtask(0))
	if w, _ := sink.Output(0); w != 4999 {
		t.Fatalf("sink at %d", w)
	}
	check(t, job.AdvanceTo(2000))
	if w, _ := sink.Output(0); w != End {
		t.Fatalf("sink at %d, want End on a running job", w)
	}
}

func TestAlignmentInAJob(t *testing.T) {
	job := NewJob(JobConfig{})
	align := &AlignmentConfig{Group: "g", MaxDriftMs: 5000, UpdateMs: 1000, Samples: 0}
	spec := func(split string) SourceSpec {
		return SourceSpec{Strategy: Strategy{IntervalMs: 200}, Splits: []string{split}, Align: align}
	}
	fast, slow := job.Source("fast", spec("f")), job.Source("slow", spec("s"))
	read := 0
	job.Operator("sink", 1, Pass(func(_ int, key, _ int64) { read += int(key) }), From(Hash, fast, slow))
	for clock := int64(0); clock <= 20_000; clock += 100 {
		check(t, job.AdvanceTo(clock))
		check(t, fast.Record("f", 1, clock*10))
		check(t, slow.Record("s", 0, clock/10))
	}
	w, _ := fast.Output(0)
	s, _ := slow.Output(0)
	// The fast source may run on for an update interval (10 s of event time here)
	// beyond the drift before it is reported to wait.
	if w > s+5000+2*10_000 {
		t.Fatalf("fast at %d, slow at %d: not held", w, s)
	}
	if read == 0 || read > 30 {
		t.Fatalf("read %d records of the fast source", read)
	}
}

func TestJobErrors(t *testing.T) {
	job := NewJob(JobConfig{})
	src := job.Source("in", SourceSpec{Strategy: everySecond, Parallelism: 2, Splits: []string{"0"}})
	if err := src.Record("nope", 1, 1); err == nil || !strings.Contains(err.Error(), "nope") {
		t.Errorf("unknown split: %v", err)
	}
	if src.ReleaseSplit("nope") == nil || src.AddSplit("0", 0) == nil || src.AddSplit("9", 7) == nil || src.FinishSubtask(-1) == nil {
		t.Error("wrong calls accepted")
	}
	check(t, job.AdvanceTo(10))
	if job.AdvanceTo(5) == nil {
		t.Error("clock went back")
	}
	for name, build := range map[string]func(*Job){
		"strategy": func(j *Job) { j.Source("x", SourceSpec{Strategy: Strategy{BoundMs: -1}}) },
		"alignment": func(j *Job) {
			j.Source("x", SourceSpec{Strategy: everySecond, Align: &AlignmentConfig{MaxDriftMs: -1, UpdateMs: 1}})
		},
		"forward": func(j *Job) {
			j.Operator("y", 3, Pass(nil), From(Forward, j.Source("x", SourceSpec{Strategy: everySecond})))
		},
		"window": func(j *Job) {
			j.Operator("y", 1, Windows(WindowSpec{}, WindowSink{}), From(Hash, j.Source("x", SourceSpec{Strategy: everySecond})))
		},
		"nowhere": func(j *Job) { j.Operator("y", 1, Pass(nil), From(Hash)) },
	} {
		j := NewJob(JobConfig{})
		build(j)
		if j.Err() == nil || j.AdvanceTo(1) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
