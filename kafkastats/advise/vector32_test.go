package advise

import (
	"testing"

	"pgregory.net/rapid"

	"tidemark/internal/cases/property"
	"tidemark/kafkastats/measure"
	"tidemark/kafkastats/record"
)

// lateIn counts by the rule of a bounded generator per partition, emitting after every record.
func lateIn(ps []record.Point, delay int64) uint64 {
	running := map[int32]int64{}
	var late uint64
	for _, p := range ps {
		top, ok := running[p.Partition]
		if ok && top-p.Event > delay {
			late++
		}
		if !ok || p.Event > top {
			running[p.Partition] = p.Event
		}
	}
	return late
}

// The smallest delay keeps the target, and one millisecond less does not.
func TestVector32TheDelayIsMinimal(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		ps := dense(rapid.Uint64().Draw(t, "seed"), rapid.IntRange(2, 400).Draw(t, "n"))
		tgt, err := ParseTarget(rapid.SampledFrom([]string{"p50", "p99", "p99.9", "5%", "0%"}).Draw(t, "target"))
		if err != nil {
			t.Fatal(err)
		}
		r := Recommend(measured(measure.Options{}, ps), Options{Target: tgt})
		d, k := r.Advice.DataStreamMs, tgt.Allowed(uint64(len(ps)))
		if got := lateIn(ps, d); got > k {
			t.Fatalf("%d late at %d ms, %d allowed", got, d, k)
		}
		if got := lateIn(ps, d-1); d > 0 && got <= k {
			t.Fatalf("%d ms is not the smallest: one less has %d late, %d allowed", d, got, k)
		}
	})
}
