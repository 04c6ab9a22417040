package cmd

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tidemark/kafkastats/advise"
)

// Observing a topic that has nothing new, with the same profile, changes no counter and no answer.
func TestTheSameOffsetsObservedTwiceCountOnce(t *testing.T) {
	t.Parallel()
	parts := [][]planted{plant(3000, 6, disorders()["uniform"]), plant(2000, 9, disorders()["exponential"])}
	addr := brokerWith(t, parts)
	prof := filepath.Join(t.TempDir(), "p")
	var answers []advise.Recommendation
	observed(t, 5000, prof, addr)
	for i := range 3 {
		if i > 0 {
			if _, e, err := run(t, newObserve, "", "", "orders", "--brokers", addr, "--field", "event_time", "--profile", prof, "--from-start", "--for", "1500ms", "--flush", "1ms"); err != nil {
				t.Fatal(err, e)
			}
		}
		out, e, err := run(t, newRecommend, "json", "", "--profile", prof)
		if code(err) > 1 {
			t.Fatal(err, e)
		}
		answers = append(answers, decodeRecommendation(t, out))
	}
	first := answers[0]
	if first.Records != 5000 || first.Counters.Seen() != 5000 || first.Disorder.Max == 0 {
		t.Fatalf("%d records, %+v", first.Records, first.Counters)
	}
	for i, again := range answers[1:] {
		if diff := cmp.Diff(first, again); diff != "" {
			t.Errorf("run %d changed the answer: %s", i+2, diff)
		}
	}
	// The two runs are no second sample either: a profile cannot be merged with itself.
	if _, _, err := run(t, newRecommend, "json", "", "--profile", prof, "--profile", prof); err == nil || code(err) < 2 {
		t.Errorf("the same profile twice: %v", err)
	}
}
