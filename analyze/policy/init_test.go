package policy

import (
	"testing"

	"tidemark/analyze"
)

// An inferred delay is drafted as one that somebody declares, and the draft passes what it was read from.
func TestDraftedDelay(t *testing.T) {
	for _, c := range []struct {
		bound analyze.Bound
		want  string
	}{
		{analyze.Bound{Ms: 1870}, "2s"},
		{analyze.Bound{Ms: 2499}, "2s"},
		{analyze.Bound{Ms: 30}, "0s"},
		{analyze.Bound{Ms: 39_839}, "40s"},
		{analyze.Bound{Ms: 59_700}, "1m"},
		{analyze.Bound{Ms: 88_000}, "90s"},
		{analyze.Bound{Ms: 598_000}, "10m"},
		{analyze.Bound{Ms: 600_040}, "10m"},
		{analyze.Bound{Ms: 3_590_000}, "1h"},
		{analyze.Bound{Ms: 1870, Declared: true}, "1870ms"},
	} {
		got := roundBound(c.bound)
		if durationText(got) != c.want {
			t.Errorf("%s is drafted as %s, want %s", c.bound, durationText(got), c.want)
		}
		if off := got - c.bound.Ms; off > c.bound.Tolerance()/2+1 || -off > c.bound.Tolerance()/2+1 {
			t.Errorf("%s is drafted %d ms off", c.bound, off)
		}
	}
}
