package flinkapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tidemark/flinkapi"
	"tidemark/internal/cases"
	"tidemark/internal/flinktest"
)

// inSample applies a fault in one sample only: 0, 1, or -1 for both.
func inSample(plain, faulty http.Handler, sample int, now *atomic.Int64) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if k := int(now.Load()); k >= 0 && (sample < 0 || sample == k) {
			faulty.ServeHTTP(w, r)
			return
		}
		plain.ServeHTTP(w, r)
	})
}

var healthyOnce = sync.OnceValue(func() []flinkapi.Entry {
	rec, err := flinkapi.OpenRecording("testdata/healthy-2.3.0.jsonl.gz", nil)
	if err != nil {
		panic(err)
	}
	return rec.Entries
})

// healthy is unpacked once for a hundred captures.
func healthy(t *testing.T) []flinkapi.Entry {
	t.Helper()
	return slices.Clone(healthyOnce())
}

// faultyCapture captures a replayed recording whose answers are damaged in a sample, and a recording of that.
func faultyCapture(t *testing.T, sample int, f flinktest.Fault) (got *flinkapi.Capture, recorded []flinkapi.Entry) {
	t.Helper()
	entries := healthy(t)
	clock := flinktest.NewClock(entries[0].T)
	replay := flinktest.NewReplay(entries, flinktest.ReplayOptions{Now: clock.Now})
	var now atomic.Int64
	now.Store(-1)
	c := serve(t, inSample(replay, flinktest.WithFaults(replay, f), sample, &now), clock, func(o *flinkapi.ClientOptions) {
		if f.Latency > 0 {
			o.Timeout = 1500 * time.Millisecond
		}
	})
	got, err := c.Capture(context.Background(), flinkapi.CaptureOptions{Record: func(e flinkapi.Entry) { recorded = append(recorded, e) },
		Progress: func(p flinkapi.Progress) {
			for k := range 2 {
				if p.Step == fmt.Sprintf("reading sample %d of 2", k+1) {
					now.Store(int64(k))
				}
			}
		}})
	if err != nil {
		t.Fatal(err)
	}
	return got, recorded
}

// However an answer is missing, in either sample, the gap says which one, of what and why; a recording gives the same gap.
func TestEveryMissingAnswerIsAGap(t *testing.T) {
	ways := map[flinkapi.GapReason]flinktest.Fault{
		flinkapi.GapRefused: {Status: 403}, flinkapi.GapNotFound: {Status: 404}, flinkapi.GapServer: {Status: 500},
		flinkapi.GapPage: {HTML: true}, flinkapi.GapNull: {Body: "null"}, flinkapi.GapEmpty: {Body: "{}"},
		flinkapi.GapErrors: {Body: `{"errors":["internal"]}`}, flinkapi.GapShape: {Body: `{"a":1}`}, flinkapi.GapCut: {CutJSON: true},
	}
	endpoints := map[flinkapi.Endpoint]string{
		flinkapi.VertexWatermarks: "/watermarks", flinkapi.MetricIDList: "/metrics", flinkapi.MetricValues: "/metrics?get=0",
		flinkapi.VertexAnswer: "/vertices/20ba6b65f97481d5570070de90e4e791", flinkapi.VertexPressure: "/backpressure",
		flinkapi.JobExceptions: "/exceptions", flinkapi.JobMetrics: "/metrics?get=num", flinkapi.JobAnswer: "/jobs/8ff8164f8e2cb45ed7e5f05d58cdebba",
	}
	for endpoint, match := range endpoints {
		for reason, fault := range ways {
			for sample := range 2 {
				// Each endpoint and each reason is in a plain run, too.
				if (len(reason)+len(endpoint)+sample)%cases.Of(5, 1) != 0 {
					continue
				}
				if endpoint == flinkapi.JobAnswer && reason == flinkapi.GapNotFound && sample == 0 {
					continue // TestJobThatVanishesBeforeTheFirstSample
				}
				t.Run(fmt.Sprintf("%s %s %d", endpoint, reason, sample), func(t *testing.T) {
					t.Parallel()
					f := fault
					f.Match = match
					f.End = endpoint == flinkapi.MetricIDList || endpoint == flinkapi.VertexAnswer || endpoint == flinkapi.JobAnswer
					got, recorded := faultyCapture(t, sample, f)
					gaps := got.Jobs[0].Gaps()
					found := slices.IndexFunc(gaps, func(g flinkapi.Gap) bool { return g.Endpoint == endpoint && g.Reason == reason })
					if found < 0 {
						t.Fatalf("gaps %+v", gaps)
					}
					g := gaps[found]
					vertex := strings.Contains(match, "vert") || !strings.Contains(match, "jobs/") && !strings.Contains(match, "exc") && !strings.Contains(match, "=num")
					if g.Sample != sample || (g.Vertex != "") != vertex || g.Cause == "" || strings.ContainsAny(g.Cause, "\n\x1b") || g.At == 0 || g.Path == "" {
						t.Errorf("gap %+v", g)
					}
					if endpoint == flinkapi.MetricValues && (len(g.IDs) == 0 || g.Subtasks() == nil) {
						t.Errorf("no ids: %+v", g)
					}
					for _, o := range gaps {
						if o.Sample != sample || o.Reason == flinkapi.GapUnanswered {
							t.Errorf("also %+v", o)
						}
					}
					again := flinkapi.Assemble(recorded).Jobs[0].Gaps()
					if d := cmp.Diff(gaps, again, cmpopts.SortSlices(func(a, b flinkapi.Gap) bool { return a.Path < b.Path })); d != "" {
						t.Errorf("recorded: %s", d)
					}
				})
			}
		}
	}
}

