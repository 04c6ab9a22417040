package flinkapi_test

import (
	"context"
	"net/http/httptest"
	"testing"
	"time"

	"tidemark/flinkapi"
	"tidemark/internal/flinktest"
)

// A clock that stands still, of the cluster or of the reader, does not make a wait endless.
func TestAClockThatStandsEndsTheReading(t *testing.T) {
	entries := load(t, "healthy-2.3.0")
	standing := flinktest.NewClock(entries[len(entries)-1].T).Now
	for name, now := range map[string]func() time.Time{"the cluster's": nil, "both": standing} {
		srv := httptest.NewServer(flinktest.NewReplay(entries, flinktest.ReplayOptions{Now: standing}))
		t.Cleanup(srv.Close)
		clock := flinktest.NewClock(entries[len(entries)-1].T)
		if now == nil {
			now = clock.Now
		}
		ctx, cancel := context.WithCancel(context.Background())
		slept := time.Duration(0)
		sleep := func(ctx context.Context, d time.Duration) error {
			if slept += d; slept > 10*time.Minute {
				cancel()
			}
			return clock.Sleep(ctx, d)
		}
		c, err := flinkapi.NewClient(flinkapi.ClientOptions{URL: srv.URL, Now: now, Sleep: sleep})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Capture(ctx, flinkapi.CaptureOptions{For: time.Minute}); err != nil {
			t.Errorf("%s clock stands: %v after %s", name, err, slept)
		}
		cancel()
	}
}
