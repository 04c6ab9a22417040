package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"tidemark/analyze"
	"tidemark/analyze/triage"
	"tidemark/flinkapi"
	"tidemark/internal/units"
	"tidemark/render/prom"
	"tidemark/request"
)

// staleAfter is how many intervals the values of the last good capture are shown for.
const staleAfter = 3

// exporter captures on a schedule and keeps the last answer; scrapes only read what it keeps.
type exporter struct {
	options exportOptions
	capture func(context.Context) (*analyze.Report, error)
	now     func() time.Time
	wait    func(ctx context.Context, d time.Duration) error // returns ctx's error early
	notef   func(format string, a ...any)

	mu         sync.Mutex
	state      prom.Exposition
	reportedAt time.Time // when the report of the state was made
}

func newExporter(g *globals, o exportOptions) *exporter {
	e := &exporter{options: o, now: g.Now, notef: g.notef, wait: flinkapi.Sleep}
	e.state.Version = tool().Version
	e.capture = func(ctx context.Context) (*analyze.Report, error) {
		quiet := *g
		quiet.quiet, quiet.damage = true, nil // progress is for a person who waits
		r := triage.Defaults()
		r.Source, r.Acknowledge = o.source, o.mark
		res, err := quiet.triage(ctx, r)
		if err == nil && len(res.Damage) > 0 {
			err = fmt.Errorf("recording is damaged: %w", res.Damage[0])
		}
		return res.Report, err
	}
	return e
}

// captureOnce writes the file, also when the capture failed: then it says so.
func (e *exporter) captureOnce(ctx context.Context) error {
	err := e.update(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return errors.Join(err, e.writeFile())
}

// loop captures until ctx ends or an error occurs that waiting does not clear.
func (e *exporter) loop(ctx context.Context) error {
	for {
		began := e.now()
		err := e.update(ctx)
		var mistake *request.Mistake
		switch {
		case ctx.Err() != nil:
			return errors.Join(ctx.Err(), e.removeFile())
		case errors.As(err, &mistake):
			return errors.Join(err, e.removeFile())
		case err != nil:
			e.notef("%v; trying again in %s", err, units.Said(e.options.interval))
		}
		if err := e.writeFile(); err != nil {
			return err
		}
		if err := e.wait(ctx, max(0, e.options.interval-e.now().Sub(began))); err != nil {
			return errors.Join(err, e.removeFile())
		}
	}
}

// update captures once and takes the answer, or the failure, into the state.
func (e *exporter) update(ctx context.Context) error {
	began := e.now()
	report, err := e.capture(ctx)
	ended := e.now()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.state.Captures++
	unread, all := error(nil), false
	if err == nil {
		unread, all = triage.Unread(report.Jobs)
	}
	e.state.Up = err == nil && !all
	if !e.state.Up {
		e.state.Failures++
	}
	if err != nil {
		return err
	}
	e.state.Report, e.reportedAt = report, ended // of jobs that could not be read it says so
	if e.state.Up {
		e.state.LastCapture, e.state.CaptureTime = ended, ended.Sub(began)
	}
	return unread
}

// exposition is what may be shown now: without the values when they are too old.
func (e *exporter) exposition(open bool) prom.Exposition {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.state
	s.OpenMetrics = open
	// A capture that takes longer than the interval makes the schedule as slow as itself.
	if e.now().Sub(e.reportedAt) > staleAfter*max(e.options.interval, s.CaptureTime) {
		s.Report = nil
	}
	return s
}

func (e *exporter) writeFile() error {
	if e.options.textfile == "" {
		return nil
	}
	var b bytes.Buffer
	if err := prom.Metrics(&b, e.exposition(false)); err != nil {
		return err
	}
	return writeAtomic(e.options.textfile, b.Bytes())
}

// removeFile keeps node exporter from showing values that no one renews.
func (e *exporter) removeFile() error {
	if e.options.textfile == "" {
		return nil
	}
	if err := os.Remove(e.options.textfile); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("old metrics cannot be removed: %w", err)
	}
	return nil
}
