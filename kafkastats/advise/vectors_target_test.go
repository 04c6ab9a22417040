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
