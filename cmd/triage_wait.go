package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"tidemark/analyze"
	"tidemark/analyze/catalog"
	"tidemark/analyze/triage"
	"tidemark/flinkapi"
	"tidemark/internal/units"
	"tidemark/render/live"
	"tidemark/render/progress"
	"tidemark/render/safe"
	"tidemark/request"
)

// waitOptions say what a triage waits for after a deployment.
type waitOptions struct {
	For     string        `flag:"wait" words:",healthy" doc:"healthy: read again until every job runs and has no finding at or above --fail-on (then warning by default)"`
	Timeout time.Duration `flag:"wait-timeout" doc:"with --wait: give up after this long; --timeout limits a single request"`
}

// check refuses what cannot be waited for, and makes a warning fail unless something else was said.
func (o *waitOptions) check(r *triage.Request, past pastOptions) error {
	given := r.Source.Given
	if o.For == "" {
		if given["wait"] {
			return request.Wrong("wait", "is empty; it takes healthy")
		}
		return given.Unused("without --wait healthy nothing is waited for", "wait-timeout")
	}
	if err := request.CheckWords(o); err != nil {
		return err
	}
	switch {
	case o.Timeout <= 0:
		return request.Wrong("wait-timeout", "is %s; it takes a duration above zero", units.Said(o.Timeout))
	case len(r.Source.From) > 0:
		return request.Wrong("wait", "is not used: a recording does not go on")
	case past.asked(given):
		return request.Wrong("wait", "is not used: the past does not change")
	case r.Source.Once:
		return request.Wrong("wait", "and --once exclude each other: one sample is no all-clear")
	case r.Source.For != 0:
		return request.Wrong("wait", "and --for exclude each other: each reading compares two samples")
	case r.FailOn == "none":
		return request.Wrong("fail-on", "none would take every verdict for healthy; --wait needs info, warning or critical")
	}
	if !given["fail-on"] {
		r.FailOn = string(catalog.Warning)
	}
	return nil
}

// runWait reads until all is well or the time is up, and reports the last reading.
func runWait(ctx context.Context, g *globals, r triage.Request, o waitOptions, out output) error {
	sleep := g.Sleep
	if sleep == nil {
		sleep = flinkapi.Sleep
	}
	every := r.Source.Interval
	if every == 0 {
		every = live.Usual
	}
	reader := g
	if !g.IsTerminal(g.Err) { // a log gets a line a change, not the steps of every reading
		silent := *g
		silent.quiet = true
		reader = &silent
	}
	began, said := g.Now(), ""
	ends := began.Add(o.Timeout)
	for {
		due := g.Now().Add(every) // a reading that fails at once is not repeated at once
		reader.damage = nil
		res, err := reader.triage(ctx, r)
		if ctx.Err() != nil && err == nil {
			return g.report(r, res, out)
		}
		if ctx.Err() != nil || mistaken(err) {
			return err
		}
		lacks := lacking(res, err)
		if lacks == "" {
			return g.report(r, res, out)
		}
		if lacks != said && !g.quiet {
			g.notef("waiting for healthy: %s", lacks)
		}
		said = lacks
		if !g.Now().Before(ends) {
			return g.gaveUp(r, res, err, out, fmt.Sprintf("not healthy after %s (--wait-timeout %s)",
				units.Exact(g.Now().Sub(began).Round(time.Second).Milliseconds()), units.Exact(o.Timeout.Milliseconds())), lacks)
		}
		if due.After(ends) {
			due = ends // the last reading
		}
		if stop := sleep(ctx, due.Sub(g.Now())); stop != nil {
			if err == nil {
				return g.report(r, res, out)
			}
			return stop
		}
	}
}

// gaveUp reports the last reading when the time is up: its verdict is the exit code. Without one, or where the
// verdict alone would pass, nothing is clean.
func (g *globals) gaveUp(r triage.Request, res triage.Result, unread error, out output, said, lacks string) error {
	if unread != nil {
		return fmt.Errorf("%s: %s", said, lacks)
	}
	err := g.report(r, res, out)
	if err == nil {
		return fmt.Errorf("%s: %s", said, lacks)
	}
	g.notef("%s; the exit code is that of the last verdict", said)
	return err
}

// mistaken reports an error that waiting does not clear. A job that is not there may still come.
func mistaken(err error) bool {
	var mistake *request.Mistake
	return errors.As(err, &mistake)
}

// lacking is what keeps a reading from being healthy, "" where nothing does.
func lacking(res triage.Result, err error) string {
	if err != nil {
		return err.Error()
	}
	for _, j := range res.Report.Jobs {
		if j.State != "RUNNING" {
			return "job " + safe.Short(j.Label(), 60) + " is " + safe.Short(j.State, 20)
		}
	}
	switch err := res.Err(); {
	case errors.Is(err, triage.ErrFindings):
		return worst(res.Report)
	case err != nil:
		return err.Error()
	}
	return ""
}

// worst is the job with the worst verdict, in a line.
func worst(r *analyze.Report) string {
	job := slices.MaxFunc(r.Jobs, func(a, b analyze.JobReport) int {
		return cmp.Compare(catalog.Severity(a.Verdict).Rank(), catalog.Severity(b.Verdict).Rank())
	})
	return progress.Headline(job)
}