// Answers that hang, never arrive or never end affect only their endpoint.
func TestAnswersThatDoNotEndAreGaps(t *testing.T) {
	t.Parallel()
	cases.Slow(t)
	for reason, f := range map[flinkapi.GapReason]flinktest.Fault{
		flinkapi.GapTimeout: {Latency: time.Hour}, flinkapi.GapNoAnswer: {Hangup: true}, flinkapi.GapTooLarge: {Endless: true},
	} {
		t.Run(string(reason), func(t *testing.T) {
			t.Parallel()
			f.Match = "/watermarks"
			got, _ := faultyCapture(t, 1, f)
			gaps := got.Jobs[0].Gaps()
			if len(gaps) != 1 || gaps[0].Reason != reason || gaps[0].Endpoint != flinkapi.VertexWatermarks || gaps[0].Sample != 1 || gaps[0].Status != 0 {
				t.Errorf("gaps %+v", gaps)
			}
		})
	}
}

// An id that was listed and not answered is requested again before it counts as missing.
func TestListedIDsAreAskedForOnceMore(t *testing.T) {
	for _, tc := range []struct {
		times, more int
		missing     bool
	}{{1, 1, false}, {0, 1, true}} {
		entries := load(t, "healthy-2.3.0")
		clock := flinktest.NewClock(entries[0].T)
		plain := flinktest.Count(flinktest.NewReplay(entries, flinktest.ReplayOptions{Now: clock.Now}))
		if _, err := serve(t, plain, clock, nil).Capture(context.Background(), flinkapi.CaptureOptions{Once: true}); err != nil {
			t.Fatal(err)
		}
		clock = flinktest.NewClock(entries[0].T)
		counter := flinktest.Count(flinktest.WithFaults(flinktest.NewReplay(entries, flinktest.ReplayOptions{Now: clock.Now}),
			flinktest.Fault{Match: "Window10s.numLateRecordsDropped", Lose: "1.Window10s.numLateRecordsDropped", Times: tc.times}))
		got, err := serve(t, counter, clock, nil).Capture(context.Background(), flinkapi.CaptureOptions{Once: true})
		if err != nil {
			t.Fatal(err)
		}
		if n := len(counter.Requests()) - len(plain.Requests()); n != tc.more {
			t.Errorf("%d further requests, want %d", n, tc.more)
		}
		gaps := got.Jobs[0].Gaps()
		if !tc.missing && len(gaps) > 0 {
			t.Errorf("mended, and yet %+v", gaps)
		}
		if tc.missing && (len(gaps) != 1 || gaps[0].Reason != flinkapi.GapUnanswered || !slices.Equal(gaps[0].IDs, []string{"1.Window10s.numLateRecordsDropped"}) ||
			!gaps[0].Lacks(func(m flinkapi.MetricID) bool { return m.Operator == "Window10s" })) {
			t.Errorf("gaps %+v", gaps)
		}
	}
}

