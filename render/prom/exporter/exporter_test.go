package exporter

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tidemark/analyze"
	"tidemark/internal/expect"
	"tidemark/render/prom"
	"tidemark/request"
)

// fakeExporter captures what answers holds, one after the other, then ends its context. Each capture takes 10 s and each
// wait its duration, on a fake clock.
type fakeExporter struct {
	*Exporter
	clock  time.Time
	waits  []time.Duration
	views  []string // the file after every capture
	said   []string
	cancel context.CancelFunc
}

func newFakeExporter(t *testing.T, interval time.Duration, answers ...error) (*fakeExporter, context.Context) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	f := &fakeExporter{clock: time.Unix(1_796_011_294, 0), cancel: cancel}
	o := Options{Interval: interval, Textfile: filepath.Join(t.TempDir(), "tidemark.prom")}
	f.Exporter = New(o, "1.0", func() time.Time { return f.clock }, func(line string) { f.said = append(f.said, line) }, func(context.Context) (*analyze.Report, error) {
		f.clock = f.clock.Add(10 * time.Second)
		err := answers[0]
		answers = answers[1:]
		if err != nil {
			return nil, err
		}
		return &analyze.Report{Jobs: []analyze.JobReport{{ID: "j", Name: "orders", Verdict: analyze.VerdictHealthy}}}, nil
	})
	f.wait = func(ctx context.Context, d time.Duration) error {
		data, err := os.ReadFile(o.Textfile)
		if err != nil {
			t.Error(err)
		}
		f.waits, f.views, f.clock = append(f.waits, d), append(f.views, string(data)), f.clock.Add(d)
		if len(answers) == 0 {
			cancel()
		}
		return ctx.Err()
	}
	return f, ctx
}

func mistaken(err error) bool {
	var m *request.Mistake
	return errors.As(err, &m)
}

const (
	healthyLine = `tidemark_job_verdict{job="orders",job_id="j",verdict="healthy"} 1`
	upLine      = "\ntidemark_up 1\n"
	downLine    = "\ntidemark_up 0\n"
)

func TestValuesOutliveAFailureForThreeIntervals(t *testing.T) {
	down := errors.New("no leader")
	f, ctx := newFakeExporter(t, time.Minute, nil, down, down, down, down, nil)
	if err := f.loop(ctx); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	for i, want := range []struct{ up, values bool }{{true, true}, {false, true}, {false, true}, {false, true}, {false, false}, {true, true}} {
		view := f.views[i]
		if got := strings.Contains(view, upLine); got != want.up || strings.Contains(view, downLine) == want.up {
			t.Errorf("capture %d: up is %v", i, got)
		}
		if got := strings.Contains(view, healthyLine); got != want.values {
			t.Errorf("capture %d: values shown is %v\n%s", i, got, view)
		}
	}
	if len(f.said) != 4 {
		t.Errorf("said %q", f.said)
	}
	for i, d := range f.waits {
		if d != 50*time.Second {
			t.Errorf("wait %d is %s: captures are to start a minute apart", i, d)
		}
	}
	if _, err := os.Stat(f.options.Textfile); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file is still there: %v", err)
	}
}

func TestValuesAgeAlsoBetweenCaptures(t *testing.T) {
	f, ctx := newFakeExporter(t, time.Minute, nil)
	if err := f.update(ctx); err != nil {
		t.Fatal(err)
	}
	f.clock = f.clock.Add(3 * time.Minute)
	if f.exposition(true).Report == nil {
		t.Error("gone after exactly three intervals")
	}
	f.clock = f.clock.Add(time.Second)
	if e := f.exposition(true); e.Report != nil || !e.Up || e.LastCapture.IsZero() {
		t.Errorf("a capture that hangs still shows its predecessor's values: %+v", e)
	}
}

func TestACaptureLongerThanTheIntervalIsNotStaleAtOnce(t *testing.T) {
	f, ctx := newFakeExporter(t, time.Second, nil, nil)
	_ = f.loop(ctx)
	if f.waits[0] != 0 || !strings.Contains(f.views[1], healthyLine) {
		t.Errorf("waits %v\n%s", f.waits, f.views[1])
	}
	f.clock = f.clock.Add(20 * time.Second)
	if f.exposition(false).Report == nil {
		t.Error("values are gone before the next capture can have ended")
	}
}

