package advise

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"tidemark/kafkastats/measure"
	"tidemark/kafkastats/record"
)

// minutesOf are 20,000 records over so many minutes whose mean delay, in s, is a function of the part that has
// passed.
func minutesOf(minutes float64, mean func(passed float64) float64) []record.Point {
	const n = 20_000
	r := rand.New(rand.NewPCG(6, 1))
	spacing := minutes * 60_000 / n
	return simTopic{spacing, func(i int, _ float64) float64 { return 1000 * mean(float64(i)/n) * r.ExpFloat64() }}.points(n)
}

func TestWhatKeepsAnIntervalFromHoldingIsNamed(t *testing.T) {
	for name, v := range map[string]struct {
		minutes float64
		mean    func(passed float64) float64
		cause   string
		observe bool
	}{
		"steady": {30, func(float64) float64 { return 2 }, "", false},
		"drift":  {30, func(x float64) float64 { return 2 + 4*x }, CauseDrift, false},
		"end": {30, func(x float64) float64 {
			if x >= 0.9 {
				return 10
			}
			return 2
		}, CauseRegime, false},
		"half a day": {720, func(x float64) float64 { return 60 * (1 + math.Sin(math.Pi*x)) }, CauseUncovered, true},
	} {
		t.Run(name, func(t *testing.T) {
			r := Recommend(measured(measure.Options{}, minutesOf(v.minutes, v.mean)), Options{Target: target(t, "1%"), EmitMs: 200})
			if v.cause == "" {
				if r.Advice.Verdict != Fits || !r.Stability.Trusted || hasCause(r.Findings, CauseUncovered) {
					t.Fatalf("%s: %s %+v", r.Advice.Verdict, r.Advice.Reason, r.Stability)
				}
				if h := r.Stability.Holdout; h == nil || h.Late < 0.005 || h.Late > 0.02 {
					t.Errorf("%+v", h)
				}
				return
			}
			if r.Advice.Verdict != InsufficientEvidence || !hasCause(r.Findings, v.cause) || r.Advice.GuaranteedMs != nil || (r.Stability.ObserveMs != nil) != v.observe {
				t.Fatalf("%s: %s %+v", r.Advice.Verdict, r.Advice.Reason, r.Findings)
			}
			if v.observe && *r.Stability.ObserveMs < 2*dayMs-1 {
				t.Errorf("observe %d ms", *r.Stability.ObserveMs)
			}
		})
	}
}

// Where everything arrived at once, as an export says of its rows, nothing is known of bursts.
func TestOneMomentOfArrivalShowsNoBursts(t *testing.T) {
	ps := minutesOf(30, func(float64) float64 { return 2 })
	for i := range ps {
		ps[i].Arrival = epoch + 10_000_000
	}
	r := Recommend(measured(measure.Options{}, ps), Options{Target: target(t, "1%"), EmitMs: 200})
	if r.Advice.Verdict != InsufficientEvidence || !strings.Contains(r.Advice.Reason, "All records arrived within") {
		t.Fatalf("%s: %s", r.Advice.Verdict, r.Advice.Reason)
	}
}
