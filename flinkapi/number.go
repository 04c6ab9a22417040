package flinkapi

import (
	"encoding/json"
	"math"
	"strconv"
)

// Float is a REST double. Flink writes NaN as the string "NaN" (Jackson's default). Missing and
// null are NaN as well, so that a missing ratio is never 0.
type Float float64

// UnmarshalJSON accepts a number, a quoted number, "NaN" or null.
func (f *Float) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) != nil {
		s = string(b)
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		v = math.NaN()
	}
	*f = Float(v)
	return nil
}

// Value is the number; ok is false for NaN.
func (f Float) Value() (float64, bool) { return float64(f), !math.IsNaN(float64(f)) }

// Int is a REST long that may be missing, null or written as a double; Valid is false if missing
// or null.
type Int struct {
	V     int64
	Valid bool
}

// UnmarshalJSON accepts an integer, a double without fraction, a quoted one, or null.
func (n *Int) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) != nil {
		s = string(b)
	}
	if v, err := strconv.ParseInt(s, 10, 64); err == nil {
		*n = Int{v, true}
	} else if f, err := strconv.ParseFloat(s, 64); err == nil && math.Abs(f) < 9.2e18 {
		*n = Int{int64(f), true}
	} else {
		*n = Int{}
	}
	return nil
}
