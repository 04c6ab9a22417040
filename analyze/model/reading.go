package model

import (
	"math"
	"strconv"

	"tidemark/flinkapi"
)

func MovedCertainly(r Reading) bool {
	moved, known := r.Moved()
	return known && moved
}

// Reading is a watermark gauge in two metric fetches. Before is absent where there was only one.
type Reading struct {
	Before, Now flinkapi.Watermark
}

// Moved reports whether the watermark advanced between the fetches; known is false where that
// cannot be told: one fetch, or a gauge that was not readable in both.
func (r Reading) Moved() (moved, known bool) {
	if !r.Before.Readable() || !r.Now.Readable() {
		return false, false
	}
	return r.Before.Before(r.Now), true
}

// Frozen is a known event time that certainly did not advance.
func (r Reading) Frozen() bool {
	moved, known := r.Moved()
	return known && !moved && r.Now.IsKnown()
}

// Advance is how far event time moved between the fetches, in ms; ok needs two numbers.
func (r Reading) Advance() (ms int64, ok bool) {
	a, okA := r.Before.Millis()
	b, okB := r.Now.Millis()
	return b - a, okA && okB
}

// IsNone is a gauge that has never been given a watermark.
func (r Reading) IsNone() bool { return r.Now.State() == flinkapi.None }

func MinReading(a, b Reading) Reading {
	return Reading{flinkapi.MinWatermark(a.Before, b.Before), flinkapi.MinWatermark(a.Now, b.Now)}
}

// Gauge is a number in two metric fetches; NaN where it was absent or unreadable.
type Gauge struct {
	Before, Now float64
}

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

func (g Gauge) Or(o Gauge) Gauge {
	if math.IsNaN(g.Now) {
		return o
	}
	return g
}

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
	if err != nil || math.Abs(f) >= 9.2e18 { // beyond a Java long: a sentinel or nonsense, no number to reckon with
		return math.NaN()
	}
	return f
}
