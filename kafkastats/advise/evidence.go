package advise

import (
	"math"

	"tidemark/kafkastats/measure"
)

// z95 is the two-sided 95 % point of the normal distribution.
const z95 = 1.959963984540054

// interval95 is Wilson's interval for k of n records, with n cut to n/deff: records of one burst
// are one observation. Without any exceedance only the upper end 1 - 0.05^(1/n) is known.
func interval95(k, n uint64, deff float64) [2]float64 {
	if n == 0 {
		return [2]float64{0, 1}
	}
	if k == 0 {
		return [2]float64{0, NoneSeenUpper(n)}
	}
	eff := math.Max(1, float64(n)/deff)
	p := float64(k) / float64(n)
	z2 := z95 * z95
	center := (p + z2/(2*eff)) / (1 + z2/eff)
	half := z95 / (1 + z2/eff) * math.Sqrt(p*(1-p)/eff+z2/(4*eff*eff))
	return [2]float64{math.Max(0, center-half), math.Min(1, center+half)}
}

// NoneSeenUpper is the 95 % upper bound on a share of which n independent records showed none.
func NoneSeenUpper(n uint64) float64 { return -math.Expm1(math.Log(0.05) / float64(n)) }

// RecordsNeeded is the number of independent records after which an unseen share is known, with
// 95 % confidence, to be below the target.
func RecordsNeeded(target float64) uint64 {
	if target <= 0 {
		return math.MaxUint64
	}
	return uint64(math.Ceil(math.Log(0.05) / math.Log1p(-target)))
}

// evidence is what a count of late records at one delay is worth.
type evidence struct {
	late       uint64
	n          uint64
	deff       float64
	deffKnown  bool
	episodes   int
	partitions int
}

func evidenceAt(m *measure.Measurement, d int64, late, n uint64) evidence {
	e := evidence{late: late, n: n}
	e.deff, e.deffKnown = m.Blocks.DesignEffect(d)
	e.episodes, e.partitions = m.Episodes(d)
	return e
}

func (e evidence) share() Share {
	s := Share{Records: e.late, CI95: interval95(e.late, e.n, e.deff), Episodes: e.episodes, Partitions: e.partitions,
		DesignEff: e.deff, Independent: !e.deffKnown}
	if e.n > 0 {
		s.Fraction = float64(e.late) / float64(e.n)
	}
	return s
}

// minEpisodes is how many independent observations of lateness a share needs to be believed.
const minEpisodes = 10

// thin reports whether the sample is too small for the target. A stream that is late all the time
// is one long episode, yet its blocks agree: late records divided by the design effect count as
// well as episodes do.
func (e evidence) thin(target float64) bool {
	if e.n < RecordsNeeded(target) && target > 0 {
		return true
	}
	return e.late > 0 && e.episodes < minEpisodes && float64(e.late)/e.deff < minEpisodes
}
