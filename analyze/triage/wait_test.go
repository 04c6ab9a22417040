package triage

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"tidemark/internal/flinktest"
	"tidemark/request"
)

// A wait reads each interval until nothing is lacking; the last reading is that at its end.
func TestWaitReadsUntilNothingIsLacking(t *testing.T) {
	lost, mistake := errors.New("no leader"), request.Wrong("flink", "is no address")
	for _, c := range []struct {
		name   string
		lacks  []string // of the readings, the last one repeated; "no leader" fails
		took   time.Duration
		noted  []string
		up     bool
		failed error
	}{
		{"at once", []string{""}, 0, nil, false, nil},
		{"later", []string{"stuck", "stuck", "late", ""}, 30 * time.Second, []string{"stuck", "late"}, false, nil},
		{"never", []string{"stuck"}, 45 * time.Second, []string{"stuck"}, true, nil},
		{"never there", []string{"no leader"}, 45 * time.Second, []string{"no leader"}, false, lost},
		{"a mistake", []string{"stuck", "mistake"}, 10 * time.Second, []string{"stuck"}, false, mistake},
	} {
		clock := flinktest.NewClock(1_796_000_000_000)
		began := clock.Now()
		var noted []string
		p := Polling{Every: 10 * time.Second, Now: clock.Now, Sleep: clock.Sleep, Note: func(lacks string) { noted = append(noted, lacks) }}
		last := ""
		p.Read = func(context.Context) (Result, error) {
			if last = c.lacks[0]; len(c.lacks) > 1 {
				c.lacks = c.lacks[1:]
			}
			return Result{}, map[string]error{"no leader": lost, "mistake": mistake}[last]
		}
		p.Lacks = func(Result, error) string { return last }
		_, up, err := Wait{For: "healthy", Timeout: 45 * time.Second}.Until(context.Background(), p)
		if took := clock.Now().Sub(began); took != c.took || !slices.Equal(noted, c.noted) || (up != nil) != c.up || (err != nil) != (c.failed != nil) {
			t.Errorf("%s: took %s, noted %q, up %v, %v", c.name, took, noted, up, err)
		}
		if c.failed != nil && !strings.Contains(err.Error(), c.failed.Error()) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
