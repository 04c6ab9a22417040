package render

import "testing"

// A time on another day is short enough for the box of a split.
func TestTimesOfOtherDaysFitASplit(t *testing.T) {
	const now = 1_796_011_312_000 // 2026-11-30 04:01:52 UTC
	for ms, want := range map[int64]string{now - 2000: "", 2_111_194_642_000: "2036-11-25", now - 86_400_000: "11-29 04:01", 1_796_011_000: "1970-01-21"} {
		if got := otherDay(ms, now); got != want {
			t.Errorf("%d: %q, want %q", ms, got, want)
		}
	}
}
