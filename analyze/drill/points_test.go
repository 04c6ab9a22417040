package drill

import (
	"math"
	"testing"
)

// every makes points that are stepMs apart.
func every(stepMs int64, values ...float64) []Point {
	out := make([]Point, len(values))
	for i, v := range values {
		out[i] = Point{1_800_000_000_000 + int64(i)*stepMs, v}
	}
	return out
}

func TestSlope(t *testing.T) {
	for _, c := range []struct {
		name   string
		points []Point
		want   float64
		ok     bool
	}{
		{"a line", every(1000, 5, 10, 15, 20, 25), 0.005, true},
		{"event time six times as fast as the clock", every(10_000, 1.8e12, 1.8e12+6e4, 1.8e12+12e4, 1.8e12+18e4, 1.8e12+24e4), 6, true},
		{"noise that cancels", every(1000, 1, 0, 2, 4, 3), 0.0008, true},
		{"standstill", every(1000, 7, 7, 7, 7, 7), 0, true},
		{"four are too few", every(1000, 1, 2, 3, 4), 0, false},
		{"no time passes", every(0, 1, 2, 3, 4, 5), 0, false},
	} {
		got, ok := slope(c.points)
		if ok != c.ok || math.Abs(got-c.want) > 1e-9*math.Max(1, c.want) {
			t.Errorf("%s: %v %v, want %v %v", c.name, got, ok, c.want, c.ok)
		}
	}
}

func TestLeft(t *testing.T) {
	for _, c := range []struct {
		behind, speed, want float64
		ok                  bool
	}{
		{3_600_000, 7, 600_000, true}, // an hour behind, six hours gained per hour
		{3_600_000, 1.5, 7_200_000, true},
		{3_600_000, 1, 0, false},
		{3_600_000, 0.3, 0, false},
		{0, 0, 0, true},
	} {
		if got, ok := left(c.behind, c.speed); got != c.want || ok != c.ok {
			t.Errorf("%v behind at %vx: %v %v, want %v %v", c.behind, c.speed, got, ok, c.want, c.ok)
		}
	}
}

func TestGrowth(t *testing.T) {
	for _, c := range []struct {
		name   string
		points []Point
		want   float64
		ok     bool
	}{
		{"three", every(1, 10, 99, 30), 3, true},
		{"a single outlier does not count", every(1, 10, 10, 10, 10, 10, 10, 20, 5000, 20), 2, true},
		{"two are too few", every(1, 10, 20), 0, false},
		{"from nothing", every(1, 0, 10, 20), 0, false},
	} {
		if got, ok := growth(c.points); got != c.want || ok != c.ok {
			t.Errorf("%s: %v %v, want %v %v", c.name, got, ok, c.want, c.ok)
		}
	}
}
