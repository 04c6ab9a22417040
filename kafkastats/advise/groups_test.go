package advise

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tidemark/internal/cases"
	"tidemark/kafkastats/measure"
	"tidemark/kafkastats/record"
)

// sent are n events 10 s apart that arrive in order of their delays, up to the last event.
func sent(n int, delay func(i int, r *rand.Rand) float64) []record.Point {
	const spacing = 10_000
	r := rand.New(rand.NewPCG(8, 9))
	ps := simTopic{spacing, func(i int, _ float64) float64 { return delay(i, r) }}.points(n)
	end := slices.IndexFunc(ps, func(p record.Point) bool { return p.Arrival > epoch+int64(n)*spacing })
	if end < 0 {
		return ps
	}
	return ps[:end]
}

func judged(t *testing.T, eps string, points []record.Point) (Recommendation, bool) {
	t.Helper()
	m := measured(measure.Options{}, points)
	r := Recommend(m, Options{Target: target(t, eps), EmitMs: 200})
	_, two := findGroups(m.Total().Own, m.Span.N, r.Advice.DataStreamMs)
	return r, two
}

// One distribution is one group, however long its tail and however coarse its times.
func TestOneTailIsOneGroup(t *testing.T) {
	const minute = 60_000.0
	for name, delay := range map[string]func(i int, r *rand.Rand) float64{
		"exponential, mean 15 min": func(_ int, r *rand.Rand) float64 { return 15 * minute * r.ExpFloat64() },
		"exponential, mean 2 h":    func(_ int, r *rand.Rand) float64 { return 120 * minute * r.ExpFloat64() },
		"Pareto 1.1":               func(_ int, r *rand.Rand) float64 { return 1000 * math.Pow(1-r.Float64(), -1/1.1) },
		"lognormal":                func(_ int, r *rand.Rand) float64 { return 5000 * math.Exp(2*r.NormFloat64()) },
		"uniform up to 1 h":        func(_ int, r *rand.Rand) float64 { return 60 * minute * r.Float64() },
		"exponential, quarter hours": func(_ int, r *rand.Rand) float64 {
			return 15 * minute * math.Floor(20*r.ExpFloat64()/15)
		},
	} {
		for _, eps := range cases.Some([]string{"1%", "0.1%", "5%"}, 1) {
			if r, two := judged(t, eps, sent(cases.Of(6_000, 12_000), delay)); two || r.Advice.Verdict == WrongKnob {
				t.Errorf("%s at %s: two groups, %s: %s", name, eps, r.Advice.Verdict, r.Advice.Reason)
			}
		}
	}
}

// The delay is that of the first group: its share of late records is the target, however large the other is.
func TestTwoGroupsAreToldApartAndTheFirstKeepsTheTarget(t *testing.T) {
	for _, share := range cases.Some([]float64{0.02, 0.1, 0.4}, 1) {
		ps := sent(20_000, func(_ int, r *rand.Rand) float64 {
			if r.Float64() < share {
				return 7_200_000 + 3_600_000*r.Float64()
			}
			return 200_000 * r.ExpFloat64()
		})
		r, two := judged(t, "1%", ps)
		var first, late float64
		for _, p := range ps {
			if p.Arrival-p.Event < 7_200_000 {
				first++
				if p.Arrival-p.Event > 3_000_000 {
					t.Fatal("the groups overlap")
				}
			}
		}
		own := measured(measure.Options{}, ps).Total().Own
		late = float64(own.Above(r.Advice.RoundedMs) - own.Above(3_600_000))
		if !two || r.Advice.Verdict != WrongKnob || late/first > 0.01 || late/first < 0.007 {
			t.Errorf("%.0f %% late group: %s %d ms, %.4f of the first late; %s", 100*share, r.Advice.Verdict, r.Advice.RoundedMs, late/first, r.Advice.Reason)
		}
	}
}

// A backfill is history written again, and no device that was offline.
func TestAReplayIsCalledAReplay(t *testing.T) {
	var ps []record.Point
	for i := range int64(12_000) {
		p := record.Point{Offset: int64(len(ps)), Arrival: epoch + 100*i, Event: epoch + 100*i - i%3, Type: record.AppendTime, First: i == 0}
		ps = append(ps, p)
		if i == 6000 {
			for k := range int64(4000) {
				ps = append(ps, record.Point{Offset: int64(len(ps)), Arrival: p.Arrival + 10*k, Event: epoch - 20_000_000 + 1000*k, Type: record.AppendTime})
			}
		}
	}
	for i := range ps {
		if i > 0 {
			ps[i].Arrival = max(ps[i].Arrival, ps[i-1].Arrival)
		}
	}
	r, _ := judged(t, "1%", ps)
	if !hasCause(r.Findings, CauseReplay) || hasCause(r.Findings, CauseBimodal) {
		t.Fatalf("%+v", r.Findings)
	}
}

// Where the latency target cannot hold what is needed, waiting for nothing is not declared.
func TestTheKneeIsDeclaredUnderALatencyTarget(t *testing.T) {
	ps := sent(20_000, func(_ int, r *rand.Rand) float64 {
		if r.Float64() < 0.05 {
			return 200_000 + 20_000_000*r.Float64()
		}
		return 500 * r.Float64()
	})
	r := Recommend(measured(measure.Options{}, ps), Options{Target: target(t, "1%"), SLAMs: 100_000, EmitMs: 200})
	if r.Advice.Verdict != SLABound || r.Advice.RoundedMs > 2000 || !strings.Contains(r.Advice.Reason, "loses hardly more") {
		t.Fatalf("%s %d ms: %s", r.Advice.Verdict, r.Advice.RoundedMs, r.Advice.Reason)
	}
}
