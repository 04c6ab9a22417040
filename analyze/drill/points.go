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

// leastPoints is how many points a slope needs: with fewer it depends on the times of the metric fetches.
const leastPoints = 5

// slope is the growth of a number per ms, by least squares; ok is false for fewer than leastPoints.
func slope(points []Point) (perMs float64, ok bool) {
	n := float64(len(points))
	if len(points) < leastPoints {
		return 0, false
	}
	t0, v0 := points[0].AtMs, points[0].V // moved to the origin: squares of epoch ms would lose precision
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

// left is how long catching up takes from here, ms of wall clock: event time gains speed-1 on the clock. ok is false where
// it never catches up.
func left(behindMs, speed float64) (ms float64, ok bool) {
	switch {
	case behindMs <= 0:
		return 0, true
	case speed <= 1:
		return 0, false
	}
	return behindMs / (speed - 1), true
}

// growth is the median of the last third divided by the median of the first, so that a single outlier does not count. ok
// is false for fewer than three points, and where the first third is 0.
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
