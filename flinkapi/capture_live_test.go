package flinkapi_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"tidemark/flinkapi"
	"tidemark/internal/flinktest"
)

// serve starts a cluster and a client whose clocks only Sleep moves.
func serve(t testing.TB, h http.Handler, clock *flinktest.Clock, change func(*flinkapi.ClientOptions)) *flinkapi.Client {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	opts := flinkapi.ClientOptions{URL: srv.URL, RetryWait: time.Millisecond}
	if clock != nil {
		opts.Now, opts.Sleep = clock.Now, clock.Sleep
	}
	if change != nil {
		change(&opts)
	}
	c, err := flinkapi.NewClient(opts)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func load(t testing.TB, name string) []flinkapi.Entry {
	t.Helper()
	return flinktest.Open(t, "testdata/"+name+".jsonl.gz").Entries
}

// jobIn is the job a recording was made of.
func jobIn(t testing.TB, entries []flinkapi.Entry) flinkapi.JobCapture {
	t.Helper()
	c := flinkapi.Assemble(entries)
	if len(c.Jobs) != 1 {
		t.Fatalf("the recording holds %d jobs", len(c.Jobs))
	}
	return c.Jobs[0]
}

func recordings(t testing.TB) []string {
	t.Helper()
	files, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		if n, ok := strings.CutSuffix(f.Name(), ".jsonl.gz"); ok {
			names = append(names, n)
		}
	}
	if len(names) < 5 {
		t.Fatalf("only %d recordings", len(names))
	}
	return names
}

// A live capture of a replayed recording equals the recording.
func TestCaptureReadsWhatWasRecorded(t *testing.T) {
	for _, name := range recordings(t) {
		t.Run(name, func(t *testing.T) {
			entries := load(t, name)
			want := jobIn(t, entries)
			if want.Samples[0].Job.State == "FAILED" {
				want.Samples = want.Samples[:1] // an ended job is read once, without its vertices
				want.Samples[0].Vertices = nil
			}
			clock := flinktest.NewClock(entries[0].T)
			c := serve(t, flinktest.NewReplay(entries, flinktest.ReplayOptions{Now: clock.Now}), clock, nil)
			var written []flinkapi.Entry
			got, err := c.Capture(context.Background(), flinkapi.CaptureOptions{Jobs: []string{want.ID}, Record: func(e flinkapi.Entry) { written = append(written, e) }})
			if err != nil {
				t.Fatal(err)
			}
			compareJob(t, got.Jobs[0], want)
			again := flinkapi.Assemble(written)
			compareJob(t, again.Jobs[0], got.Jobs[0])
			if len(got.Missing) > 0 {
				t.Errorf("failures: %v", got.Missing)
			}
		})
	}
}

// compareJob asserts that got holds every watermark, record count and date that want holds.
func compareJob(t *testing.T, got, want flinkapi.JobCapture) {
	t.Helper()
	if got.ID != want.ID || got.Name != want.Name || len(got.Samples) != len(want.Samples) {
		t.Fatalf("job %s %q with %d samples, want %s %q with %d", got.ID, got.Name, len(got.Samples), want.ID, want.Name, len(want.Samples))
	}
	for k, w := range want.Samples {
		g := got.Samples[k]
		if g.Job.Now != w.Job.Now || g.Job.State != w.Job.State || len(g.Plan.Nodes) != len(w.Plan.Nodes) || len(g.Vertices) != len(w.Vertices) {
			t.Errorf("sample %d: job %d %s, %d nodes, %d vertices; want %d %s, %d, %d", k, g.Job.Now, g.Job.State, len(g.Plan.Nodes), len(g.Vertices), w.Job.Now, w.Job.State, len(w.Plan.Nodes), len(w.Vertices))
		}
		for id, wv := range w.Vertices {
			gv := g.Vertices[id]
			if gv == nil {
				t.Errorf("sample %d: vertex %s is missing", k, id)
				continue
			}
			compareVertex(t, gv, wv)
		}
	}
}

func compareVertex(t *testing.T, got, want *flinkapi.VertexSample) {
	t.Helper()
	ga, gok := got.FetchedAt()
	wa, wok := want.FetchedAt()
	if ga != wa || gok != wok {
		t.Errorf("%s fetched at %d %v, want %d %v", want.ID, ga, gok, wa, wok)
	}
	for id, v := range want.Metrics {
		m, _ := flinkapi.ParseMetricID(id)
		if strings.HasSuffix(m.Name, "Watermark") || m.Name == "numRecordsIn" || m.Name == "currentOffset" || strings.Contains(m.Name, "Late") {
			if got.Metrics[id] != v {
				t.Errorf("%s %s = %q, want %q", want.ID, id, got.Metrics[id], v)
			}
		}
	}
}

// twoClusters answers as one cluster that runs the jobs of both, one job each.
func twoClusters(ids [2]string, replays [2]http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/jobs/overview"):
			fmt.Fprintf(w, `{"jobs":[{"jid":%q,"name":"a","state":"RUNNING"},{"jid":%q,"name":"b","state":"RUNNING"}]}`, ids[0], ids[1])
		case strings.Contains(r.URL.Path, ids[1]):
			replays[1].ServeHTTP(w, r)
		default:
			replays[0].ServeHTTP(w, r)
		}
	})
}

// The capture waits for a TaskManager that answers a fetch seconds after the others: otherwise its job's second sample
// would equal the first.
func TestASlowTaskManagerIsWaitedFor(t *testing.T) {
	a, b := load(t, "healthy-2.3.0"), load(t, "interval-join-2.3.0")
	ids := [2]string{jobIn(t, a).ID, jobIn(t, b).ID}
	clock := flinktest.NewClock(a[0].T)
	cluster := twoClusters(ids, [2]http.Handler{
		flinktest.NewReplay(a, flinktest.ReplayOptions{Now: clock.Now}),
		flinktest.NewReplay(b, flinktest.ReplayOptions{Now: clock.Now, Interval: 13 * time.Second}),
	})
	c, err := serve(t, cluster, clock, nil).Capture(context.Background(), flinkapi.CaptureOptions{})
	if err != nil || len(c.Jobs) != 2 {
		t.Fatalf("%d jobs, %v", len(c.Jobs), err)
	}
	for _, j := range c.Jobs {
		if len(j.Samples) != 2 {
			t.Fatalf("%s: %d samples", j.Name, len(j.Samples))
		}
		for id, v := range j.Samples[1].Vertices {
			if maps.Equal(v.Metrics, j.Samples[0].Vertices[id].Metrics) {
				t.Errorf("%s: vertex %s was read before its numbers came", j.Name, id)
			}
		}
	}
}
