package engine

import (
	"slices"
	"testing"
)

func mustSource(t testing.TB, cfg SourceConfig, out Output) *Source {
	t.Helper()
	s, err := NewSource(cfg, out)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestImpossibleStrategies(t *testing.T) {
	for name, s := range map[string]Strategy{
		"negative bound":    {BoundMs: -1},
		"negative interval": {IntervalMs: -1},
		"negative idle":     {IdleMs: -5},
		"no function":       {Kind: Punctuated},
		"no generator":      {Kind: Custom},
		"bounded ascending": {Kind: Ascending, BoundMs: 5},
		"unknown":           {Kind: 99},
	} {
		if _, err := NewSource(SourceConfig{Strategy: s}, &recorder{}); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestWatermarkValues(t *testing.T) {
	for _, c := range []struct {
		name     string
		strategy Strategy
		times    []int64
		want     int64
	}{
		{"bounded leaves one more millisecond", Strategy{BoundMs: 5000}, []int64{20000, 15000}, 14999},
		{"SQL does not", Strategy{BoundMs: 5000, SQL: true}, []int64{20000, 15000}, 15000},
		{"ascending", Strategy{Kind: Ascending}, []int64{20000}, 19999},
		{"none", Strategy{Kind: NoWatermarks}, []int64{20000}, None},
		{"largest time", Strategy{}, []int64{End}, End - 1},
		{"smallest time wraps in SQL as Java's long", Strategy{BoundMs: 1, SQL: true}, []int64{None}, End},
		{"smallest time holds in DataStream", Strategy{BoundMs: 1}, []int64{None, None + 1}, None},
		{"before 1970", Strategy{BoundMs: 10}, []int64{-100}, -111},
		{"largest bound", Strategy{BoundMs: End - 1}, []int64{5}, 5 - (End - 1) - 1},
	} {
		c.strategy.IntervalMs = 200
		out := &recorder{}
		s := mustSource(t, SourceConfig{Strategy: c.strategy}, out)
		split := s.AddSplit()
		for _, ts := range c.times {
			check(t, s.Record(split, ts))
		}
		check(t, s.AdvanceTo(200))
		if s.Watermark() != c.want {
			t.Errorf("%s: %d, want %d", c.name, s.Watermark(), c.want)
		}
	}
}

func TestSQLFollowsTheLastValueBeforeFLINK37025(t *testing.T) {
	for version, want := range map[Version]int64{{1, 18, 1}: 7000, {1, 20, 3}: 9000} {
		s := mustSource(t, SourceConfig{Strategy: Strategy{SQL: true, IntervalMs: 200}, Version: version}, &recorder{})
		split := s.AddSplit()
		check(t, s.Record(split, 9000))
		check(t, s.Record(split, 7000))
		check(t, s.AdvanceTo(200))
		if s.Watermark() != want {
			t.Errorf("Flink %s: %d, want %d", version, s.Watermark(), want)
		}
	}
}

func TestIntervalZeroTurnsEverythingOff(t *testing.T) {
	out := &recorder{}
	s := mustSource(t, SourceConfig{Strategy: Strategy{IdleMs: 100}}, out)
	check(t, s.Record(s.AddSplit(), 5000))
	check(t, s.AdvanceTo(1_000_000))
	if len(out.watermarks)+len(out.statuses) != 0 {
		t.Fatalf("emitted %v %v", out.watermarks, out.statuses)
	}
	s.Finish()
	if !slices.Equal(out.watermarks, []int64{End}) {
		t.Fatalf("end of input gave %v", out.watermarks)
	}
}

func TestIdlenessIsFoundByProbesOnly(t *testing.T) {
	out := &recorder{}
	s := mustSource(t, SourceConfig{Strategy: Strategy{IdleMs: 1000, IntervalMs: 200}}, out)
	quiet, busy := s.AddSplit(), s.AddSplit()
	check(t, s.Record(quiet, 1000))
	for clock := int64(100); clock <= 1500; clock += 100 {
		check(t, s.AdvanceTo(clock))
		check(t, s.Record(busy, 1000+clock))
	}
	// Last record at 0, probe at 200 sees it, 400 starts the countdown, 1400 is not
	// more than the timeout, 1600 is.
	check(t, s.AdvanceTo(1599))
	if s.SplitIdle(quiet) || s.Watermark() != 999 {
		t.Fatalf("idle too early, or watermark %d", s.Watermark())
	}
	check(t, s.AdvanceTo(1600))
	if !s.SplitIdle(quiet) || s.Watermark() != 2499 {
		t.Fatalf("idle %v, watermark %d", s.SplitIdle(quiet), s.Watermark())
	}
}

func TestPausedClock(t *testing.T) {
	for version, idle := range map[Version]bool{{1, 18, 1}: true, {2, 3, 0}: false} {
		s := mustSource(t, SourceConfig{Strategy: Strategy{IdleMs: 1000, IntervalMs: 200}, Version: version}, &recorder{})
		split := s.AddSplit()
		check(t, s.Record(split, 1000))
		check(t, s.AdvanceTo(300))
		check(t, s.PauseSplit(split))
		check(t, s.AdvanceTo(9000))
		if s.SplitIdle(split) != idle {
			t.Errorf("Flink %s: paused split idle %v", version, s.SplitIdle(split))
		}
	}
}

func TestLostSplitsKeepTheStatus(t *testing.T) {
	out := &recorder{}
	s := mustSource(t, SourceConfig{Strategy: Strategy{IdleMs: 500, IntervalMs: 200}}, out)
	split := s.AddSplit()
	check(t, s.Record(split, 1000))
	check(t, s.AdvanceTo(200))
	check(t, s.ReleaseSplit(split))
	check(t, s.AdvanceTo(100_000))
	if s.Idle() || s.Watermark() != 999 {
		t.Fatalf("idle %v at %d: FLINK-39586 is not fixed in 2.3.0", s.Idle(), s.Watermark())
	}
}

func TestResumingWithOlderDataStaysIdle(t *testing.T) {
	out := &recorder{}
	s := mustSource(t, SourceConfig{Strategy: Strategy{IdleMs: 500, IntervalMs: 200}}, out)
	split := s.AddSplit()
	check(t, s.Record(split, 10_000))
	check(t, s.AdvanceTo(5000))
	check(t, s.Record(split, 9000))
	check(t, s.AdvanceTo(5200))
	if !s.Idle() || s.SplitIdle(split) {
		t.Fatalf("source idle %v, split idle %v: want the split back and the source still idle (FLINK-40504)", s.Idle(), s.SplitIdle(split))
	}
	check(t, s.Record(split, 11_000))
	check(t, s.AdvanceTo(5400))
	if s.Idle() || s.Watermark() != 10_999 {
		t.Fatalf("idle %v at %d after newer data", s.Idle(), s.Watermark())
	}
}

func TestWrongCallsAreErrors(t *testing.T) {
	s := mustSource(t, SourceConfig{Strategy: Strategy{IntervalMs: 200}}, &recorder{})
	split := s.AddSplit()
	check(t, s.AdvanceTo(1000))
	for name, err := range map[string]error{
		"unknown split":       s.Record(7, 1),
		"negative split":      s.Record(-1, 1),
		"resume unpaused":     s.ResumeSplit(split),
		"resume main":         s.ResumeMain(),
		"clock back":          s.AdvanceTo(999),
		"release unknown":     s.ReleaseSplit(3),
		"pause unknown":       s.PauseSplit(3),
		"uneven batch":        s.Records([]int32{0}, nil),
		"unknown in a batch":  s.Records([]int32{0, 9}, []int64{1, 2}),
		"unpressed":           s.SetBackpressured(false),
		"release, then again": func() error { _ = s.ReleaseSplit(split); return s.ReleaseSplit(split) }(),
		"record after":        s.Record(split, 5),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestRecordDoesNotAllocate(t *testing.T) {
	s := mustSource(t, SourceConfig{Strategy: Strategy{BoundMs: 5, IntervalMs: 200, IdleMs: 1000}}, &countOutput{})
	split, clock := s.AddSplit(), int64(0)
	if n := testing.AllocsPerRun(1000, func() {
		clock += 100
		_, _ = s.AdvanceTo(clock), s.Record(split, clock)
	}); n != 0 {
		t.Fatalf("%v allocations a record", n)
	}
}

func TestSplitTimeline(t *testing.T) {
	type point struct {
		split int
		ts    int64
		idle  bool
	}
	var got []point
	s := mustSource(t, SourceConfig{
		Strategy: Strategy{IdleMs: 300, IntervalMs: 200},
		OnSplit:  func(split int, ts int64, idle bool) { got = append(got, point{split, ts, idle}) },
	}, &recorder{})
	split := s.AddSplit()
	check(t, s.Record(split, 1000))
	check(t, s.AdvanceTo(2000))
	check(t, s.Record(split, 900))
	check(t, s.AdvanceTo(2200))
	want := []point{{split, 999, false}, {split, 999, true}, {split, 999, false}}
	if !slices.Equal(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
}

// FLINK-32828: before the fix a restored silent split did not hold the watermark.
func TestRestoredSplits(t *testing.T) {
	for version, want := range map[Version]int64{{1, 18, 1}: 4999, {1, 20, 3}: None} {
		s := mustSource(t, SourceConfig{Strategy: Strategy{IntervalMs: 200}, Version: version}, &recorder{})
		silent, busy := s.RestoreSplit(), s.RestoreSplit()
		check(t, s.Record(busy, 5000))
		check(t, s.AdvanceTo(200))
		if s.Watermark() != want {
			t.Errorf("Flink %s: %d, want %d", version, s.Watermark(), want)
		}
		check(t, s.Record(silent, 6000))
		check(t, s.Record(silent, 5500))
		check(t, s.Record(busy, 7000))
		check(t, s.AdvanceTo(400))
		if s.Watermark() != 5999 {
			t.Errorf("Flink %s: both spoke, watermark %d", version, s.Watermark())
		}
	}
}
