package measure

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
)

// Steps counts disorder in steps that a person would write: the integers with at most two
// significant digits. The number of records beyond such a delay is exact, so a rounded delay is
// printed with its own share and not with that of a neighbour.
type Steps map[int64]uint64

// RoundUp is the smallest number with at most two significant digits that is >= v; v <= 0 gives 0.
func RoundUp(v int64) int64 {
	if v <= 0 {
		return 0
	}
	unit := int64(1)
	for v/unit >= 100 {
		unit *= 10
	}
	up := v / unit
	if v%unit != 0 {
		up++
	}
	if up > math.MaxInt64/unit {
		return math.MaxInt64
	}
	return up * unit
}

// RoundDown is the largest number with at most two significant digits that is <= v.
func RoundDown(v int64) int64 {
	if v <= 0 {
		return 0
	}
	unit := int64(1)
	for v/unit >= 100 {
		unit *= 10
	}
	return v / unit * unit
}

func (s Steps) add(disorder int64) {
	if disorder > 0 {
		s[RoundUp(disorder)]++
	}
}

// Above is the number of records with disorder > d, exact because d is a step; ok is false if it
// is not.
func (s Steps) Above(d int64) (n uint64, ok bool) {
	if d < 0 || RoundUp(d) != d {
		return 0, false
	}
	for step, count := range s {
		if step > d {
			n += count
		}
	}
	return n, true
}

// Count is the number of records counted: those with disorder above zero.
func (s Steps) Count() (n uint64) {
	for step, count := range s {
		if step > 0 { // a remote job counts the others, too
			n += count
		}
	}
	return n
}

// Merge adds the counts of o.
func (s Steps) Merge(o Steps) {
	for step, n := range o {
		s[step] += n
	}
}

// MarshalJSON writes step and count alternately, in order of steps.
func (s Steps) MarshalJSON() ([]byte, error) {
	flat := make([]uint64, 0, 2*len(s))
	for _, step := range slices.Sorted(maps.Keys(s)) {
		flat = append(flat, uint64(step), s[step])
	}
	return json.Marshal(flat)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (s *Steps) UnmarshalJSON(b []byte) error {
	var flat []uint64
	if err := json.Unmarshal(b, &flat); err != nil {
		return fmt.Errorf("steps: %w", err)
	}
	*s = Steps{}
	for i := 0; i+1 < len(flat); i += 2 {
		step := int64(min(flat[i], math.MaxInt64))
		if step == 0 || RoundUp(step) != step || flat[i+1] == 0 || i > 0 && flat[i] <= flat[i-2] {
			return fmt.Errorf("steps: impossible step %d with count %d", flat[i], flat[i+1])
		}
		(*s)[step] = flat[i+1]
	}
	if len(flat)%2 != 0 {
		return fmt.Errorf("steps: %d numbers, step and count must alternate", len(flat))
	}
	return nil
}
