package model

import (
	"math"
	"strconv"

	"tidemark/flinkapi"
)

// MovedCertainly reports a watermark that is known to have advanced between the fetches.
func MovedCertainly(r Reading) bool {
	moved, known := r.Moved()
	return known && moved
}

// Reading is a watermark gauge in two metric fetches. Before is absent where there was only one.
type Reading struct {
	Before, Now flinkapi.Watermark
}

// Moved reports whether the watermark advanced between the fetches; known is false with one fetch, or where the gauge was
// not readable in both.
func (r Reading) Moved() (moved, known bool) {
	if !r.Before.Readable() || !r.Now.Readable() {
		return false, false
	}
	return r.Before.Before(r.Now), true
}

// Frozen reports a known watermark that certainly did not advance.
func (r Reading) Frozen() bool {
	moved, known := r.Moved()
	return known && !moved && r.Now.IsKnown()
}

// Advance is how far the watermark moved between the fetches, ms of event time; ok is false unless both are known.
func (r Reading) Advance() (ms int64, ok bool) {
	a, okA := r.Before.Millis()
	b, okB := r.Now.Millis()
	return b - a, okA && okB
}

// IsNone reports that there has been no watermark so far (Long.MIN_VALUE).
func (r Reading) IsNone() bool { return r.Now.State() == flinkapi.None }

// MinReading is the minimum in each fetch, of the readable ones.
func MinReading(a, b Reading) Reading {
	return Reading{flinkapi.MinWatermark(a.Before, b.Before), flinkapi.MinWatermark(a.Now, b.Now)}
}

// Gauge is a number in two metric fetches; NaN where it was absent or unreadable.
type Gauge struct {
	Before, Now float64
}

// NoGauge is absent in both fetches.
func NoGauge() Gauge { return Gauge{math.NaN(), math.NaN()} }

// Value is the newest number.
func (g Gauge) Value() (float64, bool) { return g.Now, !math.IsNaN(g.Now) }

// Rise is the growth of a counter between the fetches. A counter that fell was reset by a restart:
// its new value is the growth since.
func (g Gauge) Rise() (float64, bool) {
	if math.IsNaN(g.Before) || math.IsNaN(g.Now) {
		return 0, false
	}
	if g.Now < g.Before {
		return g.Now, true
	}
	return g.Now - g.Before, true
}

// Or is g, or o where g is absent now.
func (g Gauge) Or(o Gauge) Gauge {
	if math.IsNaN(g.Now) {
		return o
	}
	return g
}

// AddGauges is the sum; a gauge that is absent now is left out.
func AddGauges(a, b Gauge) Gauge {
	switch {
	case math.IsNaN(a.Now):
		return b
	case math.IsNaN(b.Now):
		return a
	}
	return Gauge{a.Before + b.Before, a.Now + b.Now}
}

func parseNumber(s string, present bool) float64 {
	if !present {
		return math.NaN()
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.Abs(f) >= 9.2e18 { // beyond a Java long: a sentinel
		return math.NaN()
	}
	return f
}
