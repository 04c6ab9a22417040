package cmd

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"tidemark/internal/cases"
	"tidemark/kafkastats/advise"
)

// Observing a topic that has nothing new, with the same profile, changes no counter and no answer.
func TestTheSameOffsetsObservedTwiceCountOnce(t *testing.T) {
	t.Parallel()
	cases.Slow(t)
	parts := [][]planted{plant(3000, 6, disorders()["uniform"]), plant(2000, 9, disorders()["exponential"])}
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(2, "orders"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	addr := c.ListenAddrs()[0]
	fill(t, addr, parts)
	prof := filepath.Join(t.TempDir(), "p")
	var answers []advise.Recommendation
	observed(t, 5000, prof, addr)
	for i := range 3 {
		if i > 0 {
			// Once it asks for more for the fifth time, it has looked at what there is.
			ctx, enough := context.WithTimeout(context.Background(), 60*time.Second)
			asked := 0
			c.ControlKey(int16(kmsg.Fetch), func(kmsg.Request) (kmsg.Response, error, bool) {
				if asked++; asked < 5 {
					c.KeepControl()
				} else {
					enough()
				}
				return nil, nil, false
			})
			if _, e, err := runUnder(ctx, newObserve, "", "", "orders", "--brokers", addr, "--field", "event_time", "--profile", prof, "--from-start", "--flush", "1ms"); code(err) != exitInterrupted {
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
	// Further runs are no second sample either: a profile cannot be merged with itself.
	if _, _, err := run(t, newRecommend, "json", "", "--profile", prof, "--profile", prof); err == nil || code(err) < 2 {
		t.Errorf("the same profile twice: %v", err)
	}
}
