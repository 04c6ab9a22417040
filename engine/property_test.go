package engine

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tidemark/internal/cases/property"
)

// recorder keeps what came out.
type recorder struct {
	watermarks []int64
	statuses   []bool
}

func (r *recorder) EmitWatermark(ts int64) { r.watermarks = append(r.watermarks, ts) }
func (r *recorder) EmitStatus(idle bool)   { r.statuses = append(r.statuses, idle) }

func drawStrategy(t *rapid.T) Strategy {
	return Strategy{
		BoundMs:     rapid.SampledFrom([]int64{0, 1, 50, 5000}).Draw(t, "bound"),
		SQL:         rapid.Bool().Draw(t, "sql"),
		EmitOnEvent: rapid.Bool().Draw(t, "on event"),
		IntervalMs:  rapid.SampledFrom([]int64{0, 50, 200}).Draw(t, "interval"),
		IdleMs:      rapid.SampledFrom([]int64{0, 300, 1000}).Draw(t, "idle"),
	}
}

func drawVersion(t *rapid.T) Version {
	return rapid.SampledFrom([]Version{{1, 17, 2}, {1, 18, 1}, {1, 19, 2}, {1, 20, 0}, {1, 20, 3}, {2, 0, 0}, {2, 1, 2}, {2, 2, 0}, {2, 3, 0}}).Draw(t, "version")
}

// drive runs a random schedule; each is called after every step.
func drive(t *rapid.T, s *Source, each func()) {
	var live []int
	clock := int64(0)
	for range rapid.IntRange(1, 120).Draw(t, "steps") {
		switch k := rapid.IntRange(0, 20).Draw(t, "step"); {
		case len(live) == 0 || k == 0:
			live = append(live, s.AddSplit())
		case k == 1:
			i := rapid.IntRange(0, len(live)-1).Draw(t, "gone")
			if err := s.ReleaseSplit(live[i]); err != nil {
				t.Fatal(err)
			}
			live = slices.Delete(live, i, i+1)
		case k < 14:
			split := rapid.SampledFrom(live).Draw(t, "split")
			if err := s.Record(split, rapid.Int64Range(-100, 20000).Draw(t, "ts")); err != nil {
				t.Fatal(err)
			}
		default:
			clock += rapid.Int64Range(0, 1500).Draw(t, "ms")
			if err := s.AdvanceTo(clock); err != nil {
				t.Fatal(err)
			}
		}
		each()
	}
}

func TestSourceOutputOnlyRises(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		out := &recorder{}
		s, err := NewSource(SourceConfig{Strategy: drawStrategy(t), Version: drawVersion(t)}, out)
		if err != nil {
			t.Fatal(err)
		}
		drive(t, s, func() {})
		for i := 1; i < len(out.watermarks); i++ {
			if out.watermarks[i] <= out.watermarks[i-1] {
				t.Fatalf("watermark %d after %d", out.watermarks[i], out.watermarks[i-1])
			}
		}
		for i, idle := range out.statuses {
			if idle != (i%2 == 0) {
				t.Fatalf("statuses do not alternate from idle: %v", out.statuses)
			}
		}
	})
}

// floorOutput checks at the moment of emission that no active split is below.
type floorOutput struct {
	t     *rapid.T
	s     *Source
	flush bool
}

func (f *floorOutput) EmitStatus(bool) {}
func (f *floorOutput) EmitWatermark(ts int64) {
	lowest, active := End, false
	highest := None
	for _, split := range f.s.splits {
		if !split.live {
			continue
		}
		highest = max(highest, split.part.watermark)
		if !split.part.idle {
			lowest, active = min(lowest, split.part.watermark), true
		}
	}
	switch {
	case active && ts > lowest:
		f.t.Fatalf("emitted %d above the lowest active split %d", ts, lowest)
	case !active && !f.flush:
		f.t.Fatalf("emitted %d while every split is idle", ts)
	case !active && ts != highest:
		f.t.Fatalf("flushed %d, want the highest split %d", ts, highest)
	}
}

