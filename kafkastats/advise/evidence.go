package advise

import (
	"math"

	"tidemark/kafkastats/measure"
)

// z95 is the two-sided 95 % point of the normal distribution.
const z95 = 1.959963984540054

// student95 is the two-sided 95 % point of Student's t, expanded around the normal one
// (Abramowitz and Stegun 26.7.5); it is accurate to 1 % from three degrees of freedom on, the
// least that it accepts.
func student95(freedom float64) float64 {
	const z = z95
	v := math.Max(3, freedom)
	return z + (z*z*z+z)/(4*v) + (5*math.Pow(z, 5)+16*z*z*z+3*z)/(96*v*v) + (3*math.Pow(z, 7)+19*math.Pow(z, 5)+17*z*z*z-15*z)/(384*v*v*v)
}

// NoneSeenUpper is the 95 % upper bound on a share if none of n independent records showed it.
func NoneSeenUpper(n uint64) float64 { return -math.Expm1(math.Log(0.05) / float64(n)) }

// RecordsNeeded is the number of independent records, none of them late, after which the share is
// below the target with 95 % confidence.
func RecordsNeeded(target float64) uint64 {
	if target <= 0 {
		return math.MaxUint64
	}
	return uint64(math.Ceil(math.Log(0.05) / math.Log1p(-target)))
}

// evidence is the statistical weight of a count of late records at one delay.
type evidence struct {
	late       uint64
	n          uint64
	spread     measure.Spread
	known      bool // the spread is known
	episodes   int
	partitions int
}

func evidenceAt(m *measure.Measurement, d int64, late, n uint64) evidence {
	e := evidence{late: late, n: n}
	e.spread, e.known = m.Blocks.Spread(d)
	return e
}

// evidence is the weight of the late records at a delay. They are few, so their dependence is
// also estimated from more records, those beyond a shorter delay: these have the same causes, and
// relative to their number do not depend on each other more. If the dependence grows from the
// many to the fewer, it is extrapolated.
func (s *summary) evidence(d int64, late uint64) evidence {
	e := evidenceAt(s.m, d, late, s.n)
	if !e.known || late == 0 {
		return e
	}
	wide, ok := s.wider(d, late)
	if !ok {
		return e
	}
	grows := 1.0
	if widest, ok := s.wider(d, widerBy*late); ok && widest.spread.Effect > clearEffect {
		grows = math.Max(1, math.Min(mostGrowth, wide.excess()/widest.excess()))
	}
	if least := 1 + grows*wide.excess()*float64(late); least > e.spread.Effect {
		e.spread.Effect, e.spread.Freedom = least, min(e.spread.Freedom, wide.spread.Freedom)
	}
	return e
}

const (
	// widerBy is how many times as many records are used to estimate their dependence.
	widerBy = 10
	// clearEffect is the design effect from which on records count as dependent. mostGrowth
	// limits how much more dependent the fewer records are assumed to be.
	clearEffect = 3
	mostGrowth  = 3
)

// wider is the evidence of widerBy as many records; ok is false if no shorter delay has that
// many.
func (s *summary) wider(d int64, late uint64) (evidence, bool) {
	wide, _ := need(s.total.Own, false, widerBy*late)
	if wide >= d {
		return evidence{}, false
	}
	e := evidenceAt(s.m, wide, s.late(wide), s.n)
	return e, e.known && e.late > 0
}

// excess is the design effect beyond that of independent records, per late record.
func (e evidence) excess() float64 { return (e.spread.Effect - 1) / float64(e.late) }

// withEpisodes counts the separate episodes, which takes longer than everything else.
func (e evidence) withEpisodes(m *measure.Measurement, d int64) evidence {
	e.episodes, e.partitions = m.Episodes(d)
	return e
}

// effective is the number of independent records with the same weight as the late ones.
func (e evidence) effective() float64 { return float64(e.late) / e.spread.Effect }

// interval95 is Wilson's interval for the late share, with n reduced to n/effect, because the
// records of one burst are one observation. It uses Student's t instead of the normal
// distribution: the effect itself is an estimate, from as many stretches as are independent, and
// few late records are skewed. Without any late record only the upper end 1 - 0.05^(1/n) is
// known.
func (e evidence) interval95() [2]float64 {
	if e.n == 0 {
		return [2]float64{0, 1}
	}
	if e.late == 0 {
		return [2]float64{0, NoneSeenUpper(e.n)}
	}
	z := z95
	if e.known {
		z = student95(math.Min(e.spread.Freedom, e.effective()))
	}
	eff := math.Max(1, float64(e.n)/e.spread.Effect)
	p := float64(e.late) / float64(e.n)
	z2 := z * z
	center := (p + z2/(2*eff)) / (1 + z2/eff)
	half := z / (1 + z2/eff) * math.Sqrt(p*(1-p)/eff+z2/(4*eff*eff))
	return [2]float64{math.Max(0, center-half), math.Min(1, center+half)}
}

func (e evidence) share() Share {
	s := Share{Records: e.late, CI95: e.interval95(), Episodes: e.episodes, Partitions: e.partitions,
		DesignEff: e.spread.Effect, Independent: !e.known}
	if e.n > 0 {
		s.Fraction = float64(e.late) / float64(e.n)
	}
	return s
}

const (
	// minEffective is the number of independent late records that a credible interval needs;
	// minStretches is the number of independent stretches of the sample: with fewer, the spread
	// is a guess from a handful of bursts. The simulation next to this file measures how often
	// that holds.
	minEffective = 8
	minStretches = 30
	// fewBlocks or fewer cannot show any dependence over time.
	fewBlocks = 8
)

// stretches is the number of independent parts of the sample.
func (e evidence) stretches() float64 { return float64(e.spread.Blocks) / e.spread.Stretch }

// trusted reports whether the interval is credible. A share far below the target, whose whole
// interval is below it, is decided even by few late records.
func (e evidence) trusted(target float64) bool {
	switch {
	case e.late == 0 || !e.known:
		return true
	case e.spread.Blocks < fewBlocks:
		return e.effective() >= minEffective && e.episodes >= minEffective
	case e.stretches() < math.Min(minStretches, float64(e.spread.Blocks)/2):
		return false
	}
	return e.effective() >= minEffective || e.interval95()[1] <= target
}

// longer is the factor by which the sample must grow before the interval is credible, if it
// continues as it is.
func (e evidence) longer() float64 {
	return 1.25 * math.Max(1, math.Max(minEffective/math.Max(e.effective(), 1e-3), minStretches/e.stretches()))
}
