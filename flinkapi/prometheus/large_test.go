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

// large judges a synthetic job and returns what that cost.
func large(t *testing.T, s promtest.Synthetic, change func([]promtest.Series) []promtest.Series) (analyze.JobReport, *promtest.Server) {
	t.Helper()
	s.Until, s.Job, s.Name = noon, strings.Repeat("a", 32), "large"
	body, err := json.Marshal(s.Graph())
	if err != nil {
		t.Fatal(err)
	}
	all := s.Series()
	if change != nil {
		all = change(all)
	}
	server := &promtest.Server{Series: all, Stale: 40 * time.Second}
	graph := prometheus.RecordedGraph{Recording: &flinkapi.Recording{Name: "graph", Entries: []flinkapi.Entry{
		{T: noon, Path: "/overview", Status: 200, Body: []byte(`{"flink-version":"2.3.0"}`)}, {T: noon, Path: "/jobs/" + s.Job, Status: 200, Body: body}}}}
	c, err := client(t, server, nil).Capture(context.Background(), prometheus.Reading{At: time.UnixMilli(noon + 2000), Graph: graph})
	if err != nil {
		t.Fatal(err)
	}
	r := analyze.Triage(c, analyze.Options{})
	if len(r.Jobs) != 1 {
		t.Fatalf("%d jobs", len(r.Jobs))
	}
	return r.Jobs[0], server
}

func TestALargeJobIsLookedAtFirst(t *testing.T) {
	size := promtest.Synthetic{Vertices: 9, Subtasks: 64, Stuck: -1}
	j, server := large(t, size, nil)
	if j.Verdict != analyze.VerdictHealthy || j.Incomplete || len(j.Vertices) != size.Vertices {
		t.Errorf("healthy: %s %v %v", j.Verdict, places(j), j.NotChecked)
	}
	if n := len(server.Queries()); n > 20 || server.Peak() > 4 {
		t.Errorf("%d queries, %d at once", n, server.Peak())
	}
	size.Stuck = 7
	j, server = large(t, size, nil)
	if j.Verdict != analyze.VerdictCritical || len(j.Findings) == 0 || j.Findings[0].Vertex == nil || j.Findings[0].Vertex.Name != "Task0" || j.Findings[0].Split != "t_7" {
		t.Errorf("stuck: %s %v %v", j.Verdict, places(j), j.NotChecked)
	}
	if n := len(server.Queries()); n > 60 {
		t.Errorf("%d queries", n)
	}
	// A subtask whose input is far behind its siblings' is read in full, with one that is not.
	size.Stuck = -1
	j, server = large(t, size, func(all []promtest.Series) []promtest.Series {
		for i, s := range all {
			if s.Labels["task_id"] == size.VertexID(4) && s.Labels["subtask_index"] == "9" && strings.HasSuffix(s.Labels["__name__"], "currentInputWatermark") {
				all[i].V = []string{"1796039800000", "1796039800000", "1796039800000", "1796039800000", "1796039800000", "1796039800000"}
			}
		}
		return all
	})
	drilled := ""
	for _, q := range server.Queries() {
		if strings.Contains(q, size.VertexID(4)) {
			drilled = q
		}
	}
	if j.Verdict == analyze.VerdictHealthy || !strings.Contains(drilled, "9") || len(server.Queries()) > 60 {
		t.Errorf("a subtask behind: %s, drilled by %q", j.Verdict, drilled)
	}
	// A subtask that is not scraped does not count as healthy, of the source or behind it.
	size.Stuck = -1
	for _, vertex := range []string{size.VertexID(0), size.VertexID(3)} {
		j, _ = large(t, size, func(all []promtest.Series) []promtest.Series {
			var kept []promtest.Series
			for _, s := range all {
				if s.Labels["task_id"] != vertex || s.Labels["subtask_index"] != "5" {
					kept = append(kept, s)
				}
			}
			return kept
		})
		if j.Verdict != analyze.VerdictIncomplete {
			t.Errorf("a subtask is missing: %s %v", j.Verdict, j.NotChecked)
		}
	}
}
