package prometheus_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tidemark/analyze"
	"tidemark/flinkapi"
	"tidemark/flinkapi/prometheus"
	"tidemark/internal/cases"
	"tidemark/internal/flinktest"
	"tidemark/internal/promtest"
)

// client connects to a server of the test.
func client(t testing.TB, s *promtest.Server, change func(*prometheus.Options)) *prometheus.Client {
	t.Helper()
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	o := prometheus.Options{Connection: flinkapi.ClientOptions{URL: srv.URL, RetryWait: time.Millisecond}}
	if change != nil {
		change(&o)
	}
	c, err := prometheus.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func open(t testing.TB, path string) *flinkapi.Recording {
	t.Helper()
	return flinktest.Open(t, path)
}

// places are the findings of a job with severity and place.
func places(j analyze.JobReport) []string {
	var out []string
	for _, f := range j.Findings {
		vertex := ""
		if f.Vertex != nil {
			vertex = f.Vertex.Name
		}
		out = append(out, fmt.Sprint(f.Code, " ", f.Cause, " ", f.Severity, " ", vertex, " ", f.Subtasks, " ", f.Split))
	}
	slices.Sort(out)
	return out
}

// REST and Prometheus lead to the same verdict at the same place, on each version and for each recorded job.
func TestVerdictOfThePastIsThatOfREST(t *testing.T) {
	files, err := filepath.Glob("testdata/jobs-*.rest.jsonl.gz")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range cases.Some(files, 1) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".rest.jsonl.gz"), func(t *testing.T) {
			rec := open(t, file)
			read, err := rec.Capture(context.Background(), flinkapi.CaptureOptions{})
			if err != nil {
				t.Fatal(err)
			}
			rest := analyze.Triage(read, analyze.Options{})
			server := &promtest.Server{Series: promtest.Load(t, strings.Replace(file, ".rest.", ".series.", 1)), Stale: 12 * time.Second}
			c := client(t, server, nil)
			at := time.UnixMilli(rest.CapturedMs)
			past, err := c.Capture(context.Background(), prometheus.Reading{At: at, Graph: prometheus.RecordedGraph{Recording: rec}})
			if err != nil {
				t.Fatal(err)
			}
			got := analyze.Triage(past, analyze.Options{})
			if len(got.Jobs) != len(rest.Jobs) || len(got.Jobs) < 8 {
				t.Fatalf("%d jobs of %d", len(got.Jobs), len(rest.Jobs))
			}
			alone, err := c.Capture(context.Background(), prometheus.Reading{At: at})
			if err != nil {
				t.Fatal(err)
			}
			without := analyze.Triage(alone, analyze.Options{})
			for i, want := range rest.Jobs {
				have := got.Jobs[slices.IndexFunc(got.Jobs, func(j analyze.JobReport) bool { return j.ID == want.ID })]
				if a, b := places(want), places(have); !slices.Equal(a, b) {
					t.Errorf("%s: REST found\n  %s\nPrometheus\n  %s", want.Name, strings.Join(a, "\n  "), strings.Join(b, "\n  "))
				}
				if have.Verdict != want.Verdict || have.Incomplete && have.Verdict != analyze.VerdictCritical || have.Name != want.Name {
					t.Errorf("%s: %s from REST, %s %q from Prometheus (incomplete %v: %v)", want.Name, want.Verdict, have.Verdict, have.Name, have.Incomplete, have.NotChecked)
				}
				if bare := without.Jobs[i]; bare.Verdict == analyze.VerdictHealthy || bare.Verdict == analyze.VerdictInfo || !bare.Incomplete {
					t.Errorf("%s: %s without a graph, incomplete %v", bare.Name, bare.Verdict, bare.Incomplete)
				}
			}
			if o := past.Origin; o == nil || o.ResolutionMs != 5000 || o.Graph != file || o.AskedMs != rest.CapturedMs {
				t.Errorf("origin %+v", o)
			}
			t.Logf("%d queries, %d bytes for %d jobs", len(server.Queries()), server.Bytes(), len(got.Jobs))
		})
	}
}
