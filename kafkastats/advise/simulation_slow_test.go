//go:build slow

package advise

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tidemark/kafkastats/hist"
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
	records int                              // of a topic
	target  string                           // share that may be late
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

// run measures topics of a kind the way a file is measured, and compares what is said of the future with it.
func (k simKind) run(t *testing.T, topics int) simTally {
	t.Helper()
	of := Options{Target: target(t, k.target), EmitMs: 200}
	truth := &hist.Histogram{}
	for run := range max(1, k.truthN/simTruth) {
		truth.Merge(measured(measure.Options{SinglePass: true}, k.truth(rand.New(rand.NewPCG(1, uint64(2+run)))).points(simTruth)).Total().Own)
	}
	beyond := func(d int64) float64 { return float64(truth.Above(d)) / float64(truth.Count()) }
	tally := simTally{topics: topics, named: map[string]int{}}
	var widths []float64
	for i := range topics {
		points := k.sample(rand.New(rand.NewPCG(uint64(i), 77))).points(k.records)
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
			&tally.guaranteeHeld: a.GuaranteedMs != nil && beyond(*a.GuaranteedMs) <= of.Target.Fraction()} {
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
	if os.Getenv("TIDEMARK_SIMULATE") != "" {
		kinds = append(kinds, simVariants()...)
	}
	if only := os.Getenv("TIDEMARK_SIMULATE_ONLY"); only != "" {
		re := regexp.MustCompile(only)
		kinds = slices.DeleteFunc(kinds, func(k simKind) bool { return !re.MatchString(k.name) })
	}
	table := os.Getenv("TIDEMARK_SIMULATE") != ""
	if table {
		fmt.Print("| lateness | topics | interval covers | guarantee holds | fits | covered or refused | width | named |\n|---|---|---|---|---|---|---|---|\n")
	}
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			got := k.run(t, topics)
			var named []string
			for cause, n := range got.named {
				named = append(named, fmt.Sprintf("%s %.2f", cause, got.share(n)))
			}
			slices.Sort(named)
			if table {
				fmt.Printf("| %s | %d of %d | %.2f | %.2f | %.2f | %.2f | %.2f | %s |\n", k.name, got.shown, got.topics, got.share(got.covered), got.share(got.guaranteeHeld),
					got.share(got.fits), got.share(got.honest), got.width, strings.Join(named, ", "))
			}
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
