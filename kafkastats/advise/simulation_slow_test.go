//go:build slow

package advise

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tidemark/kafkastats/measure"
	"tidemark/kafkastats/record"
)

// simKind is a kind of lateness. truth is what comes after the sample: where it differs from sample, the
// sample cannot be a picture of it.
type simKind struct {
	name    string
	sample  func(r *rand.Rand) simTopic
	truth   func(r *rand.Rand) simTopic
	truthN  int
	episode func(points []record.Point) bool // whether the sample shows what makes records late; nil: always
	want    func(t simTally) string          // "" when the kind is served as it must be
}

const (
	simRecords = 20_000
	simTruth   = 1_000_000
	simSpacing = 100.0
)

// simTally is what happened to the topics of a kind.
type simTally struct {
	topics, shown, covered, refused, fits, guaranteeHeld, honest int
	width                                                        float64 // of the interval over that of the block estimate before correlation was looked at
	named                                                        map[string]int
}

func (t simTally) share(n int) float64 { return float64(n) / float64(max(1, t.shown)) }

func plainDelay(r *rand.Rand) float64 { return 200 + 300*r.ExpFloat64() }

func steady(draw func(r *rand.Rand) float64) func(r *rand.Rand) simTopic {
	return func(r *rand.Rand) simTopic {
		return simTopic{simSpacing, func(int, float64) float64 { return draw(r) }}
	}
}

// correlated lets delays swell and fall with a memory of tau.
func correlated(tauMs float64) func(r *rand.Rand) simTopic {
	return func(r *rand.Rand) simTopic {
		keep := math.Exp(-simSpacing / tauMs)
		state := r.NormFloat64()
		return simTopic{simSpacing, func(int, float64) float64 {
			state = keep*state + math.Sqrt(1-keep*keep)*r.NormFloat64()
			return 300 * math.Exp(0.7*state+0.7*r.NormFloat64())
		}}
	}
}

// outages lets one of ten producers send what it held back when its outage ends.
func outages(everyMs, lengthMs float64) func(r *rand.Rand) simTopic {
	return func(r *rand.Rand) simTopic {
		from := r.ExpFloat64() * everyMs
		to := from + lengthMs*(0.5+r.Float64())
		return simTopic{simSpacing, func(i int, at float64) float64 {
			for at >= to {
				from = to + r.ExpFloat64()*everyMs
				to = from + lengthMs*(0.5+r.Float64())
			}
			delay := plainDelay(r)
			if at >= from && i%10 == 0 {
				return to - at + delay
			}
			return delay
		}}
	}
}

// scaled multiplies plain delays by a factor of event time.
func scaled(spacingMs, baseMs float64, factor func(atMs float64) float64) func(r *rand.Rand) simTopic {
	return func(r *rand.Rand) simTopic {
		return simTopic{spacingMs, func(_ int, at float64) float64 { return baseMs * factor(at) * (0.5 + r.ExpFloat64()) }}
	}
}

func independentKind(t simTally) string {
	if t.share(t.fits) < 0.95 || t.width > 1.3 {
		return fmt.Sprintf("fits in %.3f, %.2f times as wide", t.share(t.fits), t.width)
	}
	return ""
}

func simKinds() []simKind {
	const span = simRecords * simSpacing
	const day, slow = 86_400_000.0, 86_400_000.0 / 2 / simRecords
	halfDay := func(at float64) float64 { return 1.5 + math.Sin(2*math.Pi*at/day) }
	constant := func(factor float64) func(float64) float64 { return func(float64) float64 { return factor } }
	stationary := func(name string, f func(r *rand.Rand) simTopic, want func(simTally) string) simKind {
		return simKind{name: name, sample: f, truth: f, truthN: simTruth, want: want}
	}
	rare := stationary("rare long outages", outages(1_500_000, 60_000), nil)
	rare.episode = func(points []record.Point) bool {
		return slices.ContainsFunc(points, func(p record.Point) bool { return p.Arrival-p.Event > 20_000 })
	}
	twenty := stationary("correlated over 20 s", correlated(20_000), func(t simTally) string {
		if t.share(t.fits) < 0.5 {
			return fmt.Sprintf("fits in %.3f", t.share(t.fits))
		}
		return ""
	})
	long := stationary("correlated over 600 s", correlated(600_000), nil)
	long.truthN = 10 * simTruth
	return []simKind{
		stationary("independent", steady(plainDelay), independentKind),
		stationary("Pareto", steady(func(r *rand.Rand) float64 { return 100 * math.Pow(1-r.Float64(), -1/1.5) }), independentKind),
		stationary("short outages", outages(20_000, 3000), independentKind),
		twenty,
		stationary("correlated over 120 s", correlated(120_000), nil),
		long,
		rare,
		{name: "drift to three times", sample: scaled(simSpacing, 1000, func(at float64) float64 { return 1 + 2*at/span }), truth: scaled(simSpacing, 1000, constant(3)), truthN: simTruth},
		{name: "last tenth five times slower", sample: scaled(simSpacing, 1000, func(at float64) float64 {
			if at >= 0.9*span {
				return 5
			}
			return 1
		}), truth: scaled(simSpacing, 1000, constant(5)), truthN: simTruth},
		{name: "half of a daily cycle", sample: scaled(slow, 10_000, halfDay), truth: scaled(slow, 10_000, halfDay), truthN: simTruth},
	}
}

