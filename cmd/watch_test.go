package cmd

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"tidemark/analyze"
	"tidemark/flinkapi"
)

func captureOf(at int64, ids ...string) *flinkapi.Capture {
	c := &flinkapi.Capture{ReadAt: at}
	for _, id := range ids {
		c.Jobs = append(c.Jobs, flinkapi.JobCapture{ID: id, Name: id, Samples: []*flinkapi.Sample{{ReadAt: at, HasJob: true}}})
	}
	return c
}

func TestJoinSamples(t *testing.T) {
	first, second, third := captureOf(1, "a", "gone"), captureOf(2, "a", "new"), captureOf(3, "a")
	if got := joinSamples(nil, first); got != first {
		t.Error("the first reading stands alone")
	}
	joined := joinSamples(first, second)
	if s := joined.Jobs[0].Samples; len(s) != 2 || s[0].ReadAt != 1 || s[1].ReadAt != 2 {
		t.Errorf("job a has samples %v", s)
	}
	if s := joined.Jobs[1].Samples; len(joined.Jobs) != 2 || len(s) != 1 {
		t.Errorf("the new job has %d samples of %d jobs", len(s), len(joined.Jobs))
	}
	if len(second.Jobs[0].Samples) != 1 {
		t.Error("the newer reading was changed")
	}
	if s := joinSamples(second, third).Jobs[0].Samples; len(s) != 2 || s[0].ReadAt != 2 {
		t.Error("only the last reading is compared with the newest")
	}
}

func TestLoopGoesOnAfterAFailureAndEndsWithItsContext(t *testing.T) {
	f := newFake(nil)
	ctx, cancel := context.WithCancel(context.Background())
	reads, shown := 0, 0
	read := func(context.Context) (*flinkapi.Capture, error) {
		reads++
		if reads == 2 {
			return nil, errors.New("no leader")
		}
		return captureOf(int64(reads), "a"), nil
	}
	err := f.loop(ctx, read, time.Nanosecond, func(r *analyze.Report) error {
		if shown++; shown == 3 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || shown != 3 || reads < 4 {
		t.Errorf("%v after %d readings and %d views", err, reads, shown)
	}
	if got := f.err.String(); got != "tidemark: no leader; trying again in 1ns\n" {
		t.Errorf("said %q", got)
	}
}

func TestLoopEndsWhenTheFirstReadingFails(t *testing.T) {
	f := newFake(nil)
	read := func(context.Context) (*flinkapi.Capture, error) { return nil, errors.New("no such host") }
	err := f.loop(context.Background(), read, time.Hour, nil)
	wantError(t, err, "no such host")
}

func TestLoopEndsWhenTheViewFails(t *testing.T) {
	f := newFake(nil)
	read := func(context.Context) (*flinkapi.Capture, error) { return captureOf(1, "a"), nil }
	err := f.loop(context.Background(), read, time.Hour, func(*analyze.Report) error { return errors.New("pipe closed") })
	wantError(t, err, "pipe closed")
}

func TestTheScreenIsClearedOnATerminalOnly(t *testing.T) {
	f := newFake(nil)
	f.clearScreen()
	if f.out.Len() != 0 {
		t.Error("escape sequences in a file")
	}
	f.IsTerminal = func(any) bool { return true }
	f.clearScreen()
	if !strings.HasPrefix(f.out.String(), "\x1b[H") {
		t.Errorf("got %q", f.out.String())
	}
}
