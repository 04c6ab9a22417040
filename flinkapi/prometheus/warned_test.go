package prometheus_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tidemark/flinkapi"
	"tidemark/flinkapi/prometheus"
	"tidemark/internal/cases"
	"tidemark/internal/promtest"
)

const gatewayDown = "store gateway-1 is down"

// walkedCaptures are the captures of a stretch.
func walkedCaptures(t *testing.T, server *promtest.Server, s prometheus.Stretch) (all []*flinkapi.Capture) {
	t.Helper()
	s.Each = func(c *flinkapi.Capture) { all = append(all, c) }
	s.Mark = func(*flinkapi.Capture) string { return "" }
	s.Resubmitted = func(string, prometheus.Submission, prometheus.Submission) {}
	if _, err := client(t, server, nil).Walk(context.Background(), s); err != nil || len(all) == 0 {
		t.Fatalf("%d captures, %v", len(all), err)
	}
	return all
}

func warned(c *flinkapi.Capture) bool {
	return len(c.Jobs) == 1 && slices.ContainsFunc(c.Jobs[0].Samples, func(s *flinkapi.Sample) bool { return strings.Contains(fmt.Sprint(s.Missing), gatewayDown) })
}

// If any query of a walk was answered in part, each later reading says so.
func TestNoWarningOfAWalkIsLost(t *testing.T) {
	for _, of := range cases.Some([]string{"", "count by (job_id, job_name) (count by", "count by (job_id, job_name) (flink_", `subtask_index="0"`, "numRestarts", "_taskmanager_job_task_(operator_)", "flink_jobmanager_job_.*"}, 3) {
		server := scraped(t)
		server.Warnings, server.WarnOf = []string{gatewayDown}, of
		for i, c := range walkedCaptures(t, server, prometheus.Stretch{Since: when(t, "20:13:00"), Reading: prometheus.Reading{Jobs: []string{plain}, At: when(t, "20:14:00"), Graph: graph(t)}}) {
			if !warned(c) {
				t.Errorf("%q: reading %d looks complete", of, i)
			}
		}
	}
}

func TestNoWarningOfSplitsIsLost(t *testing.T) {
	for _, of := range []string{`subtask_index="0"`, "currentOffset"} {
		server := scraped(t)
		server.Warnings, server.WarnOf = []string{gatewayDown}, of
		moves, warnings, err := client(t, server, nil).SplitMoves(context.Background(), prometheus.Reading{At: when(t, "20:15:00")}, plain, when(t, "20:13:00"))
		if err != nil || len(moves) == 0 || !slices.Equal(warnings, []string{gatewayDown}) {
			t.Errorf("%q: %d splits, warnings %v, %v", of, len(moves), warnings, err)
		}
	}
}

// The readings of a large job have the same facts as those of a small one: warnings, and recent restarts.
func TestALookOfAWalkSaysWhatACaptureSays(t *testing.T) {
	size := promtest.Synthetic{Vertices: 9, Subtasks: 64, Stuck: -1, Until: noon, Job: strings.Repeat("a", 32), Name: "large"}
	for _, of := range cases.Some([]string{"numRestarts", "max by (task_id, subtask_index)"}, 1) {
		server := &promtest.Server{Series: size.Series(), Stale: 40 * time.Second, Warnings: []string{gatewayDown}, WarnOf: of}
		for i, s := range server.Series {
			if s.Labels["__name__"] == "flink_jobmanager_job_numRestarts" {
				server.Series[i].V = []string{"0", "0", "3", "3", "3", "3"}
			}
		}
		all := walkedCaptures(t, server, prometheus.Stretch{Since: time.UnixMilli(noon - 60_000), Reading: prometheus.Reading{At: time.UnixMilli(noon)}})
		last := all[len(all)-1]
		if !warned(last) {
			t.Errorf("%q: it looks complete", of)
		}
		samples := last.Jobs[0].Samples
		if r := samples[len(samples)-1].Restarts; r == nil || r.Count != 3 || last.URL == "" || last.Origin == nil {
			t.Errorf("%q: restarts %v of %s", of, r, last.URL)
		}
	}
}
