package policy

import (
	"testing"

	"tidemark/analyze/lag"
	"tidemark/internal/units"
)

// An inferred delay is drafted as one that somebody declares, and the draft passes what it was read from.
func TestDraftedDelay(t *testing.T) {
	for _, c := range []struct {
		bound lag.Bound
		want  string
	}{
		{lag.Bound{Ms: 1870}, "2 s"},
		{lag.Bound{Ms: 2499}, "2 s"},
		{lag.Bound{Ms: 30}, "0 ms"},
		{lag.Bound{Ms: 39_839}, "40 s"},
		{lag.Bound{Ms: 59_700}, "1 min"},
		{lag.Bound{Ms: 88_000}, "1 min 30 s"},
		{lag.Bound{Ms: 598_000}, "10 min"},
		{lag.Bound{Ms: 600_040}, "10 min"},
		{lag.Bound{Ms: 3_590_000}, "1 h"},
		{lag.Bound{Ms: 1870, Declared: true}, "1.87 s"},
	} {
		got := roundBound(c.bound)
		if units.Exact(got) != c.want {
			t.Errorf("%s is drafted as %s, want %s", c.bound, units.Exact(got), c.want)
		}
		if off := got - c.bound.Ms; off > c.bound.Tolerance()/2+1 || -off > c.bound.Tolerance()/2+1 {
			t.Errorf("%s is drafted %d ms off", c.bound, off)
		}
	}
}
