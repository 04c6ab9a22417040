//go:build slow

package advise

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"tidemark/kafkastats/record"
)

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

// simKinds are the kinds of lateness that are compared with the truth in every run of the slow tests.
func simKinds() []simKind {
	const span = simRecords * simSpacing
	const slow = day / 2 / simRecords
	twenty := stationary("correlated over 20 s", correlated(20_000), func(t simTally) string {
		if t.share(t.fits) < 0.5 {
			return fmt.Sprintf("fits in %.3f", t.share(t.fits))
		}
		return ""
	})
	return []simKind{
		stationary("independent", steady(plainDelay), independentKind),
		stationary("Pareto", steady(pareto), independentKind),
		stationary("short outages", outages(20_000, 3000), independentKind),
		twenty,
		stationary("correlated over 120 s", correlated(120_000), nil).truthOf(4),
		stationary("correlated over 600 s", correlated(600_000), nil).truthOf(10),
		rareOutages("rare long outages", 1_500_000, 60_000),
		changing("drift to three times", scaled(simSpacing, 1000, func(at float64) float64 { return 1 + 2*at/span }), 3),
		changing("last tenth five times slower", scaled(simSpacing, 1000, step(0.9*span, 5)), 5),
		stationary("half of a daily cycle", scaled(slow, 10_000, daily), nil),
	}
}

const day = 86_400_000.0

func daily(at float64) float64 { return 1.5 + math.Sin(2*math.Pi*at/day) }

func pareto(r *rand.Rand) float64 { return 100 * math.Pow(1-r.Float64(), -1/1.5) }

// step is 1 and from a moment on the factor.
func step(fromMs, factor float64) func(float64) float64 {
	return func(at float64) float64 {
		if at >= fromMs {
			return factor
		}
		return 1
	}
}

func stationary(name string, f func(r *rand.Rand) simTopic, want func(simTally) string) simKind {
	return simKind{name: name, sample: f, truth: f, truthN: simTruth, records: simRecords, target: "1%", want: want}
}

// changing is a topic after which all is the factor times slower than at its beginning.
func changing(name string, f func(r *rand.Rand) simTopic, factor float64) simKind {
	return simKind{name: name, sample: f, truth: scaled(simSpacing, 1000, func(float64) float64 { return factor }), truthN: simTruth, records: simRecords, target: "1%"}
}

func rareOutages(name string, everyMs, lengthMs float64) simKind {
	k := stationary(name, outages(everyMs, lengthMs), nil).truthOf(max(1, int(everyMs/1_000_000)))
	k.episode = func(points []record.Point) bool {
		return slices.ContainsFunc(points, func(p record.Point) bool { return float64(p.Arrival-p.Event) > lengthMs/3 })
	}
	return k
}

// truthOf takes so many million records for the truth.
func (k simKind) truthOf(millions int) simKind {
	k.truthN = millions * simTruth
	return k
}

// of is the kind with other records and another target.
func (k simKind) of(records int, target string) simKind {
	k.name = fmt.Sprintf("%s, %d records, %s", k.name, records, target)
	k.records, k.target = records, target
	return k
}

// mixed adds the delay of two kinds.
func mixed(a, b func(r *rand.Rand) simTopic) func(r *rand.Rand) simTopic {
	return func(r *rand.Rand) simTopic {
		x, y := a(r), b(r)
		return simTopic{x.spacingMs, func(i int, at float64) float64 { return x.delay(i, at) + y.delay(i, at) }}
	}
}

// simVariants are other forms of the kinds.
func simVariants() (all []simKind) {
	const span = simRecords * simSpacing
	for _, s := range []float64{5, 10, 40, 60, 90, 200, 300} {
		all = append(all, stationary(fmt.Sprintf("correlated over %.0f s", s), correlated(s*1000), nil).truthOf(1+int(s/30)))
	}
	for _, every := range []float64{300, 800, 3000, 8000} {
		for _, length := range []float64{10, 30, 120, 300} {
			all = append(all, rareOutages(fmt.Sprintf("outages every %.0f s of %.0f s", every, length), every*1000, length*1000))
		}
	}
	for _, f := range []float64{1.5, 2, 5, 0.5} {
		all = append(all, changing(fmt.Sprintf("drift to %.1f times", f), scaled(simSpacing, 1000, func(at float64) float64 { return 1 + (f-1)*at/span }), f))
	}
	for _, f := range []float64{1.5, 2, 3, 10, 0.3} {
		all = append(all, changing(fmt.Sprintf("last tenth %.1f times slower", f), scaled(simSpacing, 1000, step(0.9*span, f)), f))
	}
	for _, part := range []float64{0.7, 0.8, 0.95} {
		all = append(all, changing(fmt.Sprintf("from %.0f %% on three times slower", 100*part), scaled(simSpacing, 1000, step(part*span, 3)), 3))
	}
	for _, part := range []float64{0.2, 0.3, 0.75, 1, 1.5} {
		all = append(all, stationary(fmt.Sprintf("%.2f of a daily cycle", part), scaled(day*part/simRecords, 10_000, daily), nil))
	}
	mixedOutages := rareOutages("independent with rare outages", 800_000, 60_000)
	mixedOutages.sample = mixed(steady(plainDelay), outages(800_000, 60_000))
	mixedOutages.truth = mixedOutages.sample
	all = append(all,
		stationary("correlated over 30 s with short outages", mixed(correlated(30_000), outages(20_000, 3000)), nil),
		stationary("correlated over 120 s with Pareto", mixed(correlated(120_000), steady(pareto)), nil).truthOf(4),
		mixedOutages,
	)
	for _, k := range []simKind{
		stationary("independent", steady(plainDelay), independentKind), stationary("Pareto", steady(pareto), independentKind), stationary("short outages", outages(20_000, 3000), independentKind),
		stationary("correlated over 60 s", correlated(60_000), nil).truthOf(3), stationary("correlated over 300 s", correlated(300_000), nil).truthOf(8),
		rareOutages("rare long outages", 1_500_000, 60_000),
	} {
		for _, size := range []int{5000, 60_000, 200_000} {
			all = append(all, k.of(size, "1%"))
		}
		all = append(all, k.of(simRecords, "5%"), k.of(simRecords, "0.3%"), k.of(60_000, "0.1%"))
	}
	return all
}
