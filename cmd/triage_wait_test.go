package cmd

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tidemark/flinkapi"
	"tidemark/internal/cases"
	"tidemark/internal/flinktest"
)

// stage is a cluster that answers until its time on the clock has passed, 0 = for good.
type stage struct {
	until time.Duration
	serve http.Handler
}

// deploying is a process whose cluster goes through stages.
func deploying(t *testing.T, stages func(now func() time.Time) []stage) (fake, *flinktest.Clock) {
	t.Helper()
	clock := flinktest.NewClock(stuckEntries()[0].T)
	began := clock.Now()
	all := stages(clock.Now)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, s := range all {
			if s.until == 0 || clock.Now().Sub(began) < s.until {
				s.serve.ServeHTTP(w, r)
				return
			}
		}
	}))
	t.Cleanup(srv.Close)
	f := newFake(map[string]string{"TIDEMARK_FLINK": srv.URL})
	f.cluster.Flink, f.Now, f.Sleep = srv.URL, clock.Now, clock.Sleep
	return f, clock
}

// cluster has one job, well or held by a silent partition.
func cluster(now func() time.Time, name string, stuck bool) http.Handler {
	if stuck {
		return renamed(flinktest.NewReplay(stuckEntries(), flinktest.ReplayOptions{Now: now}), "lab-idle-partition", name)
	}
	return flinktest.NewSynthetic(flinktest.SyntheticOptions{Now: now, JobName: name})
}

// stuckEntries are of a job that a silent partition holds; read late, as the test binary is watch's program elsewhere.
var stuckEntries = sync.OnceValue(func() []flinkapi.Entry {
	rec, err := flinkapi.OpenRecording("../testdata/recordings/flink-2.3.0/lab-idle-partition.jsonl.gz", nil)
	if err != nil {
		panic(err)
	}
	return rec.Entries
})

func waited(t *testing.T, f fake, args string) int {
	t.Helper()
	root := newRoot(f.globals)
	root.SetArgs(append([]string{"triage", "--wait", "healthy", "--flink", f.cluster.Flink}, strings.Fields(args)...))
	return finish(f.globals, context.Background(), root.ExecuteContext(context.Background()))
}

// A job that is not there yet, then one that is stuck, then one that is well.
func TestWaitEndsWhenTheJobIsHealthy(t *testing.T) {
	t.Parallel()
	f, clock := deploying(t, func(now func() time.Time) []stage {
		return []stage{{25 * time.Second, cluster(now, "other", false)}, {65 * time.Second, cluster(now, "orders", true)}, {0, cluster(now, "orders", false)}}
	})
	began := clock.Now()
	code := waited(t, f, "orders")
	took := clock.Now().Sub(began)
	if code != exitClean || took < 65*time.Second || took > 105*time.Second {
		t.Errorf("exit code %d after %s\n%s\n%s", code, took, f.err, f.out)
	}
	said := f.err.String()
	for _, want := range []string{"waiting for healthy: no job \"orders\" among 1", "waiting for healthy: CRITICAL orders: "} {
		if strings.Count(said, want) != 1 {
			t.Errorf("%q is not said once:\n%s", want, said)
		}
	}
	if out := f.out.String(); !strings.Contains(out, "HEALTHY") || strings.Contains(out, "CRITICAL") {
		t.Errorf("not the last report alone:\n%s", out)
	}
}

// When the time is up the last verdict decides, and nothing passes.
func TestWaitGivesUpWithTheLastVerdict(t *testing.T) {
	t.Parallel()
	gone := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	for _, c := range cases.Some([]struct {
		name, args string
		serve      func(now func() time.Time) http.Handler
		code       int
		said       string
		report     bool
	}{
		{"stuck", "orders", func(now func() time.Time) http.Handler { return cluster(now, "orders", true) }, exitFindings, "(--wait-timeout 1 min); the exit code is that of the last verdict", true},
		{"never there", "orders", func(now func() time.Time) http.Handler { return cluster(now, "other", false) }, exitIncomplete, `no job "orders" among 1`, false},
		{"no cluster", "", func(func() time.Time) http.Handler { return gone }, exitIncomplete, "503", false},
		{"over", "orders", func(now func() time.Time) http.Handler {
			return renamed(cluster(now, "orders", false), `"state":"RUNNING"`, `"state":"CANCELED"`)
		}, exitIncomplete, "job orders is CANCELED", true},
	}, 2) {
		f, clock := deploying(t, func(now func() time.Time) []stage { return []stage{{0, c.serve(now)}} })
		began := clock.Now()
		code := waited(t, f, c.args+" --wait-timeout 1m")
		took := clock.Now().Sub(began)
		if code != c.code || took < time.Minute || took > 90*time.Second || !strings.Contains(f.err.String(), c.said) || f.out.Len() > 0 != c.report {
			t.Errorf("%s: exit code %d after %s: %s\n%s", c.name, code, took, f.err, f.out)
		}
		if !strings.Contains(f.err.String(), "(--wait-timeout 1 min)") {
			t.Errorf("%s: the end of the wait is not said: %s", c.name, f.err)
		}
	}
}

// renamed changes a word in all that a cluster answers.
func renamed(h http.Handler, from, to string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, r)
		w.WriteHeader(answer.Code)
		_, _ = w.Write([]byte(strings.ReplaceAll(answer.Body.String(), from, to)))
	})
}

// A mistake is not waited out, and an interrupt ends the wait.
func TestWaitRefusesWhatWaitingDoesNotMend(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ args, want string }{
		{"--wait healthy --from x.jsonl", "--wait is not used: a recording does not continue"},
		{"--wait healthy --once", "--wait and --once exclude each other"},
		{"--wait healthy --for 1m", "--wait and --for exclude each other"},
		{"--wait healthy --prometheus http://localhost:1 --at 03:00", "--wait is not used: the past does not change"},
		{"--wait healthy --fail-on none", "--fail-on none would take every verdict for healthy"},
		{"--wait healthy --wait-timeout 0s", "--wait-timeout is 0 ms"},
		{"--wait well", `--wait is "well"; it takes`},
		{"--wait=", "--wait is empty"},
		{"--wait-timeout 1m", "--wait-timeout is not used: without --wait healthy nothing is waited for"},
		{"--wait healthy --flink ftp://x", "ftp"},
	} {
		f := newFake(nil)
		f.Sleep = func(context.Context, time.Duration) error {
			t.Errorf("triage %s waits", c.args)
			return context.Canceled
		}
		root := newRoot(f.globals)
		root.SetArgs(append([]string{"triage"}, strings.Fields(c.args)...))
		code := finish(f.globals, context.Background(), root.ExecuteContext(context.Background()))
		if code != exitUsage || !strings.Contains(f.err.String(), c.want) {
			t.Errorf("triage %s: exit code %d, %q", c.args, code, f.err)
		}
	}
	f, clock := deploying(t, func(now func() time.Time) []stage { return []stage{{0, cluster(now, "other", false)}} })
	ctx, cancel := context.WithCancel(context.Background())
	var sleeps atomic.Int32
	f.Sleep = func(ctx context.Context, d time.Duration) error {
		if sleeps.Add(1) == 3 {
			cancel()
		}
		return clock.Sleep(ctx, d)
	}
	root := newRoot(f.globals)
	root.SetArgs([]string{"triage", "orders", "--wait", "healthy", "--flink", f.cluster.Flink})
	if code := finish(f.globals, ctx, root.ExecuteContext(ctx)); code != exitInterrupted || sleeps.Load() != 3 {
		t.Errorf("exit code %d after %d sleeps: %s", code, sleeps.Load(), f.err)
	}
}