// run measures topics of a kind the way a file is measured, and holds what is said of the future against it.
func (k simKind) run(t *testing.T, topics int) simTally {
	t.Helper()
	of := Options{Target: target(t, "1%"), EmitMs: 200}
	truth := measured(measure.Options{SinglePass: true}, k.truth(rand.New(rand.NewPCG(1, 2))).points(k.truthN)).Total().Own
	beyond := func(d int64) float64 { return float64(truth.Above(d)) / float64(truth.Count()) }
	tally := simTally{topics: topics, named: map[string]int{}}
	var widths []float64
	for i := range topics {
		points := k.sample(rand.New(rand.NewPCG(uint64(i), 77))).points(simRecords)
		if k.episode != nil && !k.episode(points) {
			continue
		}
		tally.shown++
		m := measured(measure.Options{}, points)
		r := Recommend(m, of)
		a := r.Advice
		p := beyond(a.RoundedMs)
		covered, refused := a.Late.CI95[0] <= p && p <= a.Late.CI95[1], a.Verdict != Fits
		for n, ok := range map[*int]bool{&tally.covered: covered, &tally.refused: refused, &tally.fits: !refused, &tally.honest: covered || refused,
			&tally.guaranteeHeld: a.GuaranteedMs != nil && beyond(*a.GuaranteedMs) <= 0.01} {
			if ok {
				*n++
			}
		}
		for _, f := range r.Findings {
			tally.named[f.Cause]++
		}
		widths = append(widths, (a.Late.CI95[1]-a.Late.CI95[0])/simWidthBefore(m, a))
	}
	slices.Sort(widths)
	if len(widths) > 0 {
		tally.width = widths[len(widths)/2]
	}
	return tally
}

// simWidthBefore is how wide the interval is where blocks are taken for independent, with what each of them
// counts as its variance.
func simWidthBefore(m *measure.Measurement, a Advice) float64 {
	late := evidenceAt(m, a.RoundedMs, a.Late.Records, m.Span.N)
	var over, all, squares float64
	for _, h := range m.Blocks.Own {
		over, all = over+float64(h.Above(a.RoundedMs)), all+float64(h.Count())
	}
	for _, h := range m.Blocks.Own {
		squares += math.Pow(float64(h.Above(a.RoundedMs))-over/all*float64(h.Count()), 2)
	}
	blocks := float64(len(m.Blocks.Own))
	late.spread.Effect, late.known = max(1, squares/(blocks-1)/(over/blocks)), false
	was := late.interval95()
	return was[1] - was[0]
}

// TIDEMARK_SIMULATE=300 prints the table of so many topics a kind.
func TestTheIntervalHoldsOnDataItHasNotSeen(t *testing.T) {
	topics := 20
	if text := os.Getenv("TIDEMARK_SIMULATE"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		topics = n
	}
	kinds := simKinds()
	lines := make([]string, len(kinds))
	t.Cleanup(func() {
		if os.Getenv("TIDEMARK_SIMULATE") != "" {
			fmt.Printf("| lateness | topics | interval covers | guarantee holds | fits | covered or refused | width | named |\n|---|---|---|---|---|---|---|---|\n%s", strings.Join(lines, ""))
		}
	})
	for i, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			got := k.run(t, topics)
			var named []string
			for cause, n := range got.named {
				named = append(named, fmt.Sprintf("%s %.2f", cause, got.share(n)))
			}
			slices.Sort(named)
			lines[i] = fmt.Sprintf("| %s | %d of %d | %.2f | %.2f | %.2f | %.2f | %.2f | %s |\n", k.name, got.shown, got.topics, got.share(got.covered), got.share(got.guaranteeHeld),
				got.share(got.fits), got.share(got.honest), got.width, strings.Join(named, ", "))
			if got.share(got.honest) < 0.9 {
				t.Errorf("covered or refused in %.3f of %d topics", got.share(got.honest), got.shown)
			}
			if k.want != nil {
				if short := k.want(got); short != "" {
					t.Error(short)
				}
			}
		})
	}
}
