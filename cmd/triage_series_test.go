package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tidemark/analyze"
	"tidemark/analyze/catalog"
	"tidemark/analyze/series"
	"tidemark/analyze/triage"
	"tidemark/flinkapi"
	"tidemark/internal/expect"
	"tidemark/internal/flinktest"
	"tidemark/internal/golden"
)

// stopped is eight samples of a job whose partition 1 stops on the way; see testdata/series/README.md.
const stopped = "../testdata/series/stopped.jsonl.gz"

func reportOf(t *testing.T, out *bytes.Buffer) analyze.Report {
	t.Helper()
	var r analyze.Report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// triageOf asks for the report of a recording, whatever it holds.
func triageOf(recording string) triage.Request {
	r := triage.Defaults()
	r.Source.From, r.FailOn = []string{recording}, "none"
	return r
}

// The record before the silence was sent at 20:30:28: the onset lies between the readings around it.
func TestALongRecordingTellsWhenAPartitionStopped(t *testing.T) {
	f := newFake(nil)
	if err := runTriage(context.Background(), f.globals, triageOf(stopped), output{format: "json"}); err != nil {
		t.Fatal(err)
	}
	job := reportOf(t, f.out).Jobs[0]
	if job.Verdict != analyze.VerdictCritical || job.Timeline == nil {
		t.Fatalf("%s, timeline %v", job.Verdict, job.Timeline)
	}
	last := time.Date(2026, 11, 30, 20, 30, 28, 0, time.UTC).UnixMilli()
	stands := map[string]bool{}
	for _, track := range job.Timeline.Tracks {
		if len(track.Readings) != 8 {
			t.Errorf("%s has %d readings", track.At, len(track.Readings))
		}
		if track.State != catalog.Standing {
			continue
		}
		stands[track.At.Split] = true
		if s := track.Since; s.AfterMs > last || s.UntilMs < last || s.UntilMs-s.AfterMs > 11_000 {
			t.Errorf("%s since %v, want an interval of one reading around %d", track.At, s, last)
		}
	}
	if !stands["live-stop2-1"] || len(stands) != 2 { // the partition, and the vertices that wait for it
		t.Errorf("stand: %v", stands)
	}
	var verdicts []string
	for _, e := range job.Timeline.Events {
		if e.Kind == series.Verdict {
			verdicts = append(verdicts, e.Text)
		}
	}
	if got := strings.Join(verdicts, ", "); got != "healthy -> incomplete, incomplete -> critical" {
		t.Errorf("verdicts: %s", got)
	}
}

func TestTheTimelineInEveryFormat(t *testing.T) {
	for format, file := range map[string]string{"table": "testdata/stopped.txt", "markdown": "testdata/stopped.md"} {
		f := newFake(nil)
		if err := runTriage(context.Background(), f.globals, triageOf(stopped), output{format: format}); err != nil {
			t.Fatal(err)
		}
		text := f.out.String()
		from, to := strings.Index(text, "What happened"), strings.LastIndex(text, "· not read")
		if from < 0 || to < from {
			t.Fatalf("no timeline: %s", text)
		}
		golden.File(t, file, []byte(text[from:to]))
	}
	f := newFake(nil)
	if err := runTriage(context.Background(), f.globals, triageOf(stopped), output{format: "html"}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`class="st-standing"`, "20:30:32 to 20:31:02: standing", "  live-stop2-1<", "20:30:22 to 20:30:32"} {
		if !strings.Contains(f.out.String(), want) {
			t.Errorf("the page has no %s", want)
		}
	}
}

// Sampling continues for as long as was asked, each time from another metric fetch, and no longer.
func TestTriageForKeepsSampling(t *testing.T) {
	clock := flinktest.NewClock(1796011294937)
	srv := httptest.NewServer(flinktest.NewSynthetic(flinktest.SyntheticOptions{Now: clock.Now, IdleSplit: true}))
	defer srv.Close()
	s := flinkapi.Reading{For: 2 * time.Minute, Connect: func(context.Context) (*flinkapi.Client, error) {
		return flinkapi.NewClient(flinkapi.ClientOptions{URL: srv.URL, Now: clock.Now, Sleep: clock.Sleep})
	}}
	var went analyze.History
	s.Sampled = func(c *flinkapi.Capture) {
		if n := len(c.Jobs[0].Samples); n > 2 {
			t.Errorf("%d samples are kept", n)
		}
		went.Add(c, analyze.Triage(c, analyze.Options{}))
	}
	got, err := s.Read(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	report := analyze.Triage(got.Captures[0], analyze.Options{})
	if went.Attach(report); report.Jobs[0].Timeline == nil {
		t.Fatal("no timeline")
	}
	line := report.Jobs[0].Timeline
	if span := time.Duration(line.UntilMs-line.FromMs) * time.Millisecond; span < 110*time.Second || span > 140*time.Second {
		t.Errorf("sampled for %s", span)
	}
	for _, track := range line.Tracks {
		if track.At.Split != "" || track.At.Subtask != nil {
			continue // this cluster's splits do nothing: leftovers from the second sample on
		}
		if n := len(track.Readings); n < 11 || n > 14 {
			t.Errorf("%s has %d readings", track.At, n)
		}
		if held := len(track.Troubles()) > 0; held != (track.At.Vertex.Name != "Source: Orders1") {
			t.Errorf("%s is %s, onset %v", track.At, track.State, held)
		}
	}
}

func TestForIsRefusedWhereItCannotBeUsed(t *testing.T) {
	for _, s := range []flinkapi.Reading{{For: time.Minute, Once: true}, {For: -time.Second}, {For: time.Minute, From: []string{stopped}, Given: map[string]bool{"for": true}}} {
		expect.Error(t, s.Check(), "for")
	}
}
