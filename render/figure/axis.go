package figure

import (
	"math"
	"strconv"
)

// axis maps a quantity to SVG units on a log scale, with a separate place for zero.
type axis struct {
	lo, hi     float64 // quantity at start and end of the log part
	zero       float64 // where zero is drawn
	start, end float64 // where lo and hi are drawn
}

// at is the place of v; a value above zero and below the log part is at its start.
func (a axis) at(v float64) float64 {
	if v <= 0 {
		return a.zero
	}
	f := (math.Log(v) - math.Log(a.lo)) / (math.Log(a.hi) - math.Log(a.lo))
	return a.start + (a.end-a.start)*math.Min(1, math.Max(0, f))
}

// tick is a labelled value of an axis.
type tick struct {
	v     float64
	label string
}

// ladder are the durations that label an axis.
var ladder = []tick{{1, "1 ms"}, {10, "10 ms"}, {100, "100 ms"}, {1000, "1 s"}, {10_000, "10 s"}, {60_000, "1 min"}, {600_000, "10 min"},
	{3_600_000, "1 h"}, {36_000_000, "10 h"}, {172_800_000, "2 d"}, {864_000_000, "10 d"}, {8_640_000_000, "100 d"}, {86_400_000_000, "1000 d"}}

// delayTicks are the labels between lo and hi, at least room units apart; none at the very end, where it would be cut
// off.
func (a axis) delayTicks(room float64) []tick {
	out := []tick{{0, "0"}}
	last := a.zero
	for _, t := range ladder {
		if t.v < a.lo || t.v > a.hi || math.Abs(a.end-a.at(t.v)) < 10 || math.Abs(a.at(t.v)-last) < room && len(out) > 1 || math.Abs(a.at(t.v)-a.zero) < 20 {
			continue
		}
		out, last = append(out, t), a.at(t.v)
	}
	return out
}

// delayAxis runs from 10 ms, or 1 ms where delays are that short, to far.
func delayAxis(short, far int64, zero, start, end float64) axis {
	lo := 10.0
	if short < 100 {
		lo = 1
	}
	return axis{lo: lo, hi: math.Max(float64(far), lo*100), zero: zero, start: start, end: end}
}

// shareAxis runs from all to the decade of the smallest share above zero, at most eight decades.
func shareAxis(smallest, top, bottom, zero float64) axis {
	decade := math.Pow(10, math.Floor(math.Log10(math.Min(0.1, math.Max(smallest, 1e-8)))))
	return axis{lo: 1, hi: decade, zero: zero, start: top, end: bottom}
}

func (a axis) shareTicks() []tick {
	out := []tick{{0, "0"}}
	for d := 0; float64(-d) <= math.Round(-math.Log10(a.hi)); d-- {
		out = append(out, tick{math.Pow10(d), strconv.FormatFloat(100*math.Pow10(d), 'f', max(0, -d-2), 64) + " %"})
	}
	return out
}
