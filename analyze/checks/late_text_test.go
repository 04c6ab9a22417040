package checks

import "testing"

func TestLateTextOfOneRecord(t *testing.T) {
	for n, want := range map[float64]string{1: "1 late record", 2: "2 late records", 4196: "4,196 late records"} {
		if got := lateText(n); got != want {
			t.Errorf("%v: %q", n, got)
		}
	}
}
