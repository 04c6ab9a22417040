package measure

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"tidemark/internal/cases/property"
)

// The flat counts and the map must be the same steps for every disorder there can be.
func TestTallyCountsLikeSteps(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.OneOf(rapid.Int64Range(1, 200), rapid.Int64Range(1, 100_000), rapid.Int64Range(1, math.MaxInt64),
			rapid.Custom(func(t *rapid.T) int64 {
				v := int64(1)
				for range rapid.IntRange(0, 18).Draw(t, "power") {
					v *= 10
				}
				return max(1, v+rapid.Int64Range(-2, 2).Draw(t, "beside"))
			})), 0, 60).Draw(t, "values")
		want, got, count := Steps{}, Steps{}, &tally{}
		for i, v := range values {
			want.add(v)
			if !count.add(v) {
				got.add(v)
			}
			if i == len(values)/2 {
				count.into(got)
			}
		}
		count.into(got)
		count.into(got) // a second time there is nothing left
		if fmt.Sprint(want) != fmt.Sprint(got) {
			t.Fatalf("%v\n%v", want, got)
		}
	})
}

func TestDigits(t *testing.T) {
	for _, p := range powers[:17] {
		for _, v := range []uint64{p, p + 1, 5 * p, 10*p - 1} {
			if got, want := digits(v), len(fmt.Sprint(v)); got != want {
				t.Errorf("%d has %d digits, got %d", v, want, got)
			}
		}
	}
}