// What a recording lacks is reported: a batch in the earlier sample only, a vertex, a listed id never requested.
func TestLostAnswersAreMissed(t *testing.T) {
	entries := load(t, "healthy-2.3.0")
	job := "/jobs/" + jobIn(t, entries).ID
	second := 0
	for i, e := range entries {
		if e.Path == job {
			second = i
		}
	}
	for _, tc := range []struct {
		name   string
		lose   func(i int, e flinkapi.Entry) bool
		sample int
		is     func(flinkapi.Gap) bool
	}{
		{"a batch in the earlier sample", func(i int, e flinkapi.Entry) bool {
			return i < second && strings.Contains(e.Path, "Window10s.numLateRecordsDropped")
		}, 0,
			func(g flinkapi.Gap) bool { return g.Endpoint == flinkapi.MetricValues && len(g.IDs) > 10 }},
		{"a batch in both", func(i int, e flinkapi.Entry) bool { return strings.Contains(e.Path, "Window10s.numLateRecordsDropped") }, 1,
			func(g flinkapi.Gap) bool { return g.Endpoint == flinkapi.MetricValues && len(g.IDs) > 10 }},
		{"a vertex in the earlier sample", func(i int, e flinkapi.Entry) bool { return i < second && strings.Contains(e.Path, "/vertices/20ba") }, 0,
			func(g flinkapi.Gap) bool { return g.Endpoint == flinkapi.OtherEndpoint }},
		{"input watermarks", func(i int, e flinkapi.Entry) bool {
			return strings.Contains(e.Path, "/watermarks") || strings.Contains(e.Path, "currentInputWatermark")
		}, 0,
			func(g flinkapi.Gap) bool { return g.Endpoint == flinkapi.VertexWatermarks }},
	} {
		var kept []flinkapi.Entry
		for i, e := range entries {
			if !tc.lose(i, e) {
				kept = append(kept, e)
			}
		}
		if len(kept) == len(entries) {
			t.Fatalf("%s: nothing was lost", tc.name)
		}
		gaps := flinkapi.Assemble(kept).Jobs[0].Gaps()
		if !slices.ContainsFunc(gaps, func(g flinkapi.Gap) bool {
			return g.Sample == tc.sample && g.Reason == flinkapi.GapUnread && g.Vertex != "" && tc.is(g)
		}) {
			t.Errorf("%s: gaps %+v", tc.name, gaps)
		}
	}
	// A TaskManager whose metrics never arrived: subtask 1 is neither listed nor answered.
	var kept []flinkapi.Entry
	for _, e := range entries {
		if strings.Contains(e.Path, "/vertices/20ba") && strings.Contains(e.Path, "/metrics") {
			var list []map[string]any
			if json.Unmarshal(e.Body, &list) != nil {
				t.Fatal("no list")
			}
			list = slices.DeleteFunc(list, func(m map[string]any) bool { return strings.HasPrefix(m["id"].(string), "1.") })
			e.Body, _ = json.Marshal(list)
		}
		kept = append(kept, e)
	}
	if gaps := flinkapi.Assemble(kept).Jobs[0].Gaps(); !slices.ContainsFunc(gaps, func(g flinkapi.Gap) bool {
		return g.Reason == flinkapi.GapUnlisted && slices.Equal(g.Subtasks(), []int{1}) && g.Lacks(flinkapi.MetricID.IsLateCounter)
	}) {
		t.Errorf("a subtask without metrics: %+v", gaps)
	}
	if gaps := flinkapi.Assemble(entries).Jobs[0].Gaps(); len(gaps) > 0 {
		t.Errorf("nothing was lost, and yet %+v", gaps)
	}
}

// Readings of two moments never mix in one sample, whichever answer of the job failed.
func TestAJobAnswerThatFailsSeparatesTheSamples(t *testing.T) {
	entries := load(t, "healthy-2.3.0")
	job := "/jobs/" + jobIn(t, entries).ID
	whole := jobIn(t, entries)
	for k := range 2 {
		spoiled := slices.Clone(entries)
		seen := 0
		for i := range spoiled {
			if spoiled[i].Path == job {
				if seen == k {
					spoiled[i].Status, spoiled[i].Body = 500, []byte(`{"errors":["x"]}`)
				}
				seen++
			}
		}
		j := flinkapi.Assemble(spoiled).Jobs[0]
		if len(j.Samples) != 2 || j.Samples[k].HasJob || !j.Samples[1-k].HasJob {
			t.Fatalf("sample %d: %d samples", k, len(j.Samples))
		}
		for i, s := range j.Samples {
			for id, v := range s.Vertices {
				if d := cmp.Diff(whole.Samples[i].Vertices[id].Metrics, v.Metrics); d != "" {
					t.Errorf("sample %d: %s", i, d)
				}
			}
		}
		if _, unreadable := j.Unreadable(); unreadable {
			t.Error("one sample holds the job")
		}
	}
}

// An answer without a job id, or with a state that Flink does not have, is not a job.
func TestWhatIsNoJob(t *testing.T) {
	path := "/jobs/" + testJob
	for body, reason := range map[string]flinkapi.GapReason{
		`{"errors":["internal"]}`: flinkapi.GapErrors, `{}`: flinkapi.GapEmpty, `null`: flinkapi.GapNull, `[]`: flinkapi.GapShape, `"<html>x</html>"`: flinkapi.GapPage,
		`{"name":"j","state":"RUNNING"}`: flinkapi.GapShape, `{"jid":"","state":"RUNNING"}`: flinkapi.GapShape,
		`{"jid":"` + testJob + `"}`: flinkapi.GapState, `{"jid":"` + testJob + `","state":"DREAMING"}`: flinkapi.GapState, `{"jid":"` + testJob: flinkapi.GapCut,
	} {
		c := flinkapi.Assemble([]flinkapi.Entry{entry(1, "/jobs/overview", `{"jobs":[{"jid":"`+testJob+`","name":"orders","state":"RUNNING"}]}`), entry(2, path, body)})
		why, unreadable := c.Jobs[0].Unreadable()
		if !unreadable || why.Reason != reason || why.Endpoint != flinkapi.JobAnswer || c.Jobs[0].Listed.State != "RUNNING" || c.Jobs[0].Name != "orders" {
			t.Errorf("%s: %+v %v, listed %+v", body, why, unreadable, c.Jobs[0].Listed)
		}
	}
}
