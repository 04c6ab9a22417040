package engine

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tidemark/internal/cases/property"
)

// The same job run twice tells the same story, although it uses maps.
func TestJobIsDeterministic(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		type step struct{ wait, split, key, ts int64 }
		var steps []step
		for range rapid.IntRange(1, 60).Draw(t, "records") {
			steps = append(steps, step{
				rapid.Int64Range(0, 300).Draw(t, "wait"), rapid.Int64Range(0, 3).Draw(t, "split"),
				rapid.Int64Range(0, 5).Draw(t, "key"), rapid.Int64Range(0, 5000).Draw(t, "ts"),
			})
		}
		run := func() (log []any) {
			job := NewJob(JobConfig{OnEvent: func(e Event) { log = append(log, e) }, OnHold: func(h Hold) { log = append(log, h) }})
			src := job.Source("in", SourceSpec{
				Strategy: Strategy{BoundMs: 100, IntervalMs: 200, IdleMs: 500}, Parallelism: 2, Splits: []string{"0", "1", "2", "3"},
				Align: &AlignmentConfig{Group: "g", MaxDriftMs: 300, UpdateMs: 1000, Samples: -1},
			})
			job.Operator("win", 2, Windows(WindowSpec{Shape: Session, GapMs: 200}, WindowSink{OnFired: func(f Fired) { log = append(log, f) }}), From(Hash, src))
			clock := int64(0)
			for _, s := range steps {
				clock += s.wait
				if err := job.AdvanceTo(clock); err != nil {
					t.Fatal(err)
				}
				if err := src.Record(string(rune('0'+s.split)), s.key, s.ts); err != nil {
					t.Fatal(err)
				}
			}
			if err := src.Finish(); err != nil {
				t.Fatal(err)
			}
			return log
		}
		if first, second := run(), run(); !slices.Equal(first, second) {
			t.Fatalf("two runs differ:\n%v\n%v", first, second)
		}
	})
}
