package random_test

import (
	"testing"

	"tidemark/engine"
	"tidemark/engine/twin/run"
	"tidemark/internal/cases"
	"tidemark/internal/worlds/random"
)

// The gauges of a world show its truth: the watermark of the operator that uses event time stands still or advances, and
// late records are dropped or not.
func TestTheTruthShows(t *testing.T) {
	for seed := range uint64(cases.Of(100, 400)) {
		w := random.New(seed)
		s, err := run.Play(w.Job, run.Watch{}, w.Moments[:]...)
		if err != nil {
			t.Fatalf("world %d (%s): %v", seed, w.Truth.Fault, err)
		}
		in := [2]int64{engine.End, engine.End}
		var late [2]int64
		for i := range s {
			for _, sub := range s[i].Operators[w.Truth.Uses].Subtasks {
				in[i] = min(in[i], sub.Out)
				late[i] += sub.Late
			}
		}
		stands := in[0] == in[1]
		switch {
		case w.Truth.Stalls && !stands:
			t.Errorf("world %d (%s): event time moves from %d to %d", seed, w.Truth.Fault, in[0], in[1])
		case w.Truth.Loses && late[1] <= late[0]:
			t.Errorf("world %d (%s): %d late records, then %d", seed, w.Truth.Fault, late[0], late[1])
		case mustMove[w.Truth.Fault] && stands:
			t.Errorf("world %d (%s): event time stands at %d", seed, w.Truth.Fault, in[0])
		case w.Truth.Healthy() && late[1] > late[0]:
			t.Errorf("world %d (%s): drops %d late records", seed, w.Truth.Fault, late[1]-late[0])
		}
	}
}

// mustMove are the kinds of worlds whose watermark advances between any two fetches.
var mustMove = map[string]bool{
	"healthy": true, "healthy, silence declared": true, "healthy, excess parallelism declared": true, "healthy, idle behind FORWARD": true,
	"healthy, history finished": true, "healthy, late records kept aside": true, "healthy, rules declared idle": true, "healthy, splits a little apart": true,
	"healthy, a large bound that fits": true, "healthy, wall clock with records": true, "healthy, many subtasks": true,
	"healthy, aligned": true, "healthy, restored once": true, "bound too large": true, "old data": true, "late records": true,
}

// A seed always makes the same world.
func TestSeedsAreWorlds(t *testing.T) {
	for seed := range uint64(50) {
		a, b := random.New(seed), random.New(seed)
		if a.Truth.Fault != b.Truth.Fault || a.Moments != b.Moments || len(a.Job.Operators) != len(b.Job.Operators) {
			t.Errorf("world %d differs from itself", seed)
		}
	}
	seen := map[string]bool{}
	for seed := range uint64(3000) {
		seen[random.New(seed).Truth.Fault] = true
	}
	for _, k := range random.Kinds() {
		if !seen[k] {
			t.Errorf("no world of kind %q in 3,000 seeds", k)
		}
	}
}
