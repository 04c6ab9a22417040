package prometheus_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"tidemark/analyze"
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

// A job that ended long before the end of the period is read at every scrape, each 5 seconds.
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

// cancelled is a graph that knows when the job was cancelled.
type cancelled struct {
	prometheus.Graph
	at int64 // epoch ms
}

func (g cancelled) Answers(ctx context.Context, id, name string) ([]flinkapi.Entry, string) {
	all, why := g.Graph.Answers(ctx, id, name)
	for i, e := range all {
		var body map[string]any
		if json.Unmarshal(e.Body, &body) == nil && body["timestamps"] != nil {
			body["timestamps"].(map[string]any)["CANCELED"] = g.at
			all[i].Body, _ = json.Marshal(body)
		}
	}
	return all, why
}

// A job that was canceled before the instant is left out, as with REST; if it is named, it is reported as canceled.
func TestAJobThatWasCancelledByThen(t *testing.T) {
	server := scraped(t)
	ended := when(t, "20:16:00")
	cutAt(server, ended.UnixMilli())
	for _, named := range [][]string{nil, {plain}} {
		c, err := client(t, server, nil).Capture(context.Background(), prometheus.Reading{Jobs: named, At: ended.Add(2 * time.Minute), Graph: cancelled{graph(t), ended.UnixMilli() + 1}})
		if err != nil || len(c.Jobs) != len(named) {
			t.Fatalf("%v: %d jobs, %v", named, len(c.Jobs), err)
		}
		if report := analyze.Triage(c, analyze.Options{}); named != nil && (report.Jobs[0].Verdict != analyze.VerdictIncomplete || !strings.Contains(report.Jobs[0].Headline, "it was CANCELED at 2026-11-30T20:16:00.001Z")) {
			t.Errorf("%s: %s", report.Jobs[0].Verdict, report.Jobs[0].Headline)
		}
	}
}
