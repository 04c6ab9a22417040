package cmd

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tidemark/flinkapi"
	"tidemark/internal/flinktest"
)

// serveUntil replays a recording and interrupts the process that reads it at the nth request of a path.
func serveUntil(t *testing.T, recording, path string, nth int, interrupt context.CancelFunc) string {
	t.Helper()
	rec, err := flinkapi.OpenRecording(recording, nil)
	if err != nil {
		t.Fatal(err)
	}
	replay := flinktest.NewReplay(rec.Entries, flinktest.ReplayOptions{Interval: 200 * time.Millisecond})
	seen := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, path) {
			if seen++; seen == nth {
				interrupt()
			}
		}
		replay.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestAnInterruptedTriageShowsWhatItHasRead(t *testing.T) {
	t.Parallel()
	const recording = "../testdata/recordings/flink-2.3.0/lab-idle-partition.jsonl.gz"
	for _, c := range []struct {
		name, command string
		nth           int
		shown         bool
	}{
		{"after the first sample", "triage", 2, true},
		{"before any sample", "triage", 1, false},
		{"watermarks", "watermarks", 2, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, interrupt := context.WithCancel(context.Background())
			defer interrupt()
			f := newFake(nil)
			root := newRoot(f.globals)
			root.SetArgs([]string{c.command, "--flink", serveUntil(t, recording, "/jobs/overview", c.nth, interrupt)})
			err := root.ExecuteContext(ctx)
			if code := finish(f.globals, ctx, err); code != exitInterrupted {
				t.Errorf("exit code %d (%v)", code, err)
			}
			if got := strings.Contains(f.out.String(), "lab-idle-partition"); got != c.shown {
				t.Errorf("shows the job: %v\n%s", got, f.out)
			}
			if got := strings.Contains(f.err.String(), "interrupted; the report holds what had been read"); got != c.shown {
				t.Errorf("says so: %v\n%s", got, f.err)
			}
		})
	}
}
