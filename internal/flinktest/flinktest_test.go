package flinktest_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"tidemark/flinkapi"
	"tidemark/internal/flinktest"
)

func recording(t *testing.T, name string) []flinkapi.Entry {
	t.Helper()
	rec, err := flinkapi.OpenRecording("../../flinkapi/testdata/"+name+".jsonl.gz", nil)
	if err != nil {
		t.Fatal(err)
	}
	return rec.Entries
}

func ask(t *testing.T, h http.Handler, path string) (int, string) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	body, err := io.ReadAll(w.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	return w.Code, string(body)
}

// target is the vertex of a recording's job with the most metrics, and its path.
func target(t *testing.T, entries []flinkapi.Entry) (string, *flinkapi.VertexSample) {
	t.Helper()
	j := flinkapi.Assemble(entries).Jobs[0]
	var best *flinkapi.VertexSample
	for _, id := range j.Samples[0].SortedVertexIDs() {
		if v := j.Samples[0].Vertices[id]; best == nil || len(v.Metrics) > len(best.Metrics) {
			best = v
		}
	}
	return "/v1/jobs/" + j.ID + "/vertices/" + best.ID, best
}

func TestReplayAnswersAnyBatch(t *testing.T) {
	entries := recording(t, "idle-partition-2.3.0")
	clock := flinktest.NewClock(entries[0].T)
	r := flinktest.NewReplay(entries, flinktest.ReplayOptions{Now: clock.Now})
	base, v := target(t, entries)
	for id, want := range v.Metrics {
		status, body := ask(t, r, base+"/metrics?get="+url.QueryEscape(id)+",nothing")
		var got []flinkapi.Metric
		if err := json.Unmarshal([]byte(body), &got); err != nil || status != 200 || len(got) != 1 || got[0].Value != want {
			t.Fatalf("%s: %d %s", id, status, body)
		}
	}
	_, body := ask(t, r, base+"/metrics")
	var listed []flinkapi.Metric
	if json.Unmarshal([]byte(body), &listed) != nil || len(listed) < len(v.Metrics) {
		t.Errorf("%d ids listed of %d", len(listed), len(v.Metrics))
	}
}

func TestReplayHasFlinksTraps(t *testing.T) {
	entries := recording(t, "idle-partition-2.3.0")
	clock := flinktest.NewClock(entries[0].T)
	r := flinktest.NewReplay(entries, flinktest.ReplayOptions{Now: clock.Now})
	base, _ := target(t, entries)
	for _, tc := range []struct {
		path   string
		status int
		has    string
	}{
		{base + "/subtasks/metrics?get=Source__Orders.currentOutputWatermark&agg=min,max", 200, `"min":-9.223372036854776E18`},
		{base + "/subtasks/metrics?get=Source__Orders.currentOutputWatermark,missing&agg=min", 200, "[]"},
		{base + "/subtasks/metrics", 200, `"id":"Source__Orders.currentOutputWatermark"`},
		{base + "/metrics?get=" + strings.Repeat("x", 4096), 404, "bad-request"},
		{base[:len(base)-1] + "x/metrics", 404, "JobVertex"},
		{"/v1/jobs/" + strings.Repeat("0", 32), 404, "Job"},
		{"/v1/nothing", 404, "Not found"},
	} {
		status, body := ask(t, r, tc.path)
		if status != tc.status || !strings.Contains(body, tc.has) {
			t.Errorf("%.120s: %d %.200s", tc.path, status, body)
		}
	}
	w := httptest.NewRecorder()
	r.ServeHTTP(w, httptest.NewRequest(http.MethodPatch, "/v1/jobs", nil))
	if w.Code != 405 {
		t.Errorf("PATCH is answered %d", w.Code)
	}
}

// The request that starts a fetch is answered from the old cache, and already shows the new date.
func TestReplayMovesSampleBySample(t *testing.T) {
	entries := recording(t, "healthy-2.3.0")
	j := flinkapi.Assemble(entries).Jobs[0]
	clock := flinktest.NewClock(entries[0].T)
	r := flinktest.NewReplay(entries, flinktest.ReplayOptions{Now: clock.Now})
	base, v := target(t, entries)
	at := func(k int) int64 { ms, _ := j.Samples[k].Vertices[v.ID].FetchedAt(); return ms }
	shows := func(k int) bool {
		_, body := ask(t, r, base+"/backpressure")
		var b flinkapi.Backpressure
		if err := json.Unmarshal([]byte(body), &b); err != nil {
			t.Fatal(err)
		}
		return b.EndTimestamp.V == at(k)
	}
	reads := func(k int) bool {
		_, body := ask(t, r, base+"/metrics?get=0.numRecordsOut")
		return strings.Contains(body, `"`+j.Samples[k].Vertices[v.ID].Metrics["0.numRecordsOut"]+`"`)
	}
	if r.Samples(j.ID) != 2 || at(0) == at(1) {
		t.Fatalf("%d samples", r.Samples(j.ID))
	}
	if !shows(0) || !reads(0) {
		t.Error("begins with something other than the first sample")
	}
	clock.Sleep(context.Background(), 9*time.Second)
	if !shows(0) || !reads(0) {
		t.Error("refreshed before the interval has passed")
	}
	clock.Sleep(context.Background(), 2*time.Second)
	if !reads(0) {
		t.Error("the request that starts the fetch is not answered from the old cache")
	}
	if !shows(1) || !reads(1) {
		t.Error("not refreshed after the interval has passed")
	}
	clock.Sleep(context.Background(), time.Hour)
	if !reads(1) || !shows(1) {
		t.Error("the last sample does not stay")
	}
}

