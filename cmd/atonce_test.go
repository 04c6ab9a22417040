package cmd

import (
	"context"
	"io"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"tidemark/analyze/triage"
	"tidemark/flinkapi"
	"tidemark/internal/flinktest"
)

// onCluster is a process that reads a synthetic cluster by its clock.
func onCluster(t testing.TB, o flinktest.SyntheticOptions) (fake, *flinktest.Clock, *flinktest.Counter) {
	t.Helper()
	clock := flinktest.NewClock(1796011294937)
	o.Now = clock.Now
	counter := flinktest.Count(flinktest.NewSynthetic(o))
	srv := httptest.NewServer(counter)
	t.Cleanup(srv.Close)
	f := newFake(nil)
	f.cluster.Flink, f.Now, f.Sleep = srv.URL, clock.Now, clock.Sleep
	return f, clock, counter
}

// onRecording is a process that reads a recorded cluster as if it were alive.
func onRecording(t testing.TB, path string) fake {
	t.Helper()
	rec, err := flinkapi.OpenRecording(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	clock := flinktest.NewClock(rec.Entries[0].T)
	srv := httptest.NewServer(flinktest.NewReplay(rec.Entries, flinktest.ReplayOptions{Now: clock.Now}))
	t.Cleanup(srv.Close)
	f := newFake(nil)
	f.cluster.Flink, f.Now, f.Sleep = srv.URL, clock.Now, clock.Sleep
	return f
}

func answer(ctx context.Context, f fake, once bool) error {
	r := triage.Defaults()
	r.Source.Once, r.FailOn = once, "none"
	return runTriage(ctx, f.globals, r, output{format: "table"})
}

var escapes = regexp.MustCompile(`\x1b\[K|\r`)

// On a terminal the first sample is judged at once and its answer replaced; elsewhere only the final one is said.
func TestTheFirstSampleIsJudgedAtOnceOnATerminal(t *testing.T) {
	f := onRecording(t, "../testdata/recordings/flink-2.3.0/lab-idle-partition.jsonl.gz")
	f.IsTerminal = func(s any) bool { return s == io.Writer(f.err) }
	if err := answer(context.Background(), f, false); err != nil {
		t.Fatal(err)
	}
	said := escapes.Split(f.err.String(), -1)
	first := ""
	for _, line := range said {
		if strings.Contains(line, "so far: ") {
			first = line
			break
		}
	}
	if !strings.Contains(first, "so far: CRITICAL lab-idle-partition: ") || !strings.Contains(first, "; checking whether it moves") {
		t.Errorf("the first answer is %q", first)
	}
	if !regexp.MustCompile(`checking whether it moves, [0-9.]+ s left`).MatchString(f.err.String()) {
		t.Errorf("what is left to wait for is not said: %q", f.err.String())
	}
	if !strings.HasSuffix(f.err.String(), "\r\x1b[K") {
		t.Error("the provisional line is left standing")
	}
	if strings.Contains(f.out.String(), "checking whether") {
		t.Error("a provisional answer is in the report")
	}
	quiet := onRecording(t, "../testdata/recordings/flink-2.3.0/lab-idle-partition.jsonl.gz")
	if err := answer(context.Background(), quiet, false); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(quiet.err.String(), "checking whether") {
		t.Errorf("provisional without a terminal: %q", quiet.err.String())
	}
}

// --once reads what the cache holds, however old, says how old that is, and does not wait.
func TestOnceDatesWhatItRead(t *testing.T) {
	for _, c := range []struct {
		age  time.Duration
		want string
	}{
		{3 * time.Second, "1 sample, metrics 3 s old\n"},
		{9 * time.Second, "1 sample, metrics 9 s old\n"},
		{time.Hour, "1 sample, metrics at least 10 s old (this reading made the JobManager fetch new ones)\n"},
	} {
		f, clock, _ := onCluster(t, flinktest.SyntheticOptions{})
		if err := answer(context.Background(), f, true); err == nil { // somebody looked before
			t.Fatal("one sample is no all-clear")
		}
		_ = clock.Sleep(context.Background(), c.age)
		began := clock.Now()
		f.out.Reset()
		_ = answer(context.Background(), f, true)
		if waited := clock.Now().Sub(began); waited != 0 {
			t.Errorf("a cache of %s made it wait %s", c.age, waited)
		}
		if got := strings.ReplaceAll(strings.SplitN(f.out.String(), "\n\n", 2)[0]+"\n", "\n", " "); !strings.Contains(got+"\n", strings.TrimSuffix(c.want, "\n")) {
			t.Errorf("a cache of %s: %q, want %q", c.age, got, c.want)
		}
	}
}
