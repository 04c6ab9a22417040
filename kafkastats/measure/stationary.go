package measure

import (
	"math"

	"tidemark/kafkastats/hist"
)

// Shape is a way in which a share can change over a sample.
type Shape string

// The shapes that are tested.
const (
	Trend     Shape = "trend"      // it rises or falls from the first block to the last
	LastTenth Shape = "last-tenth" // the last tenth of the time differs from everything before
	Wave      Shape = "wave"       // the middle differs from both ends
)

// Change is how much of the variation of late records over time one shape explains.
type Change struct {
	Shape Shape
	// Score is the size of the change divided by its standard error, which includes the
	// dependence between blocks that remains without the change.
	Score float64
}

// contrast is the form of a shape at the elapsed part of the sample, 0 to 1.
func (s Shape) contrast(passed float64) float64 {
	switch s {
	case LastTenth:
		if passed >= 0.9 {
			return 1
		}
		return 0
	case Wave:
		return math.Sin(math.Pi * passed)
	}
	return passed
}

// minShapeBlocks is the number of blocks below which a shape cannot be distinguished from chance.
const minShapeBlocks = 10

// Changes tests every shape on the share of records with disorder > d; none with few blocks or no
// such record.
func (b *Blocks) Changes(d int64) []Change {
	if len(b.Own) < minShapeBlocks {
		return nil
	}
	s := b.series(d)
	if s.sumOver == 0 {
		return nil
	}
	var out []Change
	for _, shape := range []Shape{Trend, LastTenth, Wave} {
		out = append(out, Change{shape, s.score(shape)})
	}
	return out
}

func (s series) score(shape Shape) float64 {
	first, last := s.index[0], s.index[len(s.index)-1]
	c := make([]float64, len(s.index))
	var mean float64
	for i, at := range s.index {
		c[i] = shape.contrast((float64(at-first) + 0.5) / float64(last-first+1))
		mean += c[i] * s.all[i] / s.sumAll
	}
	var along, square float64
	for i := range c {
		c[i] = (c[i] - mean) * s.all[i]
		along += c[i] * s.residual[i]
		square += c[i] * c[i]
	}
	if square == 0 {
		return 0
	}
	rest := series{index: s.index}
	for i, r := range s.residual {
		rest.residual = append(rest.residual, r-along/square*c[i])
	}
	long, _, _ := rest.longRun()
	// Even independent blocks vary by chance.
	long = max(long, s.sumOver/float64(len(s.index)))
	return along / math.Sqrt(square*long)
}

// Stretch is a period of arrival time and its records. Times in epoch ms.
type Stretch struct {
	FromMs, ToMs  int64
	Records, Late uint64
}

// Stretches merges neighbouring blocks until at most the given number is left, and counts their
// records with disorder > d; stretches without a record are left out.
func (b *Blocks) Stretches(d int64, most int) []Stretch {
	s := b.series(d)
	if len(s.index) == 0 {
		return nil
	}
	first, last := s.index[0], s.index[len(s.index)-1]
	each := (last-first)/int64(most) + 1
	var out []Stretch
	at := int64(-1)
	for i, index := range s.index {
		if part := (index - first) / each; part != at {
			from := first + part*each
			out = append(out, Stretch{FromMs: from * b.WidthMs(), ToMs: (from + each) * b.WidthMs()})
			at = part
		}
		x := &out[len(out)-1]
		x.Records += uint64(s.all[i])
		x.Late += uint64(s.over[i])
	}
	return out
}

// Split divides the blocks in two: those up to the given share of the records, and the rest.
func (b *Blocks) Split(part float64) (before, after Blocks) {
	s := b.series(0)
	before, after = Blocks{Shift: b.Shift}, Blocks{Shift: b.Shift}
	sum := 0.0
	for i, index := range s.index {
		if sum < part*s.sumAll {
			before.at(index).Merge(b.Own[index])
		} else {
			after.at(index).Merge(b.Own[index])
		}
		sum += s.all[i]
	}
	return before, after
}

// Sum is the disorder of all blocks.
func (b *Blocks) Sum() *hist.Histogram {
	out := &hist.Histogram{}
	for _, h := range b.Own {
		out.Merge(h)
	}
	return out
}
