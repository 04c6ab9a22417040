package prometheus_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"tidemark/analyze"
	"tidemark/analyze/series"
	"tidemark/flinkapi"
	"tidemark/flinkapi/prometheus"
	"tidemark/internal/cases"
	"tidemark/internal/promtest"
)

const day = 24 * time.Hour

// small is a job of three vertices that was scraped every 15 s for so long.
func small(stretch time.Duration) *promtest.Server {
	s := promtest.Synthetic{Vertices: 3, Subtasks: 4, Stuck: -1, Until: noon, Job: strings.Repeat("a", 32), Name: "small", Scrapes: int(stretch / (15 * time.Second))}
	return &promtest.Server{Series: s.Series(), Stale: 40 * time.Second}
}

// walkedOver tells how the small job went, and how many captures were judged.
func walkedOver(t testing.TB, c *prometheus.Client, stretch time.Duration) (*series.Timeline, int) {
	t.Helper()
	var went analyze.History
	judged := 0
	judge := func(c *flinkapi.Capture) *analyze.Report { judged++; return analyze.Triage(c, analyze.Options{}) }
	jobs, err := c.Walk(context.Background(), prometheus.Stretch{Since: time.UnixMilli(noon).Add(-stretch), Reading: prometheus.Reading{At: time.UnixMilli(noon)},
		Each: func(c *flinkapi.Capture) { went.Add(c, judge(c)) }, Mark: func(c *flinkapi.Capture) string { return analyze.Mark(judge(c)) },
		Resubmitted: func(string, prometheus.Submission, prometheus.Submission) {}})
	if err != nil || len(jobs) != 1 {
		t.Fatal(len(jobs), err)
	}
	return went.Timeline(jobs[0].ID), judged
}

// A day is looked at more coarsely than an hour, so that it costs little more: as many captures, and few queries.
func TestADayCostsLittleMoreThanAnHour(t *testing.T) {
	cases.Slow(t)
	cost := func(stretch time.Duration) (judged, queries int) {
		server := small(stretch)
		tl, judged := walkedOver(t, client(t, server, nil), stretch)
		if covered := time.Duration(tl.UntilMs-tl.FromMs) * time.Millisecond; covered < stretch*9/10 {
			t.Errorf("%s of %s are told", covered, stretch)
		}
		return judged, len(server.Queries())
	}
	judged, queries := cost(day)
	if hour, few := cost(time.Hour); judged > 5*hour || queries > few+10 {
		t.Errorf("%d captures and %d queries of a day, %d and %d of an hour", judged, queries, hour, few)
	}
}

func BenchmarkADayOfASmallJob(b *testing.B) {
	c := client(b, small(day), nil)
	for b.Loop() {
		walkedOver(b, c, day)
	}
}
