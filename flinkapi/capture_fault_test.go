package flinkapi_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"tidemark/flinkapi"
	"tidemark/internal/flinktest"
)

// replayed serves a recording, with faults, on a clock that only Sleep moves.
func replayed(t *testing.T, name string, o flinktest.ReplayOptions, faults ...flinktest.Fault) (*flinkapi.Client, *flinktest.Counter, *flinktest.Clock) {
	t.Helper()
	entries := load(t, name)
	clock := flinktest.NewClock(entries[0].T)
	o.Now = clock.Now
	counter := flinktest.Count(flinktest.WithFaults(flinktest.NewReplay(entries, o), faults...))
	return serve(t, counter, clock, nil), counter, clock
}

// If any endpoint fails, the rest is kept, and the failure is reported at its place.
func TestFailingEndpointsLeaveTheRest(t *testing.T) {
	for _, tc := range []struct {
		name  string
		fault flinktest.Fault
		vital bool // an endpoint without which a vertex has no values
	}{
		{"missing endpoint", flinktest.Fault{Match: "/backpressure", Status: 404}, false},
		{"handler that fails", flinktest.Fault{Match: "/watermarks", Status: 500}, false},
		{"checkpoints fail", flinktest.Fault{Match: "/checkpoints", Status: 500}, false},
		{"page instead of metrics", flinktest.Fault{Match: "/metrics?get=0.", HTML: true}, true},
		{"half of the JSON", flinktest.Fault{Match: "/exceptions", CutJSON: true}, false},
		{"not allowed", flinktest.Fault{Match: "/jobmanager/config", Status: 403}, false},
		{"no TaskManagers", flinktest.Fault{Match: "/taskmanagers", Status: 500}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, _, _ := replayed(t, "healthy-2.3.0", flinktest.ReplayOptions{}, tc.fault)
			var written []flinkapi.Entry
			got, err := c.Capture(context.Background(), flinkapi.CaptureOptions{Jobs: []string{"lab-healthy"}, Record: func(e flinkapi.Entry) { written = append(written, e) }})
			if err != nil {
				t.Fatal(err)
			}
			failures := got.Missing
			for _, s := range got.Jobs[0].Samples {
				failures = append(failures, s.Missing...)
				for _, v := range s.Vertices {
					failures = append(failures, v.Missing...)
					if !tc.vital && len(v.Metrics) < 20 {
						t.Errorf("only %d values of %s were kept", len(v.Metrics), v.ID)
					}
				}
			}
			if len(failures) == 0 {
				t.Fatal("the failure is not told")
			}
			for _, f := range failures {
				if !strings.Contains("/v1"+f.Path, tc.fault.Match) || f.Cause == "" || strings.ContainsAny(f.Cause, "\n\t") {
					t.Errorf("failure %+v", f)
				}
			}
			if len(got.Jobs[0].Samples) != 2 {
				t.Errorf("%d samples", len(got.Jobs[0].Samples))
			}
			compareJob(t, flinkapi.Assemble(written).Jobs[0], got.Jobs[0])
		})
	}
}

func TestHalfOfTheMetrics(t *testing.T) {
	c, _, _ := replayed(t, "healthy-2.3.0", flinktest.ReplayOptions{}, flinktest.Fault{Match: "/metrics", Half: true})
	got, err := c.Capture(context.Background(), flinkapi.CaptureOptions{Jobs: []string{"lab-healthy"}})
	if err != nil || len(got.Jobs[0].Samples) != 2 {
		t.Fatalf("%v", err)
	}
	for _, v := range got.Jobs[0].Samples[0].Vertices {
		if len(v.Metrics) == 0 {
			t.Errorf("nothing of %s was kept", v.ID)
		}
	}
}

func TestJobThatVanishesKeepsItsFirstSample(t *testing.T) {
	c, _, _ := replayed(t, "healthy-2.3.0", flinktest.ReplayOptions{GoneFrom: 2})
	got, err := c.Capture(context.Background(), flinkapi.CaptureOptions{Jobs: []string{"lab-healthy"}})
	if err != nil {
		t.Fatal(err)
	}
	s := got.Jobs[0].Samples
	if len(s) != 2 || !s[0].HasJob || len(s[0].Vertices) != 2 || s[1].HasJob || len(s[1].Missing) != 1 || s[1].Missing[0].Reason != flinkapi.GapNotFound {
		t.Errorf("%d samples, the first with %d vertices", len(s), len(s[0].Vertices))
	}
}

