package prometheus_test

import (
	"context"
	"testing"
	"time"

	"tidemark/flinkapi"
	"tidemark/flinkapi/prometheus"
	"tidemark/internal/promtest"
)

// cutAt ends every series of a job.
func cutAt(server *promtest.Server, end int64) {
	for i, s := range server.Series {
		n := 0
		for n < len(s.T) && s.T[n] <= end {
			n++
		}
		server.Series[i].T, server.Series[i].V = s.T[:n], s.V[:n]
	}
}

// A job that ended long before the stretch did is read as finely as it was scraped, every 5 seconds.
func TestAJobThatEndedIsReadAsItWasScraped(t *testing.T) {
	server := scraped(t)
	cutAt(server, when(t, "20:16:00").UnixMilli())
	reading := prometheus.Reading{Jobs: []string{plain}, At: when(t, "20:16:00").Add(60 * time.Hour)}
	finest := int64(0)
	jobs, err := client(t, server, nil).Walk(context.Background(), prometheus.Stretch{Reading: reading, Since: when(t, "20:12:30"), Exact: 1 << 20,
		Each:        func(c *flinkapi.Capture) { finest = c.Origin.ResolutionMs },
		Mark:        func(*flinkapi.Capture) string { return "" },
		Resubmitted: func(string, prometheus.Submission, prometheus.Submission) {},
	})
	if err != nil || len(jobs) != 1 || finest != 5000 {
		t.Errorf("%d jobs, every %d ms, %v", len(jobs), finest, err)
	}
	moves, _, err := client(t, server, nil).SplitMoves(context.Background(), reading, plain, when(t, "20:12:30"))
	if err != nil || len(moves) == 0 || moves[0].EveryMs != 5000 {
		t.Errorf("%d splits, %v", len(moves), err)
	}
}
