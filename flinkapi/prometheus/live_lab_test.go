//go:build lab

package prometheus_test

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"tidemark/analyze"
	"tidemark/flinkapi"
	"tidemark/flinkapi/prometheus"
)

// REST and Prometheus lead to the same verdict at the same place, for every job of a running lab at one moment. It needs
// `lab prometheus` and the lines of `lab env`.
func TestLiveVerdictOfThePastIsThatOfREST(t *testing.T) {
	rest, url := os.Getenv("TIDEMARK_LAB_REST"), os.Getenv("TIDEMARK_LAB_PROMETHEUS")
	if rest == "" || url == "" {
		t.Skip("no lab with a Prometheus: TIDEMARK_LAB_REST and TIDEMARK_LAB_PROMETHEUS are not set")
	}
	flink, err := flinkapi.NewClient(flinkapi.ClientOptions{URL: rest})
	if err != nil {
		t.Fatal(err)
	}
	read, err := flink.Capture(context.Background(), flinkapi.CaptureOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := analyze.Triage(read, analyze.Options{})
	c, err := prometheus.New(prometheus.Options{Connection: flinkapi.ClientOptions{URL: url}})
	if err != nil {
		t.Fatal(err)
	}
	past, err := c.Capture(context.Background(), prometheus.Reading{At: time.UnixMilli(want.CapturedMs), Graph: prometheus.RestGraph{Client: flink}})
	if err != nil {
		t.Fatal(err)
	}
	got := analyze.Triage(past, analyze.Options{})
	for _, j := range want.Jobs {
		at := slices.IndexFunc(got.Jobs, func(o analyze.JobReport) bool { return o.ID == j.ID })
		if at < 0 || j.State != "RUNNING" {
			continue
		}
		have := got.Jobs[at]
		if have.Verdict != analyze.VerdictIncomplete && !slices.Equal(places(j), places(have)) {
			t.Errorf("%s: REST found\n  %s\nPrometheus\n  %s", j.Name, strings.Join(places(j), "\n  "), strings.Join(places(have), "\n  "))
		}
	}
	if len(got.Jobs) == 0 {
		t.Error("Prometheus has no job")
	}
}
