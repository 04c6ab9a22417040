package measure

import (
	"testing"

	"pgregory.net/rapid"

	"tidemark/internal/cases/property"
)

// Vector 32 is a list of laws; the order of merged, own and global, merging, shifting and permuting have
// tests of their own next to the collector, periodic emission next to its estimate.

// Transport delay is disorder plus frontier lag, for every single record.
func TestVector32TransportIsDisorderPlusLag(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		c := NewCollector(Options{SinglePass: true})
		spoke := map[int32]bool{}
		for _, p := range points(t, 3) {
			c.Add(p)
			one := c.Take().Total()
			if !spoke[p.Partition] {
				spoke[p.Partition] = true // the first has no maximum before it, so neither disorder nor lag
				if one.Own.Count() != 0 || one.Lag.Count() != 0 || one.Transport.Count() != 1 {
					t.Fatalf("first record of partition %d: %d disorders, %d lags", p.Partition, one.Own.Count(), one.Lag.Count())
				}
				continue
			}
			if one.Transport.Count() != 1 || one.Own.Count() != 1 || one.Lag.Count() != 1 {
				continue // a record held back as if of the future is counted with a later one
			}
			if a, d, l := one.Transport.Min(), one.Own.Min(), one.Lag.Min(); a != d+l {
				t.Fatalf("%+v: transport %d, disorder %d, lag %d", p, a, d, l)
			}
		}
	})
}

// A longer delay never makes more records late.
func TestVector32LateNeverRises(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		ps := points(t, 2)
		m := run(Options{EmitMs: 200}, ps)
		own, steps := m.Total().Own, m.StepTotal()
		before, beforePeriodic := own.Count(), float64(len(ps))
		for d := int64(0); d < 200_000; d = RoundUp(d + d/7 + 1) {
			now, ok := steps.Above(d)
			periodic, _, _, _ := m.Periodic.Late(d)
			if !ok || now > before || now > own.Above(d) || periodic > beforePeriodic {
				t.Fatalf("at %d ms %d late (%d by buckets), %d before; periodic %v, %v before", d, now, own.Above(d), before, periodic, beforePeriodic)
			}
			before, beforePeriodic = now, periodic
		}
	})
}
