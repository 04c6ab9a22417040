package measure

import (
	"maps"
	"math"
	"slices"
)

// Spread is how the records beyond a delay are distributed over arrival time. Geyer's initial
// monotone sequence (Practical Markov Chain Monte Carlo, 1992) over the blocks gives their
// long-run variance: autocovariances are added in pairs while they are positive and decreasing.
type Spread struct {
	Blocks   int     // with records
	Effect   float64 // design effect: number of dependent records with the weight of one independent record, at least 1
	Stretch  float64 // number of blocks with the weight of one independent block
	MemoryMs int64   // largest distance at which blocks still resemble each other; 0: neighbours do not
	Freedom  float64 // degrees of freedom of the variance
}

// series is what each block adds to the count beyond a delay, minus its part of the share.
type series struct {
	index     []int64
	over, all []float64
	residual  []float64
	sumOver   float64
	sumAll    float64
}

func (b *Blocks) series(d int64) series {
	s := series{index: slices.Sorted(maps.Keys(b.Own))}
	for _, i := range s.index {
		over, all := float64(b.Own[i].Above(d)), float64(b.Own[i].Count())
		s.over, s.all = append(s.over, over), append(s.all, all)
		s.sumOver, s.sumAll = s.sumOver+over, s.sumAll+all
	}
	for i := range s.index {
		s.residual = append(s.residual, s.over[i]-s.sumOver/s.sumAll*s.all[i])
	}
	return s
}

// covariance is the mean product of residuals a number of blocks apart; blocks without records
// keep their length.
func (s series) covariance(lag int64) float64 {
	sum, j := 0.0, 0
	for i, at := range s.index {
		for j < len(s.index) && s.index[j] < at+lag {
			j++
		}
		if j < len(s.index) && s.index[j] == at+lag {
			sum += s.residual[i] * s.residual[j]
		}
	}
	return sum / float64(len(s.index))
}

// longRun is the long-run variance of a block's count, the variance of one block alone, and the
// last lag that was added.
func (s series) longRun() (long, short float64, last int64) {
	n := float64(len(s.index))
	short = s.covariance(0)
	long = -short
	before := math.Inf(1)
	for lag := int64(0); lag < int64(len(s.index)); lag += 2 {
		pair := min(before, s.covariance(lag)+s.covariance(lag+1))
		if pair <= 0 {
			break
		}
		long += 2 * pair
		before, last = pair, lag
	}
	// The residuals are around the sample's own mean, which hides what all of them share.
	long = max(long, short) / max(0.25, 1-float64(2*last+1)/n)
	return long, short * n / max(1, n-1), last
}

// bearers is the number of blocks that the variance depends on: a third of all if they are
// normal, as many as there are bursts if a few stand out. With few of them, a sample with fewer
// bursts than usual also shows less spread.
func (s series) bearers() float64 {
	var squares, fourths float64
	for _, r := range s.residual {
		squares, fourths = squares+r*r, fourths+r*r*r*r
	}
	if fourths == 0 {
		return float64(len(s.residual))
	}
	return squares * squares / fourths
}

// Spread examines the records with disorder > d; ok is false with fewer than two blocks or no
// such record.
func (b *Blocks) Spread(d int64) (out Spread, ok bool) {
	out = Spread{Blocks: len(b.Own), Effect: 1, Stretch: 1}
	if len(b.Own) < 2 {
		return out, false
	}
	s := b.series(d)
	if s.sumOver == 0 {
		return out, false
	}
	long, short, last := s.longRun()
	out.Effect = max(1, long/(s.sumOver/float64(len(s.index))))
	if short > 0 {
		out.Stretch = max(1, long/short)
	}
	out.MemoryMs = last * b.WidthMs()
	out.Freedom = max(1, min(float64(len(s.index))/float64(2*last+1), s.bearers()))
	return out, true
}
