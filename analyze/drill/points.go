package drill

import (
	"cmp"
	"slices"
)

// Point is a number at a moment of the cluster's wall clock.
type Point struct {
	AtMs int64   `json:"at_ms"` // epoch ms
	V    float64 `json:"value"`
}

// leastPoints are needed before a slope is told: of fewer, the moment of a metric fetch decides.
const leastPoints = 5

// slope is how much a number grows in a ms, by least squares; ok is false for fewer than leastPoints.
func slope(points []Point) (perMs float64, ok bool) {
	n := float64(len(points))
	if len(points) < leastPoints {
		return 0, false
	}
	t0, v0 := points[0].AtMs, points[0].V // near the origin, so that nothing is lost in the squares
	var st, sv, stt, stv float64
	for _, p := range points {
		t, v := float64(p.AtMs-t0), p.V-v0
		st, sv, stt, stv = st+t, sv+v, stt+t*t, stv+t*v
	}
	d := n*stt - st*st
	if d <= 0 {
		return 0, false
	}
	return (n*stv - st*sv) / d, true
}

// left is how long it takes until event time has caught up, ms of wall clock: it gains speed-1 on the clock.
// ok is false where it never does.
func left(behindMs, speed float64) (ms float64, ok bool) {
	switch {
	case behindMs <= 0:
		return 0, true
	case speed <= 1:
		return 0, false
	}
	return behindMs / (speed - 1), true
}

// growth is the median of the last third over that of the first one: one slow checkpoint decides nothing. ok is
// false for fewer than three, and where the first are 0.
func growth(points []Point) (factor float64, ok bool) {
	n := len(points) / 3
	if n == 0 {
		return 0, false
	}
	first, last := median(points[:n]), median(points[len(points)-n:])
	if first <= 0 {
		return 0, false
	}
	return last / first, true
}

func median(points []Point) float64 {
	sorted := slices.SortedFunc(slices.Values(points), func(a, b Point) int { return cmp.Compare(a.V, b.V) })
	n := len(sorted)
	return (sorted[(n-1)/2].V + sorted[n/2].V) / 2
}

// largest is the point with the largest number; ok is false where there is none.
func largest(points []Point) (Point, bool) {
	if len(points) == 0 {
		return Point{}, false
	}
	return slices.MaxFunc(points, func(a, b Point) int { return cmp.Compare(a.V, b.V) }), true
}
