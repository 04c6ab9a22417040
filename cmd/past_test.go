package cmd

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tidemark/internal/promtest"
)

const (
	pastSeries = "../flinkapi/prometheus/testdata/plain-2.3.0.series.jsonl.gz"
	pastGraph  = "../flinkapi/prometheus/testdata/jobs-2.3.0.rest.jsonl.gz"
)

func pastServer(t *testing.T) (*promtest.Server, string) {
	t.Helper()
	s := &promtest.Server{Series: promtest.Load(t, pastSeries), Stale: 12 * time.Second}
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	return s, srv.URL
}

// runPast drives triage the day after the recording.
func runPast(t *testing.T, args ...string) (out, errOut string, err error) {
	t.Helper()
	f := newFake(nil)
	f.Now = func() time.Time { return time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC) }
	c := newTriage(f.globals)
	c.SetArgs(args)
	c.SilenceErrors, c.SilenceUsage = true, true
	err = c.ExecuteContext(t.Context())
	return f.out.String(), f.err.String(), err
}

// A job is judged as it was, with the exit codes of every triage.
func TestTriageOfThePast(t *testing.T) {
	t.Parallel()
	_, url := pastServer(t)
	for _, tc := range []struct {
		at, says string
		code     int
	}{
		{"2026-11-30T20:14:00Z", "HEALTHY", exitClean},
		{"2026-11-30T20:20:00Z", "stops-1", exitFindings},
		{"2026-11-30T23:00:00Z", "the nearest stretch before it ends at 2026-11-30T20:", exitIncomplete},
		{"2026-12-01T23:00:00Z", "is in the future", exitUsage},
		{"yesterday", "--at is", exitUsage},
	} {
		out, errOut, err := runPast(t, "dc4224b8", "--prometheus", url, "--from", pastGraph, "--at", tc.at)
		if err != nil {
			errOut += err.Error()
		}
		if code(err) != tc.code || !strings.Contains(out+errOut, tc.says) {
			t.Errorf("at %s: code %d, want %d, with %q:\n%s\n%s", tc.at, code(err), tc.code, tc.says, out, errOut)
		}
	}
	_, errOut, err := runPast(t, "dc4224b8", "--prometheus", url, "--at", "2026-11-30T20:14:00Z")
	if code(err) != exitIncomplete {
		t.Errorf("without a graph: code %d, %v %s", code(err), err, errOut)
	}
}

// Nothing of the past is accepted and ignored.
func TestSettingsOfThePastAreRefused(t *testing.T) {
	t.Parallel()
	_, url := pastServer(t)
	for _, tc := range []struct {
		says string
		args []string
	}{
		{"which Prometheus", []string{"--at", "-5m"}},
		{"--interval", []string{"--prometheus", url, "--interval", "5s"}},
		{"--from can be given once", []string{"--prometheus", url, "--from", pastGraph, "--from", pastGraph}},
		{"no label matcher", []string{"--prometheus", url, "--match", "prod"}},
		{"is not the URL of a Prometheus", []string{"--prometheus", "ftp://x"}},
	} {
		_, _, err := runPast(t, tc.args...)
		if err == nil || code(err) != exitUsage || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%v: %v", tc.args, err)
		}
	}
}
