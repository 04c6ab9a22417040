package recommend

import (
	"runtime/debug"
	"testing"
)

func TestBoundMemoryPutsTheLimitBack(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	for limit, want := range map[string]int64{"": readingMemory, "1GiB": before} {
		restore := boundMemory(func(string) string { return limit }, readingMemory)
		if got := debug.SetMemoryLimit(-1); got != want {
			t.Errorf("with GOMEMLIMIT %q the limit is %d, want %d", limit, got, want)
		}
		restore()
		if got := debug.SetMemoryLimit(-1); got != before {
			t.Errorf("with GOMEMLIMIT %q the limit stays %d, was %d", limit, got, before)
		}
	}
}