func TestAMistakeEndsTheLoop(t *testing.T) {
	f, ctx := newFakeExporter(t, time.Minute, request.Badf("recording is not there"), nil)
	expect.Error(t, f.loop(ctx), "recording is not there")
	if len(f.waits) != 0 {
		t.Error("it went on")
	}
}

func TestOnceWritesTheFileAlsoWhenTheCaptureFailed(t *testing.T) {
	f, ctx := newFakeExporter(t, time.Minute, errors.New("no leader"))
	err := f.captureOnce(ctx)
	expect.Error(t, err, "no leader")
	if mistaken(err) {
		t.Errorf("a failure is taken for a mistake: %v", err)
	}
	data, err := os.ReadFile(f.options.Textfile)
	if err != nil || !strings.Contains(string(data), downLine) || strings.Contains(string(data), healthyLine) {
		t.Errorf("%v\n%s", err, data)
	}
}

func TestAFileThatCannotBeWrittenEndsTheLoop(t *testing.T) {
	f, ctx := newFakeExporter(t, time.Minute, nil, nil)
	f.options.Textfile = filepath.Join(t.TempDir(), "gone", "x.prom")
	expect.Error(t, f.loop(ctx), "cannot be written")
}

func TestScrapesReadWhatIsKept(t *testing.T) {
	f, ctx := newFakeExporter(t, time.Minute, nil)
	server := httptest.NewServer(f.handler())
	defer server.Close()
	get := func(path, accept string) (int, string, string) {
		req, err := http.NewRequest(http.MethodGet, server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Accept", accept)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, res.Header.Get("Content-Type"), string(body)
	}
	if code, _, body := get("/metrics", ""); code != 200 || !strings.Contains(body, downLine) {
		t.Errorf("before the first capture: %d\n%s", code, body)
	}
	if err := f.update(ctx); err != nil {
		t.Fatal(err)
	}
	for range 3 { // a fourth capture would find no answer and panic
		code, kind, body := get("/metrics", "text/plain")
		if code != 200 || kind != prom.PrometheusTextType || !strings.Contains(body, healthyLine) || strings.Contains(body, "# EOF") {
			t.Errorf("%d %s\n%s", code, kind, body)
		}
	}
	if _, kind, body := get("/metrics", "application/openmetrics-text;version=1.0.0,text/plain;q=0.5"); kind != prom.OpenMetricsType || !strings.HasSuffix(body, "# EOF\n") {
		t.Errorf("%s\n%s", kind, body)
	}
	if code, _, body := get("/", ""); code != 200 || !strings.Contains(body, "/metrics") {
		t.Errorf("%d %s", code, body)
	}
	if code, _, _ := get("/admin", ""); code != 404 {
		t.Errorf("/admin answers %d", code)
	}
}

func TestProbes(t *testing.T) {
	f, _ := newFakeExporter(t, time.Minute, errors.New("no answer"))
	status := func(path string) int {
		w := httptest.NewRecorder()
		f.handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		return w.Code
	}
	if healthy, ready := status("/-/healthy"), status("/-/ready"); healthy != 200 || ready != 503 {
		t.Errorf("before a capture: %d, %d", healthy, ready)
	}
	if err := f.update(t.Context()); err == nil {
		t.Error("the failure is lost")
	}
	if ready := status("/-/ready"); ready != 200 {
		t.Errorf("after a capture that failed: %d", ready)
	}
}

func TestServeEndsWithItsContextAndFreesTheAddress(t *testing.T) {
	f, ctx := newFakeExporter(t, time.Minute, nil)
	f.options.Listen = "127.0.0.1:0"
	if err := f.serve(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
	if len(f.said) != 1 || !strings.Contains(f.said[0], "/metrics") {
		t.Errorf("said %q", f.said)
	}
}

func TestServeOnAnAddressInUse(t *testing.T) {
	taken := httptest.NewServer(http.NotFoundHandler())
	defer taken.Close()
	f, ctx := newFakeExporter(t, time.Minute, nil)
	f.options.Listen = strings.TrimPrefix(taken.URL, "http://")
	err := f.serve(ctx)
	expect.Error(t, err, "--listen 127.0.0.1:")
	if !mistaken(err) {
		t.Errorf("no mistake: %v", err)
	}
}
