package flinkapi_test

import (
	"fmt"
	"strings"
	"testing"

	"tidemark/flinkapi"
)

const testJob = "0123456789abcdef0123456789abcdef"

func entry(t int64, path, body string) flinkapi.Entry {
	return flinkapi.Entry{T: t, Path: path, Status: 200, Body: []byte(body)}
}

func failed(t int64, path string, status int) flinkapi.Entry {
	return flinkapi.Entry{T: t, Path: path, Status: status, Body: []byte(`{"errors":["x\nCaused by: gone"]}`)}
}

// Real recordings have two samples, with the dates, plans and values of the cluster.
func TestAssembleRealRecordings(t *testing.T) {
	for _, tc := range []struct {
		name, job, version string
		vertices           int
	}{
		{"healthy-2.3.0", "lab-healthy", "2.3.0", 2}, {"idle-partition-2.3.0", "lab-idle-partition", "2.3.0", 2},
		{"idle-partition-1.20.3", "lab-idle-partition", "1.20.3", 2}, {"interval-join-2.3.0", "sql-interval-join", "2.3.0", 4},
	} {
		c := flinkapi.Assemble(load(t, tc.name))
		j := c.Jobs[0]
		if c.FlinkVersion() != tc.version || !c.HasConfig || len(c.TaskManagers) != 1 || j.Name != tc.job || len(j.Samples) != 2 || len(c.Missing) != 0 {
			t.Errorf("%s: version %q, job %q, %d samples, failures %v", tc.name, c.FlinkVersion(), j.Name, len(j.Samples), c.Missing)
			continue
		}
		if c.SkewMs < -100 || c.SkewMs > 100 || c.ReadAt != j.Samples[1].Job.Now {
			t.Errorf("%s: skew %d, read at %d", tc.name, c.SkewMs, c.ReadAt)
		}
		for k, s := range j.Samples {
			if !s.HasJob || s.Overview.State != "RUNNING" || len(s.Vertices) != tc.vertices || len(s.Plan.Nodes) != tc.vertices || s.JobConfig == nil || s.CheckpointConfig == nil || s.Exceptions == nil || s.JobMetrics["numRestarts"] != "0" {
				t.Errorf("%s sample %d: %+v", tc.name, k, s)
			}
			for _, id := range s.SortedVertexIDs() {
				at, ok := s.Vertices[id].FetchedAt()
				if age := s.Job.Now - at; !ok || age < 0 || age > 20_000 {
					t.Errorf("%s sample %d: metrics %d ms old", tc.name, k, age)
				}
			}
		}
		for id, v := range j.Samples[0].Vertices {
			a, _ := v.FetchedAt()
			b, _ := j.Samples[1].Vertices[id].FetchedAt()
			if b-a < 10_000 {
				t.Errorf("%s: fetches %d ms apart", tc.name, b-a)
			}
		}
	}
}

func TestAssembleSamplesAndFailures(t *testing.T) {
	job := func(now int64) string { return fmt.Sprintf(`{"jid":"x","name":"j","state":"RUNNING","now":%d}`, now) }
	path := "/jobs/" + testJob
	c := flinkapi.Assemble([]flinkapi.Entry{
		entry(1, "/overview", `{"flink-version":"2.1.0","new-field":{}}`),
		failed(2, "/taskmanagers", 500),
		entry(100, path, job(150)),
		entry(110, path+"/vertices/a/metrics", `[{"id":"0.x"},{"id":"1.x"}]`),
		entry(120, path+"/vertices/a/metrics?get=0.x", `[{"id":"0.x","value":"1"}]`),
		entry(130, path+"/vertices/a/metrics?get=1.x", `[{"id":"1.x","value":"2"}]`),
		entry(131, path+"/vertices/a/subtasks/metrics?get=x&agg=min,max", `[{"id":"x","min":1.0,"max":"NaN"}]`),
		failed(132, path+"/vertices/a/subtasktimes", 404),
		entry(133, path+"/vertices/b/backpressure", `{"status":"ok","end-timestamp":140}`),
		entry(134, path+"/metrics?get=numRestarts", `[{"id":"numRestarts","value":"3"}]`),
		entry(135, path+"/plan", `{"plan":{"nodes":[{"id":"a","inputs":null}]}}`),
		entry(200, "/v1"+path, job(250)),
		entry(210, path+"/vertices/a/metrics?get=0.x", `[{"id":"0.x","value":"5"}]`),
		entry(211, path+"/checkpoints", `[`),
		failed(300, path, 404),
		entry(301, "/jobs/short/plan", `{}`),
		entry(302, "/something/else", `{}`),
	})
	if len(c.Jobs) != 1 || len(c.Jobs[0].Samples) != 3 || len(c.Missing) != 1 || c.Missing[0].Cause != "gone" || c.SkewMs != 50 || c.ReadAt != 250 {
		t.Fatalf("%+v", c)
	}
	first, second := c.Jobs[0].Samples[0], c.Jobs[0].Samples[1]
	a := first.Vertices["a"]
	if a.Metrics["0.x"] != "1" || a.Metrics["1.x"] != "2" || len(a.MetricIDs) != 2 || a.HasWatermarks || len(a.Missing) != 1 || a.Missing[0].Status != 404 {
		t.Errorf("vertex %+v", a)
	}
	if agg := a.Aggregates["x"]; agg.Min == nil || *agg.Min != 1 || agg.Max == nil || agg.Sum != nil {
		t.Errorf("aggregate %+v", agg)
	}
	if at, ok := a.FetchedAt(); !ok || at != 140 {
		t.Errorf("a vertex without its own date has %d %v", at, ok)
	}
	if second.Vertices["a"].Metrics["0.x"] != "5" || second.Vertices["a"].Metrics["1.x"] != "" || len(second.Plan.Nodes) != 1 || second.ReadAt != 200 {
		t.Errorf("second sample %+v", second)
	}
	if _, ok := second.Vertices["a"].FetchedAt(); ok {
		t.Error("a sample without any date has one")
	}
	if len(second.Missing) != 1 || second.Missing[0].Endpoint != flinkapi.JobCheckpoints || second.Missing[0].Reason != flinkapi.GapCut {
		t.Errorf("the half answer: %+v", second.Missing)
	}
	if gone := c.Jobs[0].Samples[2]; gone.HasJob || len(gone.Missing) != 1 || gone.Missing[0].Reason != flinkapi.GapNotFound {
		t.Errorf("the job that is gone: %+v", gone)
	}
}

func TestForeignNamesAreHarmless(t *testing.T) {
	nasty := "<b>\x1b[31m\u202e" + strings.Repeat("x", 10_000)
	e := flinkapi.Entry{Path: "/jobs/" + testJob + "/vertices/%2e%2e%2fx/metrics?get=%zz;a", Status: 500, Body: []byte(nasty)}
	c := flinkapi.Assemble([]flinkapi.Entry{e})
	for _, v := range c.Jobs[0].Samples[0].Vertices {
		for _, f := range v.Missing {
			if len(f.Cause) > 310 || strings.ContainsAny(f.Cause, "\x1b\u202e\n") {
				t.Errorf("reason %q", f.Cause)
			}
		}
	}
}
