//go:build slow

package advise

import (
	"math"
	"testing"

	"tidemark/kafkastats/measure"
)

// A lognormal stream whose exact p99.9 is 20 709 ms: from buckets the answer is their bucket's top.
func TestVector25BucketTop(t *testing.T) {
	const n = 1_000_000
	normal := func(rank int) float64 { return -math.Sqrt2 * math.Erfinv(2*(float64(rank)-0.5)/n-1) }
	var disorder []int64
	for rank := 1; rank <= n/2-1; rank++ {
		d := int64(math.Round(20_709 * math.Exp(1.5*(normal(rank)-normal(1001)))))
		if rank == 998 {
			d = 20_735 // as the draw had it: 997 records lie above the bucket of the answer
		}
		disorder = append(disorder, d)
	}
	ps := inOrderWith(disorder, n, 10, 0)
	if a, b := lateOf(ps, 20_709, false), lateOf(ps, 20_708, false); a > 1000 || b <= 1000 {
		t.Fatalf("the stream has %d late at 20709 and %d at 20708, allowed 1000", a, b)
	}
	c := measure.NewCollector(measure.Options{})
	for _, p := range ps {
		c.Add(p)
	}
	r := Recommend(c.Finish(), Options{Target: target(t, "p99.9"), EmitMs: 200})
	if a := r.Advice; a.DataStreamMs != 20_735 || a.SQLMs != 20_736 || a.RoundedMs != 21_000 || a.RoundedSQLMs != 21_000 {
		t.Fatalf("datastream %d, sql %d, rounded %d and %d", a.DataStreamMs, a.SQLMs, a.RoundedMs, a.RoundedSQLMs)
	}
	if p := pointAt(r, 20_735); p.LateN != 997 || p.Late != 0.000997 || lateOf(ps, 20_735, false) != 997 {
		t.Errorf("late at the answer: %+v, brute force %d", p, lateOf(ps, 20_735, false))
	}
	if got, want := r.Advice.Late.Records, lateOf(ps, 21_000, false); got != want {
		t.Errorf("%d late at the rounded delay, brute force %d", got, want)
	}
	exact := Recommend(measured(measure.Options{}, ps), Options{Target: target(t, "p99.9"), EmitMs: 200})
	if a := exact.Advice; a.DataStreamMs != 20_709 || a.SQLMs != 20_710 || a.RoundedMs != 21_000 {
		t.Errorf("exact: datastream %d, sql %d, rounded %d", a.DataStreamMs, a.SQLMs, a.RoundedMs)
	}
}
