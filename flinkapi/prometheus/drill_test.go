package prometheus_test

import (
	"context"
	"math"
	"slices"
	"testing"
	"time"

	"tidemark/analyze"
	"tidemark/analyze/drill"
	"tidemark/flinkapi"
	"tidemark/flinkapi/prometheus"
	"tidemark/internal/promtest"
)

// The samples of a running replay and the scrapes of Prometheus give the same figures.
func TestAReplayLooksTheSameLiveAndAfterwards(t *testing.T) {
	rec := open(t, "testdata/watched-2.3.0.rest.jsonl.gz")
	var live, past drill.Watch
	id, from, until := "", int64(0), int64(0)
	_, err := rec.Capture(context.Background(), flinkapi.CaptureOptions{Sampled: func(c *flinkapi.Capture) {
		live.Add(c)
		if id, until = c.Jobs[0].ID, c.ReadAt; from == 0 {
			from = until
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	c := client(t, &promtest.Server{Series: promtest.Load(t, "testdata/watched-2.3.0.series.jsonl.gz"), Stale: 12 * time.Second}, nil)
	_, err = c.Walk(context.Background(), prometheus.Stretch{Since: time.UnixMilli(from),
		Reading: prometheus.Reading{Jobs: []string{id}, At: time.UnixMilli(until), Graph: prometheus.RecordedGraph{Recording: rec}},
		Each:    past.Add, Mark: func(c *flinkapi.Capture) string { return analyze.Mark(analyze.Triage(c, analyze.Options{})) },
		Resubmitted: func(string, prometheus.Submission, prometheus.Submission) {}})
	if err != nil {
		t.Fatal(err)
	}
	a, b := live.Of(id).Result(), past.Of(id).Result()
	if len(a.Sources) != 1 || len(b.Sources) != 1 || a.Readings < 10 || b.Readings < 30 {
		t.Fatalf("%+v\n%+v", a, b)
	}
	for _, n := range []struct {
		name       string
		live, past drill.Number
		within     float64 // of the value
	}{
		{"speed", a.Sources[0].Speed, b.Sources[0].Speed, 0.05},
		{"records", a.Sources[0].Records, b.Sources[0].Records, 0.05},
		{"behind", a.Sources[0].Behind, b.Sources[0].Behind, 0.05},
		{"catch up", a.Sources[0].CatchUp, b.Sources[0].CatchUp, 0.05},
		{"largest checkpoint", a.CheckpointSize, b.CheckpointSize, 0},
		{"failed checkpoints", a.FailedCheckpoints, b.FailedCheckpoints, 0},
		{"dropped", a.Drops[0].Dropped, b.Drops[0].Dropped, 0},
	} {
		x, ok := n.live.Get()
		y, same := n.past.Get()
		if !ok || !same || math.Abs(x-y) > n.within*x {
			t.Errorf("%s: %v %q live, %v %q afterwards", n.name, x, n.live.Why, y, n.past.Why)
		}
		t.Logf("%s: %.4g live, %.4g afterwards", n.name, x, y)
	}
}

// A replay that catches up is no warning, although its consumer learns the pending records only at each fetch, and the
// last of the backlog is fetched before it is emitted.
func TestAReplayThatCatchesUpIsNoWarning(t *testing.T) {
	rec := open(t, "testdata/replay-2.3.0.rest.jsonl.gz")
	_, tl := walked(t, &promtest.Server{Series: promtest.Load(t, "testdata/replay-2.3.0.series.jsonl.gz"), Stale: 12 * time.Second},
		prometheus.Stretch{Since: when(t, "23:50:15"), Reading: prometheus.Reading{At: when(t, "23:59:59").Add(8*time.Minute + 15*time.Second), Graph: prometheus.RecordedGraph{Recording: rec}}})
	if got := verdicts(tl); !slices.Equal(got, []string{"incomplete -> info", "info -> healthy"}) {
		t.Errorf("%q", got)
	}
}
