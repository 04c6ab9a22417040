// Package cases says how many cases of a test run: a part in a plain run, all of them with the
// build tag slow, which .ci/run sets.
package cases

import "testing"

// Of is the number of cases, records or tries.
func Of(few, all int) int {
	if slow {
		return all
	}
	return few
}

// Some returns at most few of the cases, spread evenly, including the first.
func Some[T any](all []T, few int) []T {
	n := Of(min(few, len(all)), len(all))
	some := make([]T, 0, n)
	for i := range n {
		some = append(some, all[i*len(all)/n])
	}
	return some
}

// Slow leaves a test to the slow run: one that waits for seconds, or that checks at length what another test checks
// with less.
func Slow(t testing.TB) {
	t.Helper()
	if !slow {
		t.Skip("run with -tags slow, as .ci/run does")
	}
}
