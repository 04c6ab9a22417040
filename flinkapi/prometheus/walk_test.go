package prometheus_test

import (
	"context"
	"slices"
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

// walked is the timeline of a job over a period.
func walked(t *testing.T, server *promtest.Server, s prometheus.Stretch) (prometheus.Submission, *series.Timeline) {
	t.Helper()
	var went analyze.History
	s.Each = func(c *flinkapi.Capture) { went.Add(c, analyze.Triage(c, analyze.Options{})) }
	s.Mark = func(c *flinkapi.Capture) string { return analyze.Mark(analyze.Triage(c, analyze.Options{})) }
	s.Resubmitted = func(as string, before, after prometheus.Submission) {
		went.Note(as, series.Event{At: series.Interval{AfterMs: before.UntilMs, UntilMs: after.FromMs}, Kind: series.Deployment, Text: "submitted again: " + before.ID + " -> " + after.ID})
	}
	jobs, err := client(t, server, nil).Walk(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	if len(jobs) != 1 || went.Timeline(jobs[0].ID) == nil {
		t.Fatalf("%d jobs", len(jobs))
	}
	return jobs[0], went.Timeline(jobs[0].ID)
}

// onset is when the trouble began that a track ends in.
func onset(t *series.Track) (series.Interval, bool) {
	all := t.Troubles()
	if n := len(all); n > 0 && all[n-1].Lasts() {
		return all[n-1].Changes[0].Since, true
	}
	return series.Interval{}, false
}

func verdicts(tl *series.Timeline) []string {
	var out []string
	for _, e := range tl.Events {
		if e.Kind == series.Verdict {
			out = append(out, e.Text)
		}
	}
	return out
}

// The partition stopped at 20:15:46: the record of that second is the last one. Its onset is found between two scrapes,
// however long the period is and however coarsely it is read at first.
func TestOnsetToOneScrape(t *testing.T) {
	ways := map[string]int{"some scrapes first": 60, "each scrape": 0}
	for _, name := range cases.Some([]string{"some scrapes first", "each scrape"}, 1) {
		exact := ways[name]
		server := scraped(t)
		_, tl := walked(t, server, prometheus.Stretch{Exact: exact, Since: when(t, "20:12:30"),
			Reading: prometheus.Reading{Jobs: []string{plain}, At: when(t, "20:25:00"), Graph: graph(t)}})
		stopped := when(t, "20:15:46").UnixMilli()
		at := slices.IndexFunc(tl.Tracks, func(tr *series.Track) bool { return tr.At.Split == "stops-1" })
		if at < 0 {
			t.Fatalf("%s: no track of the split", name)
		}
		since, ok := onset(tl.Tracks[at])
		if !ok || since.AfterMs > stopped+1000 || since.UntilMs < stopped || since.UntilMs-since.AfterMs > 5500 {
			t.Errorf("%s: stopped between %s and %s, %v", name, time.UnixMilli(since.AfterMs).UTC(), time.UnixMilli(since.UntilMs).UTC(), ok)
		}
		for _, tr := range tl.Tracks {
			if _, trouble := onset(tr); trouble && tr.At.Split != "" && tr.At.Split != "stops-1" {
				t.Errorf("%s: %s is in trouble as well", name, tr.At)
			}
		}
		changes := verdicts(tl)
		if n := len(changes); n == 0 || !strings.HasSuffix(changes[n-1], "-> critical") {
			t.Errorf("%s: verdicts %v", name, changes)
		}
		if n := len(server.Queries()); n > 60 {
			t.Errorf("%s: %d queries", name, n)
		}
	}
}

// The job was submitted again at 20:28:34, under another id: one timeline, with the event, and the newest id.
func TestASecondSubmissionGoesOnWithTheFirst(t *testing.T) {
	server := &promtest.Server{Series: promtest.Load(t, "testdata/healthy-2.3.0.series.jsonl.gz"), Stale: 12 * time.Second}
	job, tl := walked(t, server, prometheus.Stretch{Since: when(t, "20:26:30"), Reading: prometheus.Reading{Jobs: []string{"lab-healthy"}, At: when(t, "20:29:30")}})
	if !strings.HasPrefix(job.ID, "eb6b9596") || len(job.Earlier) != 1 || !strings.HasPrefix(job.Earlier[0].ID, "af8a9a05") {
		t.Errorf("job %s after %v", job.ID, job.Earlier)
	}
	at := slices.IndexFunc(tl.Events, func(e series.Event) bool { return e.Kind == series.Deployment })
	if at < 0 {
		t.Fatalf("events %v", tl.Events)
	}
	begun := when(t, "20:28:34").UnixMilli()
	if e := tl.Events[at]; e.At.AfterMs > begun || e.At.UntilMs < begun-2000 || e.At.UntilMs-e.At.AfterMs > 16_000 {
		t.Errorf("submitted again %+v", e)
	}
	restarts := 0
	for _, e := range tl.Events {
		if e.Kind == series.Restart {
			restarts++
			if away := e.At.UntilMs - begun; away > 3000 || away < -3000 {
				t.Errorf("began to run at %s", time.UnixMilli(e.At.UntilMs).UTC())
			}
		}
	}
	if restarts != 1 {
		t.Errorf("%d restarts", restarts)
	}
}

// A lost TaskManager, and the job that continues elsewhere, are events between two scrapes.
func TestALostTaskManagerIsAnEvent(t *testing.T) {
	server := scraped(t)
	lost := when(t, "20:14:00").UnixMilli()
	var moved []promtest.Series
	for i, s := range server.Series {
		if s.Labels["tm_id"] == "" {
			continue
		}
		n := 0
		for n < len(s.T) && s.T[n] <= lost {
			n++
		}
		labels := map[string]string{}
		for k, v := range s.Labels {
			labels[k] = v
		}
		labels["tm_id"], labels["task_attempt_num"] = "127_0_0_1:1_other", "1"
		moved = append(moved, promtest.Series{Labels: labels, T: s.T[n:], V: s.V[n:]})
		server.Series[i].T, server.Series[i].V = s.T[:n], s.V[:n]
	}
	server.Series = append(server.Series, moved...)
	_, tl := walked(t, server, prometheus.Stretch{Since: when(t, "20:13:00"), Reading: prometheus.Reading{Jobs: []string{plain}, At: when(t, "20:15:00"), Graph: graph(t)}})
	var told []string
	for _, e := range tl.Events {
		if e.Kind == series.TaskManager {
			told = append(told, e.Text)
			if e.At.AfterMs > lost || e.At.UntilMs < lost || e.At.UntilMs-e.At.AfterMs > 21_000 {
				t.Errorf("%s between %s and %s", e.Text, time.UnixMilli(e.At.AfterMs).UTC(), time.UnixMilli(e.At.UntilMs).UTC())
			}
		}
	}
	if all := strings.Join(told, "\n"); !strings.Contains(all, "any more") || !strings.Contains(all, "run on 127_0_0_1:1_other") {
		t.Errorf("told %q", all)
	}
}