// A job that vanishes between the warm-up and the first sample has only what the warm-up read.
func TestJobThatVanishesBeforeTheFirstSample(t *testing.T) {
	entries := load(t, "healthy-2.3.0")
	id := jobIn(t, entries).ID
	clock := flinktest.NewClock(entries[0].T)
	h := flinktest.WithFaults(flinktest.NewReplay(entries, flinktest.ReplayOptions{Now: clock.Now, Frozen: true}), flinktest.Fault{Match: "/v1/jobs/" + id, After: 2, Status: 404})
	got, err := serve(t, h, clock, nil).Capture(context.Background(), flinkapi.CaptureOptions{Jobs: []string{id}})
	if err != nil || len(got.Jobs) != 1 {
		t.Fatalf("capture %+v, error %v", got, err)
	}
	s := got.Jobs[0].Samples
	if len(s) != 2 || !s[0].HasJob || s[0].Job.Name != "lab-healthy" || s[1].HasJob || len(s[1].Missing) != 1 || s[1].Missing[0].Reason != flinkapi.GapNotFound {
		t.Errorf("samples %+v", s)
	}
}

// A fetch that hangs on a lost TaskManager: both samples have the same date, so they are not compared.
func TestFrozenMetricsShowTheirAge(t *testing.T) {
	c, _, clock := replayed(t, "idle-partition-2.3.0", flinktest.ReplayOptions{Frozen: true})
	begin := clock.Now()
	got, err := c.Capture(context.Background(), flinkapi.CaptureOptions{Jobs: []string{"lab-idle-partition"}})
	if err != nil || len(got.Jobs[0].Samples) != 2 {
		t.Fatal(err)
	}
	for id, v := range got.Jobs[0].Samples[0].Vertices {
		a, okA := v.FetchedAt()
		b, okB := got.Jobs[0].Samples[1].Vertices[id].FetchedAt()
		if !okA || !okB || a != b {
			t.Errorf("%s fetched at %d and %d", id, a, b)
		}
	}
	if waited := clock.Now().Sub(begin); waited > 90*time.Second {
		t.Errorf("waited %s for metrics that never came", waited)
	}
}

func TestOnceAndInterval(t *testing.T) {
	c, _, clock := replayed(t, "healthy-2.3.0", flinktest.ReplayOptions{})
	got, err := c.Capture(context.Background(), flinkapi.CaptureOptions{Jobs: []string{"lab-healthy"}, Once: true})
	if err != nil || len(got.Jobs[0].Samples) != 1 {
		t.Fatalf("%v", err)
	}
	begin := clock.Now()
	c, _, clock = replayed(t, "healthy-2.3.0", flinktest.ReplayOptions{})
	if _, err := c.Capture(context.Background(), flinkapi.CaptureOptions{Jobs: []string{"lab-healthy"}, Interval: 2 * time.Minute}); err != nil {
		t.Fatal(err)
	}
	if waited := clock.Now().Sub(begin); waited < 2*time.Minute || waited > 3*time.Minute {
		t.Errorf("the samples took %s, two minutes apart", waited)
	}
}

