package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tidemark/analyze"
	"tidemark/flinkapi"
	"tidemark/internal/expect"
	"tidemark/internal/flinktest"
	"tidemark/render/screen"
)

func captureOf(at int64, ids ...string) *flinkapi.Capture {
	c := &flinkapi.Capture{ReadAt: at}
	for _, id := range ids {
		c.Jobs = append(c.Jobs, flinkapi.JobCapture{ID: id, Name: id, Samples: []*flinkapi.Sample{{ReadAt: at, HasJob: true}}})
	}
	return c
}

// readerOf reads captures with a clock that only Sleep moves.
func readerOf(every time.Duration, captures ...*flinkapi.Capture) (*Reader, *flinktest.Clock) {
	clock := flinktest.NewClock(1796011294937)
	r := &Reader{o: Options{Source: flinkapi.Reading{Interval: every}, Ended: func() string { return "" }, Now: clock.Now, Sleep: clock.Sleep}}
	r.read = func(_ context.Context, record func(flinkapi.Entry), fresh bool) (*flinkapi.Capture, error) {
		if len(captures) == 0 || captures[0] == nil {
			captures = captures[min(1, len(captures)):]
			return nil, errors.New("no leader")
		}
		c := captures[0]
		captures = captures[1:]
		record(flinkapi.Entry{T: c.ReadAt, Path: "/jobs/overview", Status: 200, Body: []byte("{}")})
		record(flinkapi.Entry{T: c.ReadAt, Path: "/jobs/a", Status: 200, Body: []byte("{}")})
		record(flinkapi.Entry{T: c.ReadAt, Path: "/jobs/b", Status: 200, Body: []byte("{}")})
		return c, nil
	}
	return r, clock
}

// The first two readings do not wait; a failure waits for the interval.
func TestReadingsKeepTheirInterval(t *testing.T) {
	r, clock := readerOf(10*time.Second, captureOf(1, "a"), captureOf(2, "a"), nil, captureOf(3, "a"))
	var at []time.Duration
	begin := clock.Now()
	for i := range 4 {
		got := r.Next(context.Background())
		at = append(at, clock.Now().Sub(begin))
		if (got.Err != nil) != (i == 2) {
			t.Errorf("reading %d: %v", i, got.Err)
		}
	}
	if want := []time.Duration{0, 0, 10 * time.Second, 20 * time.Second}; !slices.Equal(at, want) {
		t.Errorf("readings at %v, want %v", at, want)
	}
	ctx, cancel := context.WithCancel(context.Background())
	if cancel(); r.Next(ctx).Err == nil {
		t.Error("a reading after the end")
	}
}

// A snapshot of the view holds the two newest readings, of the job and of the cluster.
func TestASnapshotOfTheViewIsARecordingOfTwoSamples(t *testing.T) {
	t.Chdir(t.TempDir())
	r, _ := readerOf(time.Second, captureOf(1, "a"), captureOf(2, "a"), captureOf(3, "a"))
	for range 3 {
		r.Next(context.Background())
	}
	path, err := r.Snapshot(&analyze.JobReport{ID: "a", Name: "a/../b \x1b[2J"})
	if err != nil || !strings.HasPrefix(path, "a----b---2J-2026") {
		t.Fatalf("%q, %v", path, err)
	}
	rec, err := flinkapi.OpenRecording(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	var read []string
	for _, e := range rec.Entries {
		read = append(read, fmt.Sprint(e.T, e.Path))
	}
	if got := strings.Join(read, " "); got != "2/jobs/overview 2/jobs/a 3/jobs/overview 3/jobs/a" {
		t.Errorf("the recording holds %s", got)
	}
	if _, err := r.Snapshot(&analyze.JobReport{ID: "a", Name: "a/../b \x1b[2J"}); err == nil {
		t.Error("a recording was overwritten")
	}
}

func TestJoinSamples(t *testing.T) {
	first, second, third := captureOf(1, "a", "gone"), captureOf(2, "a", "new"), captureOf(3, "a")
	if got := first.After(nil); got != first {
		t.Error("the first reading stands alone")
	}
	joined := second.After(first)
	if s := joined.Jobs[0].Samples; len(s) != 2 || s[0].ReadAt != 1 || s[1].ReadAt != 2 {
		t.Errorf("job a has samples %v", s)
	}
	if s := joined.Jobs[1].Samples; len(joined.Jobs) != 2 || len(s) != 1 {
		t.Errorf("the new job has %d samples of %d jobs", len(s), len(joined.Jobs))
	}
	if len(second.Jobs[0].Samples) != 1 {
		t.Error("the newer reading was changed")
	}
	if s := third.After(second).Jobs[0].Samples; len(s) != 2 || s[0].ReadAt != 2 {
		t.Error("only the last reading is compared with the newest")
	}
}

// A failed reading does not end the loop, except the first; a view that cannot be shown does.
func TestEachGoesOnAfterAFailure(t *testing.T) {
	r, _ := readerOf(time.Second, captureOf(1, "a"), nil, captureOf(2, "a"))
	var failed []bool
	full := errors.New("pipe closed")
	err := r.Each(context.Background(), func(now screen.Reading) error {
		if failed = append(failed, now.Err != nil); len(failed) == 3 {
			return full
		}
		return nil
	})
	if !errors.Is(err, full) || !slices.Equal(failed, []bool{false, true, false}) {
		t.Errorf("%v after %v", err, failed)
	}
	r, _ = readerOf(time.Second)
	expect.Error(t, r.Each(context.Background(), func(screen.Reading) error { return full }), "no leader")
	ctx, cancel := context.WithCancel(context.Background())
	r, _ = readerOf(time.Second, captureOf(1, "a"))
	if err := r.Each(ctx, func(screen.Reading) error { cancel(); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
}
