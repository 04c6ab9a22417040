package engine

import (
	"slices"
	"testing"
)

func TestBufferRules(t *testing.T) {
	for _, c := range []struct {
		name    string
		rule    BufferRule
		want    []int64 // event times in order of release
		dropped int64
		counted bool
	}{
		// Records 30, 10, 20, 20; watermark 20; records 20, 15, 40; watermark 100.
		{"match", Match, []int64{10, 20, 20, 30, 40}, 2, true},
		{"over", Over, []int64{10, 20, 20, 30, 40}, 2, true},
		{"sort", Sort, []int64{10, 20, 20, 30, 40}, 2, false},
		// The first row of the key is the one at 10; 15 is late, 20 is not but comes second.
		{"first row", FirstRow, []int64{10}, 1, true},
	} {
		var got []int64
		b, err := NewBuffer(c.rule, func(r Buffered) { got = append(got, r.EventTime) })
		check(t, err)
		for _, ts := range []int64{30, 10, 20, 20} {
			b.Record(1, ts)
		}
		b.Watermark(20)
		for _, ts := range []int64{20, 15, 40} {
			b.Record(1, ts)
		}
		b.Watermark(100)
		dropped, counted := b.Dropped()
		if !slices.Equal(got, c.want) || dropped != c.dropped || counted != c.counted || b.Waiting() != 0 {
			t.Errorf("%s: released %v, dropped %d (%v), waiting %d", c.name, got, dropped, counted, b.Waiting())
		}
	}
	if _, err := NewBuffer(99, func(Buffered) {}); err == nil {
		t.Error("unknown rule accepted")
	}
}

// A sort is late against what it last put out, not against the watermark.
func TestSortKeepsWhatFollowsItsLastRow(t *testing.T) {
	b, err := NewBuffer(Sort, func(Buffered) {})
	check(t, err)
	b.Record(1, 10)
	b.Watermark(50)
	if b.Record(1, 10) || !b.Record(1, 20) || !b.Record(2, 1) {
		t.Fatal("want 10 late for key 1, 20 kept, and key 2 untouched")
	}
}

func TestIntervalJoinBounds(t *testing.T) {
	if d := FromSQLBounds(-5000, 10_000).DelayMs(); d != 10_000 {
		t.Errorf("delay %d", d)
	}
	if d := (IntervalJoinSpec{LowerMs: -5, UpperMs: 7}).DelayMs(); d != 0 {
		t.Errorf("DataStream delay %d", d)
	}
	for name, spec := range map[string]IntervalJoinSpec{
		"empty": {LowerMs: 5, UpperMs: 4},
	} {
		if _, err := NewIntervalJoin(spec, &recorder{}, nil); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	j, err := NewIntervalJoin(IntervalJoinSpec{LowerMs: 0, UpperMs: 10}, &recorder{}, nil)
	check(t, err)
	if j.Record(2, 1, 1) == nil || j.Record(0, 1, None) == nil {
		t.Error("wrong records accepted")
	}
	check(t, j.Record(0, 1, 100))
	j.EmitWatermark(109)
	check(t, j.Record(1, 1, 105))
	if j.Late() != 1 || j.Kept() != 1 {
		t.Errorf("late %d, kept %d", j.Late(), j.Kept())
	}
	j.EmitWatermark(110)
	if j.Kept() != 0 {
		t.Errorf("kept %d after the interval passed", j.Kept())
	}
}

func TestMiniBatchAddsUpToAnInterval(t *testing.T) {
	out := &recorder{}
	m, err := NewMiniBatch(1000, out)
	check(t, err)
	for _, ts := range []int64{-5, 998, 999, 1500, 2500, 2999} {
		m.EmitWatermark(ts)
	}
	if want := []int64{999, 2500, 2999}; !slices.Equal(out.watermarks, want) {
		t.Fatalf("%v, want %v", out.watermarks, want)
	}
	if _, err := NewMiniBatch(0, out); err == nil {
		t.Error("interval 0 accepted")
	}
}

func TestSQLAssignerStartsAtZeroAndEmitsEagerly(t *testing.T) {
	out := &recorder{}
	a, err := NewSQLAssigner(Strategy{SQL: true, BoundMs: 1000, IntervalMs: 200}, Latest, 0, out)
	check(t, err)
	a.Record(900)
	check(t, a.AdvanceTo(1000))
	a.Record(1200) // value 200: not more than the interval above 0
	a.Record(1300) // value 300: at once
	if !slices.Equal(out.watermarks, []int64{300}) {
		t.Fatalf("%v", out.watermarks)
	}
	for name, s := range map[string]Strategy{
		"DataStream": {IntervalMs: 200}, "ascending": {Kind: Ascending, SQL: true}, "negative": {SQL: true, BoundMs: -1},
	} {
		if _, err := NewSQLAssigner(s, Latest, 0, out); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// FLINK-34252: before the fix the assigner turned idle under continuous traffic.
func TestSQLAssignerFlapsBeforeFLINK34252(t *testing.T) {
	for version, flaps := range map[Version]bool{{1, 18, 1}: true, {1, 20, 3}: false} {
		out := &recorder{}
		a, err := NewSQLAssigner(Strategy{SQL: true, IntervalMs: 200, IdleMs: 1000}, version, 0, out)
		check(t, err)
		for clock := int64(100); clock < 10_000; clock += 100 {
			check(t, a.AdvanceTo(clock))
			a.Record(clock)
		}
		if (len(out.statuses) > 0) != flaps {
			t.Errorf("Flink %s: statuses %v", version, out.statuses)
		}
	}
}

func TestAssignerBackpressure(t *testing.T) {
	out := &recorder{}
	a, err := NewAssigner(Strategy{IntervalMs: 200, IdleMs: 1000}, Latest, 0, out)
	check(t, err)
	a.Record(5000)
	check(t, a.AdvanceTo(400))
	check(t, a.SetBackpressured(true))
	check(t, a.AdvanceTo(9000))
	if len(out.statuses) != 0 {
		t.Fatalf("idle under backpressure: %v", out.statuses)
	}
	check(t, a.SetBackpressured(false))
	check(t, a.AdvanceTo(12_000))
	if !slices.Equal(out.statuses, []bool{true}) {
		t.Fatalf("statuses %v", out.statuses)
	}
	if a.SetBackpressured(false) == nil || a.AdvanceTo(1) == nil {
		t.Error("wrong calls accepted")
	}
}

func TestInputsRefuseUnknownOnes(t *testing.T) {
	in, err := NewInputs(2, Latest.Behaviour(), &recorder{})
	check(t, err)
	if in.Watermark(2, 1) == nil || in.Status(-1, true) == nil {
		t.Error("unknown input accepted")
	}
	if _, err := NewInputs(0, Latest.Behaviour(), &recorder{}); err == nil {
		t.Error("no input accepted")
	}
	if _, err := NewValve(0, &recorder{}); err == nil {
		t.Error("no channel accepted")
	}
}