// The interval comes from the cluster; skew is the JobManager's clock minus the client's.
func TestIntervalAndSkew(t *testing.T) {
	for _, tc := range []struct {
		interval, skew, least, most time.Duration
	}{
		{2 * time.Second, 0, 2 * time.Second, 9 * time.Second},
		{time.Minute, 0, time.Minute, 130 * time.Second},
		{10 * time.Second, 3 * time.Hour, 10 * time.Second, 25 * time.Second},
		{10 * time.Second, -3 * time.Hour, 10 * time.Second, 25 * time.Second},
	} {
		clock := flinktest.NewClock(1796011288000)
		s := flinktest.NewSynthetic(flinktest.SyntheticOptions{Interval: tc.interval, Now: func() time.Time { return clock.Now().Add(tc.skew) }})
		begin := clock.Now()
		got, err := serve(t, s, clock, nil).Capture(context.Background(), flinkapi.CaptureOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got.SkewMs != tc.skew.Milliseconds() {
			t.Errorf("skew %d ms, want %d", got.SkewMs, tc.skew.Milliseconds())
		}
		if took := clock.Now().Sub(begin); took < tc.least || took > tc.most {
			t.Errorf("interval %s, skew %s: took %s", tc.interval, tc.skew, took)
		}
		a, _ := got.Jobs[0].Samples[0].Vertices[s.VertexID(0)].FetchedAt()
		b, _ := got.Jobs[0].Samples[1].Vertices[s.VertexID(0)].FetchedAt()
		if b-a < tc.interval.Milliseconds() {
			t.Errorf("fetches %d ms apart, interval %s", b-a, tc.interval)
		}
	}
}

func TestProgressSaysWhatIsAwaited(t *testing.T) {
	c, _, _ := replayed(t, "healthy-2.3.0", flinktest.ReplayOptions{})
	var steps []flinkapi.Progress
	if _, err := c.Capture(context.Background(), flinkapi.CaptureOptions{Jobs: []string{"lab-healthy"}, Progress: func(p flinkapi.Progress) { steps = append(steps, p) }}); err != nil {
		t.Fatal(err)
	}
	waits, asked := 0, 0
	var names []string
	for _, p := range steps {
		if p.Left > 0 {
			waits++
		}
		if p.Asked < asked {
			t.Errorf("requests went down to %d", p.Asked)
		}
		asked = p.Asked
		names = append(names, p.Step)
	}
	all := strings.Join(names, "\n")
	for _, want := range []string{"looking at the metric cache", "sample 1 of 2", "next metric fetch", "sample 2 of 2"} {
		if !strings.Contains(all, want) {
			t.Errorf("progress never says %q", want)
		}
	}
	if waits < 3 || asked == 0 {
		t.Errorf("%d waits told, %d requests", waits, asked)
	}
}

// Interrupted between the samples: the first one is returned with the error.
func TestInterruptKeepsWhatWasRead(t *testing.T) {
	entries := load(t, "healthy-2.3.0")
	clock := flinktest.NewClock(entries[0].T)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c := serve(t, flinktest.NewReplay(entries, flinktest.ReplayOptions{Now: clock.Now}), clock, nil)
	seen := false
	got, err := c.Capture(ctx, flinkapi.CaptureOptions{Jobs: []string{"lab-healthy"}, Progress: func(p flinkapi.Progress) {
		if seen && p.Left > 0 {
			cancel()
		}
		seen = seen || strings.Contains(p.Step, "sample 1")
	}})
	if !errors.Is(err, context.Canceled) || got == nil || len(got.Jobs) != 1 || len(got.Jobs[0].Samples) != 1 || len(got.Jobs[0].Samples[0].Vertices) != 2 {
		t.Fatalf("capture %+v, error %v", got, err)
	}
}

// A cluster that stops answering is reported once, not as a hundred failures.
func TestClusterThatDiesKeepsWhatWasRead(t *testing.T) {
	c, counter, _ := replayed(t, "healthy-2.3.0", flinktest.ReplayOptions{})
	if _, err := c.Capture(context.Background(), flinkapi.CaptureOptions{Jobs: []string{"lab-healthy"}}); err != nil {
		t.Fatal(err)
	}
	spared := len(counter.Requests()) - 8 // in the second sample
	c, counter, _ = replayed(t, "healthy-2.3.0", flinktest.ReplayOptions{}, flinktest.Fault{Match: "", After: spared, Status: 503})
	got, err := c.Capture(context.Background(), flinkapi.CaptureOptions{Jobs: []string{"lab-healthy"}})
	if !flinkapi.IsUnavailable(err) || got == nil || len(got.Jobs) != 1 || len(got.Jobs[0].Samples[0].Vertices) != 2 {
		t.Fatalf("capture %v, error %v", got, err)
	}
	if n := len(counter.Requests()); n > spared+8*4 {
		t.Errorf("%d requests to a cluster that is gone", n)
	}
}

func TestJobsAreFound(t *testing.T) {
	entries := load(t, "healthy-2.3.0")
	id := jobIn(t, entries).ID
	for _, tc := range []struct {
		want string
		near string // "" = found
	}{
		{"lab-healthy", ""}, {id, ""}, {id[:8], ""}, {"lab-helthy", "lab-healthy"}, {"nothing-like-it-at-all-here", "no job"},
	} {
		c, _, _ := replayed(t, "healthy-2.3.0", flinktest.ReplayOptions{})
		got, err := c.Capture(context.Background(), flinkapi.CaptureOptions{Jobs: []string{tc.want}, Once: true})
		var missing *flinkapi.ErrNoJob
		switch {
		case tc.near == "" && (err != nil || len(got.Jobs) != 1 || got.Jobs[0].ID != id):
			t.Errorf("%s: %v", tc.want, err)
		case tc.near != "" && (!errors.As(err, &missing) || !strings.Contains(err.Error(), tc.near)):
			t.Errorf("%s: error %v", tc.want, err)
		}
	}
}

func TestAJobNamedTwiceIsReadOnce(t *testing.T) {
	c, counter, clock := replayed(t, "healthy-2.3.0", flinktest.ReplayOptions{})
	begin := clock.Now()
	id := jobIn(t, load(t, "healthy-2.3.0")).ID
	got, err := c.Capture(context.Background(), flinkapi.CaptureOptions{Jobs: []string{id, id[:10], "lab-healthy"}})
	if err != nil || len(got.Jobs) != 1 {
		t.Fatalf("a job named three times is read %d times: %v", len(got.Jobs), err)
	}
	if counter.Peak() > 8 || clock.Now().Sub(begin) > time.Minute {
		t.Errorf("peak %d, took %s", counter.Peak(), clock.Now().Sub(begin))
	}
}
