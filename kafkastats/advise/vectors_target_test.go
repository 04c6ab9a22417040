package advise

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tidemark/kafkastats/measure"
	"tidemark/kafkastats/record"
)

// inOrderWith is a partition with a record in order each stepMs of event time, arriving lagMs later, and
// behind every one of them, while they last, one record with the disorder given, in any order.
func inOrderWith(disorder []int64, n int, stepMs, lagMs int64) []record.Point {
	rand.New(rand.NewPCG(7, 7)).Shuffle(len(disorder), func(i, j int) { disorder[i], disorder[j] = disorder[j], disorder[i] })
	out := make([]record.Point, 0, n)
	every := max(1, (n-len(disorder))/max(1, len(disorder)))
	for i := int64(0); len(out) < n; i++ {
		top := epoch + i*stepMs
		out = append(out, record.Point{Offset: int64(len(out)), Arrival: top + lagMs, Event: top, Type: record.AppendTime, First: i == 0})
		if i%int64(every) == 0 && len(disorder) > 0 && len(out) < n {
			out = append(out, record.Point{Offset: int64(len(out)), Arrival: top + lagMs, Event: top - disorder[0], Type: record.AppendTime})
			disorder = disorder[1:]
		}
	}
	return out
}

func pointAt(r Recommendation, ms int64) Point {
	if i := slices.IndexFunc(r.Curve, func(p Point) bool { return p.DelayMs == ms }); i >= 0 {
		return r.Curve[i]
	}
	return Point{}
}

// The latency target leaves less than the share allowed needs: the share at what it leaves is stated.
func TestVector24SLABound(t *testing.T) {
	const n = 100_000
	var disorder []int64
	for rank := range 20_000 {
		d := int64(310_000 * math.Pow(101/float64(rank+1), 0.535)) // rank 101 is the first beyond 0.1 %
		disorder = append(disorder, d)
	}
	ps := inOrderWith(disorder, n, 10, 39_991) // the frontier passes a moment 39 991 to 40 000 ms later
	for what, want := range map[int64]uint64{310_000: 100, 309_999: 101, 259_800: 140} {
		if got := lateOf(ps, what, false); got != want {
			t.Fatalf("the stream has %d late at %d ms, want %d", got, what, want)
		}
	}
	r := Recommend(measured(measure.Options{}, ps), Options{Target: target(t, "0.1%"), SLAMs: 300_000, EmitMs: 200})
	a := r.Advice
	if a.Verdict != SLABound || a.MaxByMs == nil || *a.MaxByMs != 259_800 || a.DataStreamMs != 310_000 {
		t.Fatalf("verdict %s (%s), affordable %v, needed %d", a.Verdict, a.Reason, a.MaxByMs, a.DataStreamMs)
	}
	if a.RoundedMs > 259_800 || a.RoundedMs < 250_000 || a.RoundedSQLMs > 259_800 || a.Late.Records != lateOf(ps, a.RoundedMs, false) || *a.LatencyP99Ms > 300_000 {
		t.Errorf("recommended %d and %d, %d late, latency %d", a.RoundedMs, a.RoundedSQLMs, a.Late.Records, *a.LatencyP99Ms)
	}
	if p := pointAt(r, 259_800); p.Mark != "sla" || p.LateN != 140 || p.Late != 0.0014 {
		t.Errorf("at what the latency target leaves: %+v, want 0.14 %% late", p)
	}
	if p := pointAt(r, 310_000); p.Mark != "" {
		t.Errorf("310 s is shown as a choice: %+v", p)
	}
}

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
