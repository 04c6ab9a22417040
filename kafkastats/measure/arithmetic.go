package measure

import "math"

// windowEnd is the exclusive end of the tumbling window of size w that contains ts.
func windowEnd(ts, w int64) int64 { return (floorDiv(ts, w) + 1) * w }

// sub is a - b without overflow: foreign event times reach both ends of int64.
func sub(a, b int64) int64 {
	d := a - b
	switch {
	case b < 0 && d < a:
		return math.MaxInt64
	case b > 0 && d > a:
		return -math.MaxInt64
	}
	return d
}

// floorDiv rounds towards the past: arrival times before 1970 exist in files.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}
