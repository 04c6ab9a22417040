package cmd

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tidemark/internal/cases"
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
	for _, tc := range cases.Some([]struct {
		at, says string
		code     int
	}{
		{"2026-11-30T20:14:00Z", "HEALTHY", exitClean},
		{"2026-11-30T23:00:00Z", "the nearest stretch before it ends at 2026-11-30T20:", exitIncomplete},
		{"2026-12-01T23:00:00Z", "is in the future", exitUsage},
		{"yesterday", "--at is", exitUsage},
	}, 2) {
		out, errOut, err := runPast(t, "dc4224b8", "--prometheus", url, "--from", pastGraph, "--at", tc.at)
		if err != nil {
			errOut += err.Error()
		}
		if code(err) != tc.code || !strings.Contains(out+errOut, tc.says) {
			t.Errorf("at %s: code %d, want %d, with %q:\n%s\n%s", tc.at, code(err), tc.code, tc.says, out, errOut)
		}
	}
	for _, stretch := range cases.Some([][]string{{"--since", "2026-11-30T20:13:00Z", "--until", "2026-11-30T20:20:00Z"}, {"--at", "2026-11-30T20:20:00Z"}}, 1) {
		out, errOut, err := runPast(t, append(stretch, "dc4224b8", "--prometheus", url, "--from", pastGraph)...)
		if code(err) != exitFindings || !strings.Contains(out, "20:15:42 to 20:15:47") || !strings.Contains(out, `split stops-1 of "Source: Orders" stopped`) {
			t.Errorf("%v: code %d\n%s\n%s", stretch, code(err), out, errOut)
		}
		if usual := strings.Contains(out, "When nothing is wrong") && strings.Contains(out, "of them in trouble and left out"); usual != (stretch[0] == "--since") {
			t.Errorf("%v: what is usual: %v\n%s", stretch, usual, out)
		}
	}
	_, errOut, err := runPast(t, "dc4224b8", "--prometheus", url, "--at", "2026-11-30T20:14:00Z")
	if code(err) != exitIncomplete {
		t.Errorf("without a graph: code %d, %v %s", code(err), err, errOut)
	}
}

// The limit is that of the time before the partition stopped, and the silence of the outage is no idle timeout.
func TestPolicyFromThePast(t *testing.T) {
	t.Parallel()
	cases.Slow(t)
	_, url := pastServer(t)
	f := newFake(nil)
	f.Now = func() time.Time { return time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC) }
	c := newCheckInit(f.globals)
	c.SetArgs([]string{"dc4224b8", "--prometheus", url, "--from", pastGraph, "--since", "2026-11-30T20:12:30Z", "--until", "2026-11-30T20:22:00Z"})
	c.SilenceErrors, c.SilenceUsage = true, true
	if err := c.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"max-lag: 30 s", "twice the largest ordinary lag", "of them in trouble and left out", "idleness: {required: true} # fails"} {
		if !strings.Contains(f.out.String(), want) {
			t.Errorf("no %q in\n%s", want, f.out)
		}
	}
	c = newCheckInit(f.globals)
	c.SetArgs([]string{"--prometheus", url, "--at", "2026-11-30T20:14:00Z"})
	c.SilenceErrors, c.SilenceUsage = true, true
	if err := c.ExecuteContext(t.Context()); code(err) != exitUsage || !strings.Contains(err.Error(), "--since and --until") {
		t.Errorf("an instant: %v", err)
	}
}

// Splits that were read in part give a policy, and no clean exit.
func TestPolicyFromAPartialPast(t *testing.T) {
	t.Parallel()
	cases.Slow(t)
	server, url := pastServer(t)
	server.Warnings, server.WarnOf = []string{"store gateway-1 is down"}, "currentOffset"
	f := newFake(nil)
	f.Now = func() time.Time { return time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC) }
	c := newCheckInit(f.globals)
	c.SetArgs([]string{"dc4224b8", "--prometheus", url, "--from", pastGraph, "--since", "2026-11-30T20:12:30Z", "--until", "2026-11-30T20:15:00Z"})
	c.SilenceErrors, c.SilenceUsage = true, true
	err := c.ExecuteContext(t.Context())
	if code(err) != exitIncomplete || !strings.Contains(err.Error(), "store gateway-1 is down") || !strings.Contains(f.out.String(), "idleness:") {
		t.Errorf("code %d, %v\n%s", code(err), err, f.out)
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
		{"--until needs --since", []string{"--prometheus", url, "--until", "-5m"}},
		{"--at is an instant", []string{"--prometheus", url, "--at", "-5m", "--since", "-2h"}},
		{"not before --until", []string{"--prometheus", url, "--since", "-5m", "--until", "-2h"}},
		{"--once takes one sample", []string{"--prometheus", url, "--since", "-5m", "--once"}},
		{"not a label matcher", []string{"--prometheus", url, "--match", "prod"}},
		{"is not the URL of a Prometheus", []string{"--prometheus", "ftp://x"}},
	} {
		_, _, err := runPast(t, tc.args...)
		if err == nil || code(err) != exitUsage || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%v: %v", tc.args, err)
		}
	}
}
