//go:build slow

package prometheus_test

import (
	"testing"

	"tidemark/analyze"
	"tidemark/internal/promtest"
)

// A job of 100 x 512 at one instant is read within 60 queries and 20 MB, four at a time.
func TestAHundredTimesFiveHundredSubtasks(t *testing.T) {
	for _, stuck := range []int{-1, 300} {
		j, server := large(t, promtest.Synthetic{Vertices: 100, Subtasks: 512, Stuck: stuck}, nil)
		want := analyze.VerdictHealthy
		if stuck >= 0 {
			want = analyze.VerdictCritical
		}
		if j.Verdict != want {
			t.Errorf("stuck %d: %s %v", stuck, j.Verdict, j.NotChecked)
		}
		n, bytes := len(server.Queries()), server.Bytes()
		t.Logf("stuck %d: %d queries, %d bytes, %d at once", stuck, n, bytes, server.Peak())
		if n > 60 || bytes > 20<<20 || server.Peak() > 4 {
			t.Errorf("stuck %d: %d queries, %d bytes, %d at once", stuck, n, bytes, server.Peak())
		}
	}
}
