// Package exporter diagnoses on a schedule and exposes the last report to Prometheus: in a file for node exporter's
// textfile collector, over HTTP, or both.
package exporter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"tidemark/analyze"
	"tidemark/analyze/triage"
	"tidemark/flinkapi"
	"tidemark/internal/atomicfile"
	"tidemark/internal/units"
	"tidemark/render/prom"
	"tidemark/request"
)

// staleAfter is how many intervals the values of the last good capture are shown for.
const staleAfter = 3

// Options say where metrics are exposed, and how often they are renewed.
type Options struct {
	Textfile string        `flag:"textfile" doc:"write this file, whose name must end in .prom"`
	Listen   string        `flag:"listen" doc:"serve /metrics at this {ADDRESS}, such as 127.0.0.1:9321"`
	Interval time.Duration `flag:"interval" doc:"time between captures"`
	Once     bool          `flag:"once" doc:"write the file once and end; exit code 3 when the capture failed"`
}

// Defaults has an interval short enough for alerts and long enough that reading does not load a JobManager.
func Defaults() Options { return Options{Interval: time.Minute} }

// Check refuses contradictory options; the error is a *request.Mistake.
func (o Options) Check() error {
	switch {
	case o.Textfile == "" && o.Listen == "":
		return request.Badf("export needs a place: --textfile FILE, --listen ADDRESS or both")
	case o.Textfile != "" && filepath.Ext(o.Textfile) != ".prom":
		return request.Wrong("textfile", "is %q; node exporter reads only files that end in .prom", o.Textfile)
	case o.Once && o.Listen != "":
		return request.Wrong("once", "ends after one capture, so nothing can --listen")
	case o.Interval <= 0:
		return request.Wrong("interval", "is %s; it takes a duration above zero", units.Said(o.Interval))
	}
	return nil
}

// Exporter captures on a schedule and keeps the last report; scrapes only read that.
type Exporter struct {
	options Options
	capture func(context.Context) (*analyze.Report, error)
	now     func() time.Time
	wait    func(ctx context.Context, d time.Duration) error // returns ctx's error early
	note    func(line string)

	mu         sync.Mutex
	state      prom.Exposition
	reportedAt time.Time // when the report of the state was made
}

// New makes an exporter of what capture reads and judges; version is that of this program, now is wall clock.
func New(o Options, version string, now func() time.Time, note func(line string), capture func(context.Context) (*analyze.Report, error)) *Exporter {
	return &Exporter{options: o, capture: capture, now: now, note: note, wait: flinkapi.Sleep, state: prom.Exposition{Version: version}}
}

// Run captures until ctx ends, or once with Options.Once.
func (e *Exporter) Run(ctx context.Context) error {
	switch {
	case e.options.Once:
		return e.captureOnce(ctx)
	case e.options.Listen == "":
		return e.loop(ctx)
	}
	return e.serve(ctx)
}

// captureOnce writes the file, also when the capture failed: then tidemark_up is 0.
func (e *Exporter) captureOnce(ctx context.Context) error {
	err := e.update(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return errors.Join(err, e.writeFile())
}

// loop captures until ctx ends or an error occurs that waiting does not resolve.
func (e *Exporter) loop(ctx context.Context) error {
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
			e.note(fmt.Sprintf("%v; trying again in %s", err, units.Said(e.options.Interval)))
		}
		if err := e.writeFile(); err != nil {
			return err
		}
		if err := e.wait(ctx, max(0, e.options.Interval-e.now().Sub(began))); err != nil {
			return errors.Join(err, e.removeFile())
		}
	}
}

// update captures once and stores the report, or the failure, in the state.
func (e *Exporter) update(ctx context.Context) error {
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
	e.state.Report, e.reportedAt = report, ended // names the jobs that could not be read
	if e.state.Up {
		e.state.LastCapture, e.state.CaptureTime = ended, ended.Sub(began)
	}
	return unread
}

// exposition is the state to show now, without values that are too old.
func (e *Exporter) exposition(open bool) prom.Exposition {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.state
	s.OpenMetrics = open
	// A capture that takes longer than the interval makes the schedule as slow as itself.
	if e.now().Sub(e.reportedAt) > staleAfter*max(e.options.Interval, s.CaptureTime) {
		s.Report = nil
	}
	return s
}

func (e *Exporter) writeFile() error {
	if e.options.Textfile == "" {
		return nil
	}
	var b bytes.Buffer
	if err := prom.Metrics(&b, e.exposition(false)); err != nil {
		return err
	}
	return atomicfile.Write(e.options.Textfile, b.Bytes())
}

// removeFile keeps node exporter from showing values that are no longer renewed.
func (e *Exporter) removeFile() error {
	if e.options.Textfile == "" {
		return nil
	}
	if err := os.Remove(e.options.Textfile); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("old metrics cannot be removed: %w", err)
	}
	return nil
}
