package flinkapi_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tidemark/flinkapi"
	"tidemark/internal/cases"
	"tidemark/internal/flinktest"
)

// A JobManager that is lost between the samples is noticed during the wait. What was read is kept, and the job says since
// when there was no answer. A recording gives the same.
func TestAJobManagerThatGoesWhileWaiting(t *testing.T) {
	for name, f := range map[string]flinktest.Fault{"refused": {Hangup: true}, "no leader": {Status: 503}} {
		t.Run(name, func(t *testing.T) {
			entries := healthy(t)
			clock := flinktest.NewClock(entries[0].T)
			replay := flinktest.NewReplay(entries, flinktest.ReplayOptions{Now: clock.Now})
			var gone atomic.Int64
			gone.Store(-1)
			c := serve(t, inSample(replay, flinktest.WithFaults(replay, f), 0, &gone), clock, nil)
			var recorded []flinkapi.Entry
			var since time.Time
			read := false
			got, err := c.Capture(context.Background(), flinkapi.CaptureOptions{Interval: time.Minute, Record: func(e flinkapi.Entry) { recorded = append(recorded, e) },
				Progress: func(p flinkapi.Progress) {
					read = read || strings.Contains(p.Step, "sample 1")
					if read && gone.Load() < 0 && strings.Contains(p.Step, "next metric fetch") {
						gone.Store(0)
						since = clock.Now()
					}
				}})
			var lost *flinkapi.LostError
			if !errors.As(err, &lost) || !flinkapi.IsUnavailable(err) || !strings.Contains(err.Error(), "stopped answering at ") || !strings.Contains(err.Error(), "/overview") {
				t.Fatalf("error %v", err)
			}
			if took := lost.At.Sub(since); took > 25*time.Second {
				t.Errorf("noticed after %s", took)
			}
			for _, j := range []flinkapi.JobCapture{got.Jobs[0], flinkapi.Assemble(recorded).Jobs[0]} {
				gaps := j.Gaps()
				if len(j.Samples) != 2 || !j.Samples[0].HasJob || len(gaps) != 1 || gaps[0].Reason != flinkapi.GapGone || gaps[0].Sample != 1 || !strings.Contains(gaps[0].Cause, "stopped answering") {
					t.Errorf("%d samples, gaps %+v", len(j.Samples), gaps)
				}
			}
		})
	}
}

// A cluster that hangs is given up after one timeout, and the wait is reported.
func TestAClusterThatHangsWhileItIsRead(t *testing.T) {
	t.Parallel()
	cases.Slow(t)
	entries := healthy(t)
	clock := flinktest.NewClock(entries[0].T)
	replay := flinktest.NewReplay(entries, flinktest.ReplayOptions{Now: clock.Now})
	var now atomic.Int64
	now.Store(-1)
	hung := flinktest.WithFaults(replay, flinktest.Fault{Latency: time.Hour})
	var asked atomic.Int64
	count := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		hung.ServeHTTP(w, r)
	})
	const timeout = 3 * time.Second
	c := serve(t, inSample(replay, count, 1, &now), clock, func(o *flinkapi.ClientOptions) { o.Timeout = timeout })
	begin := time.Now()
	var told atomic.Bool
	got, err := c.Capture(context.Background(), flinkapi.CaptureOptions{Progress: func(p flinkapi.Progress) {
		if p.Step == "reading sample 2 of 2" && now.Swap(1) != 1 {
			begin = time.Now()
		}
		if strings.Contains(p.Step, "no answer for") {
			told.Store(true)
		}
	}})
	var lost *flinkapi.LostError
	if !errors.As(err, &lost) || got == nil || len(got.Jobs) != 1 || !got.Jobs[0].Samples[0].HasJob {
		t.Fatalf("error %v, %d asked, gaps %+v", err, asked.Load(), got.Jobs[0].Gaps())
	}
	if !told.Load() {
		t.Error("the silence is not told")
	}
	if n := asked.Load(); n > 4 {
		t.Errorf("%d requests to a cluster that hangs", n)
	}
	if took := time.Since(begin); took > 5*timeout {
		t.Errorf("given up after %s", took)
	}
}

// A TaskManager that is missing from the second list was lost.
func TestALostTaskManagerIsNamed(t *testing.T) {
	c := flinkapi.Assemble([]flinkapi.Entry{
		entry(1, "/taskmanagers", `{"taskmanagers":[{"id":"a"},{"id":"b"}]}`), entry(2, "/taskmanagers", `{"taskmanagers":[{"id":"b"},{"id":"c"}]}`),
	})
	if len(c.Lost) != 1 || c.Lost[0].ID != "a" || len(c.TaskManagers) != 2 {
		t.Errorf("lost %+v of %+v", c.Lost, c.TaskManagers)
	}
}