func TestSourceNeverAboveTheLowestActiveSplit(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		version := drawVersion(t)
		out := &floorOutput{t: t, flush: version.Behaviour().FlushAllIdle}
		s, err := NewSource(SourceConfig{Strategy: drawStrategy(t), Version: version}, out)
		if err != nil {
			t.Fatal(err)
		}
		out.s = s
		drive(t, s, func() {})
	})
}

// Skipping probes that change nothing must not change anything: a source that
// is moved in one leap equals one moved interval by interval.
func TestLeapEqualsSteps(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		strategy := drawStrategy(t)
		version := drawVersion(t)
		a, b := &recorder{}, &recorder{}
		leap, err := NewSource(SourceConfig{Strategy: strategy, Version: version}, a)
		if err != nil {
			t.Fatal(err)
		}
		steps, _ := NewSource(SourceConfig{Strategy: strategy, Version: version}, b)
		for range 3 {
			leap.AddSplit()
			steps.AddSplit()
		}
		clock, paused := int64(0), [3]bool{}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			split := rapid.IntRange(0, 2).Draw(t, "split")
			switch rapid.IntRange(0, 3).Draw(t, "step") {
			case 0, 1:
				ts := rapid.Int64Range(0, 20000).Draw(t, "ts")
				_, _ = leap.Record(split, ts), steps.Record(split, ts)
			case 2:
				paused[split] = !paused[split]
				if paused[split] {
					_, _ = leap.PauseSplit(split), steps.PauseSplit(split)
				} else {
					_, _ = leap.ResumeSplit(split), steps.ResumeSplit(split)
				}
			default:
				to := clock + rapid.Int64Range(0, 30000).Draw(t, "ms")
				if err := leap.AdvanceTo(to); err != nil {
					t.Fatal(err)
				}
				for ; clock < to; clock += 50 {
					if err := steps.AdvanceTo(min(clock, to)); err != nil {
						t.Fatal(err)
					}
				}
				clock = to
				if err := steps.AdvanceTo(to); err != nil {
					t.Fatal(err)
				}
			}
			if !slices.Equal(a.watermarks, b.watermarks) || !slices.Equal(a.statuses, b.statuses) {
				t.Fatalf("leap %v %v, steps %v %v", a.watermarks, a.statuses, b.watermarks, b.statuses)
			}
		}
	})
}

func TestLateIffTheModelSaysSo(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		model := modelSource{bound: rapid.Int64Range(0, 300).Draw(t, "bound"), interval: 200, splits: rapid.IntRange(1, 3).Draw(t, "splits")}
		size, lateness := rapid.Int64Range(1, 400).Draw(t, "size"), rapid.Int64Range(0, 300).Draw(t, "lateness")
		start := int64(0)
		r, err := NewReplayer(ReplayConfig{
			Strategy: Strategy{BoundMs: model.bound, IntervalMs: model.interval}, Splits: model.splits,
			Windows: []WindowSpec{{SizeMs: size, LatenessMs: lateness}}, StartMs: &start,
		})
		if err != nil {
			t.Fatal(err)
		}
		clock, late, dropped := int64(0), int64(0), int64(0)
		for range rapid.IntRange(1, 60).Draw(t, "records") {
			clock += rapid.Int64Range(0, 150).Draw(t, "wait")
			rec := modelRecord{clock, rapid.Int64Range(-500, 3000).Draw(t, "ts"), rapid.IntRange(0, model.splits-1).Draw(t, "split")}
			watermark := model.watermarkAt(clock)
			if rec.ts <= watermark {
				late++
			}
			if modelDropped(rec.ts, size, lateness, watermark) {
				dropped++
			}
			model.history = append(model.history, rec)
			if err := r.Add(Record{int32(rec.split), clock, rec.ts}); err != nil {
				t.Fatal(err)
			}
		}
		got := r.Result()
		if got.Late != late || got.Windows[0].Dropped != dropped {
			t.Fatalf("engine: %d late, %d dropped; model: %d late, %d dropped", got.Late, got.Windows[0].Dropped, late, dropped)
		}
	})
}