func TestFaults(t *testing.T) {
	ok := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write([]byte(`[{"id":"a"},{"id":"b"},{"id":"c"}]`)) })
	for _, tc := range []struct {
		fault  flinktest.Fault
		status int
		has    string
	}{
		{flinktest.Fault{Status: 500}, 500, "injected fault"},
		{flinktest.Fault{HTML: true}, 200, "<html>"},
		{flinktest.Fault{HTML: true, Status: 502}, 502, "<html>"},
		{flinktest.Fault{Half: true}, 200, `[{"id":"a"},{"id":"c"}]`},
		{flinktest.Fault{CutJSON: true}, 200, `[{"id":"a"},{"id`},
		{flinktest.Fault{Redirect: "/login"}, 302, ""},
		{flinktest.Fault{Match: "/other", Status: 500}, 200, `"b"`},
		{flinktest.Fault{After: 1, Status: 500}, 200, `"b"`},
	} {
		status, body := ask(t, flinktest.WithFaults(ok, tc.fault), "/x")
		if status != tc.status || !strings.Contains(body, tc.has) {
			t.Errorf("%+v: %d %s", tc.fault, status, body)
		}
	}
	heals := flinktest.WithFaults(ok, flinktest.Fault{Status: 503, Times: 2})
	for i, want := range []int{503, 503, 200, 200} {
		if status, _ := ask(t, heals, "/x"); status != want {
			t.Errorf("request %d: %d, want %d", i, status, want)
		}
	}
	for _, f := range []flinktest.Fault{{Truncate: true}, {Hangup: true}} {
		srv := httptest.NewServer(flinktest.WithFaults(ok, f))
		res, err := http.Get(srv.URL)
		if err == nil {
			_, err = io.ReadAll(res.Body)
			res.Body.Close()
		}
		if err == nil {
			t.Errorf("%+v: a whole answer came", f)
		}
		srv.Close()
	}
}

func TestSyntheticIsConsistent(t *testing.T) {
	clock := flinktest.NewClock(1796011288000)
	for _, version := range []string{"1.20.3", "2.3.0"} {
		s := flinktest.NewSynthetic(flinktest.SyntheticOptions{Vertices: 4, Parallelism: 6, Now: clock.Now, IdleSplit: true, IdleSubtask: 2, Noise: 5, Version: version})
		for v := range 4 {
			base := "/v1/jobs/" + s.JobID() + "/vertices/" + s.VertexID(v)
			_, body := ask(t, s, base+"/metrics")
			var ids []flinkapi.Metric
			if err := json.Unmarshal([]byte(body), &ids); err != nil {
				t.Fatal(err)
			}
			for _, m := range ids {
				if _, body := ask(t, s, base+"/metrics?get="+url.QueryEscape(m.ID)); !strings.Contains(body, `"value"`) && !strings.Contains(m.ID, "KafkaConsumer") {
					t.Errorf("%s is listed without a value: %s", m.ID, body)
				}
			}
			_, body = ask(t, s, base+"/subtasks/metrics")
			if err := json.Unmarshal([]byte(body), &ids); err != nil {
				t.Fatal(err)
			}
			for _, m := range ids {
				if _, body := ask(t, s, base+"/subtasks/metrics?agg=min&get="+url.QueryEscape(m.ID)); !strings.Contains(body, `"min"`) {
					t.Errorf("%s is listed without an aggregate: %s", m.ID, body)
				}
			}
			if strings.Contains(body, ".split.") != (version == "2.3.0" && v < 2) {
				t.Errorf("%s: vertex %d has split metrics: %v", version, v, strings.Contains(body, ".split."))
			}
		}
	}
}

func TestCounterSeesThePeak(t *testing.T) {
	release := make(chan struct{})
	entered := make(chan struct{}, 3)
	c := flinktest.Count(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { entered <- struct{}{}; <-release }))
	done := make(chan struct{})
	for range 3 {
		go func() {
			c.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/a?b", nil))
			done <- struct{}{}
		}()
	}
	for range 3 {
		<-entered
	}
	close(release)
	for range 3 {
		<-done
	}
	if c.Peak() != 3 || len(c.Requests()) != 3 || c.Requests()[0] != "/a?b" {
		t.Errorf("peak %d of %v", c.Peak(), c.Requests())
	}
}
