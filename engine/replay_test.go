package engine

import (
	"iter"
	"strings"
	"testing"
)

func sequence(records ...Record) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// steady is one record a split each 100 ms of arrival, event time 50 ms earlier.
func steady(splits int32, until int64) []Record {
	var records []Record
	for at := int64(1_000_000); at < 1_000_000+until; at += 100 {
		for split := range splits {
			records = append(records, Record{split, at, at - 50})
		}
	}
	return records
}

func TestReplayCountsAndTimes(t *testing.T) {
	var fired []Fired
	var last Point
	records := append(steady(2, 30_000), Record{0, 1_030_000, 1_005_000}, Record{1, 1_030_000, 1_029_000})
	got, err := Replay(ReplayConfig{
		Strategy: Strategy{BoundMs: 1500, IntervalMs: 200}, Splits: 2,
		Windows: []WindowSpec{{SizeMs: 10_000}, {SizeMs: 10_000, LatenessMs: 30_000}, {SizeMs: 10_000, Dialect: SQL}},
		OnFired: func(window int, f Fired) {
			if window == 0 {
				fired = append(fired, f)
			}
		},
		OnPoint: func(p Point) {
			if p.Scope == Global {
				last = p
			}
		},
	}, sequence(records...), true)
	if err != nil {
		t.Fatal(err)
	}
	if got.Records != 602 || got.Late != 1 || got.Splits[0].Late != 1 || got.Splits[1].Late != 0 {
		t.Fatalf("records %d, late %d, splits %+v", got.Records, got.Late, got.Splits)
	}
	if w := got.Windows[0]; w.Fired != 4 || w.Dropped != 1 || w.Counted != 1 || w.Open != 0 || w.Taken != 601 {
		t.Fatalf("strict window %+v", w)
	}
	if w := got.Windows[1]; w.Fired != 4 || w.Dropped != 0 || w.Again != 1 {
		t.Fatalf("lenient window %+v", w)
	}
	if w := got.Windows[2]; w.Dropped != 1 || w.Counted != 1 {
		t.Fatalf("SQL window %+v", w)
	}
	// The second window [1_000_000, 1_010_000) needs an event time of 1_011_500,
	// first read at 1_011_600, emitted by the probe at 1_011_800 only: the probe at
	// 1_011_600 runs before that instant's records.
	if fired[1].At != 1_011_800 || fired[1].Records != 200 {
		t.Fatalf("second window %+v", fired[1])
	}
	if got.Windows[0].Delay.Max != 1800 || got.Watermark != End || last.Watermark != End {
		t.Fatalf("delay %+v, watermark %d, last point %+v", got.Windows[0].Delay, got.Watermark, last)
	}
}

func TestReplaySilentSplitAndIdleness(t *testing.T) {
	for idle, want := range map[int64]endState{0: {None, false}, 2000: {1_029_650 - 1, false}} {
		r, err := NewReplayer(ReplayConfig{Strategy: Strategy{IntervalMs: 200, IdleMs: idle}, Splits: 3, Parallelism: 3})
		if err != nil {
			t.Fatal(err)
		}
		for _, rec := range steady(2, 30_000) {
			check(t, r.Add(rec))
		}
		check(t, r.Advance(1_030_000-100))
		if got := r.Result(); got.Watermark != want.watermark || got.Idle != want.idle {
			t.Errorf("idle timeout %d: %d %v, want %+v", idle, got.Watermark, got.Idle, want)
		}
		check(t, r.Advance(1_040_000))
		if got := r.Result(); got.Idle != (idle > 0) {
			t.Errorf("idle timeout %d: all silent, idle %v", idle, got.Idle)
		}
	}
}

// endState is an expected end of a replay.
type endState struct {
	watermark int64
	idle      bool
}

func TestReplayDownstreamLosesSplits(t *testing.T) {
	// Split 1 runs 5 s behind: behind the source its records are late, per split they hold.
	var records []Record
	for at := int64(0); at < 20_000; at += 100 {
		records = append(records, Record{0, at, at + 100_000}, Record{1, at, at + 95_000})
	}
	for downstream, late := range map[bool]bool{true: true, false: false} {
		got, err := Replay(ReplayConfig{
			Strategy: Strategy{BoundMs: 1000, IntervalMs: 200}, Splits: 2, Downstream: downstream,
		}, sequence(records...), false)
		if err != nil {
			t.Fatal(err)
		}
		if (got.Splits[1].Late > 0) != late || got.Splits[0].Late != 0 {
			t.Errorf("downstream %v: late %+v", downstream, got.Splits)
		}
	}
}

func TestReplayErrors(t *testing.T) {
	ok := ReplayConfig{Strategy: Strategy{IntervalMs: 200}, Splits: 2, Windows: []WindowSpec{{SizeMs: 10}}}
	for name, c := range map[string]struct {
		change  func(*ReplayConfig)
		records []Record
		says    string
	}{
		"unsorted":      {nil, []Record{{0, 5, 5}, {0, 4, 5}}, "record 1: arrival 4 is before 5"},
		"unknown split": {nil, []Record{{0, 5, 5}, {2, 6, 5}}, "record 1: unknown split 2"},
		"negative":      {nil, []Record{{-1, 6, 5}}, "unknown split -1"},
		"no timestamp":  {nil, []Record{{0, 5, None}}, "record 0: record without a timestamp"},
		"early":         {func(c *ReplayConfig) { start := int64(9); c.StartMs = &start }, []Record{{0, 5, 5}}, "before the start"},
		"strategy":      {func(c *ReplayConfig) { c.Strategy.BoundMs = -1 }, nil, "negative"},
		"window":        {func(c *ReplayConfig) { c.Windows[0].SizeMs = 0 }, nil, "not positive"},
		"splits":        {func(c *ReplayConfig) { c.Splits = 0 }, nil, "at least one"},
		"owner":         {func(c *ReplayConfig) { c.Owner = func(int32) int { return 5 } }, nil, "subtask 5 of 1"},
	} {
		cfg := ok
		cfg.Windows = append([]WindowSpec(nil), ok.Windows...)
		if c.change != nil {
			c.change(&cfg)
		}
		_, err := Replay(cfg, sequence(c.records...), true)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
}

func TestReplayMemoryIsIndependentOfRecords(t *testing.T) {
	r, err := NewReplayer(ReplayConfig{
		Strategy: Strategy{BoundMs: 500, IntervalMs: 200}, Splits: 4, Windows: []WindowSpec{{SizeMs: 1000}},
	})
	if err != nil {
		t.Fatal(err)
	}
	at := int64(1_000_000)
	step := func() {
		for range 1000 {
			at += 5
			if err := r.Add(Record{int32(at/5) & 3, at, at - 20}); err != nil {
				t.Fatal(err)
			}
		}
	}
	step()
	if n := testing.AllocsPerRun(50, step); n > 1 {
		t.Fatalf("%v allocations for 1000 records", n)
	}
	if open := r.Result().Windows[0].Open; open > 3 {
		t.Fatalf("%d windows open", open)
	}
}
