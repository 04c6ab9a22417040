package triage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tidemark/analyze/catalog"
	"tidemark/flinkapi"
	"tidemark/internal/units"
	"tidemark/request"
)

// Wait says what a triage waits for after a deployment.
type Wait struct {
	For     string        `flag:"wait" words:",healthy" doc:"healthy: read again until every job runs and has no finding at or above --fail-on (then warning by default)"`
	Timeout time.Duration `flag:"wait-timeout" doc:"with --wait: give up after this long; --timeout limits a single request"`
}

// Check refuses what cannot be waited for, and makes a warning fail unless something else was said.
func (w *Wait) Check(r *Request) error {
	given := r.Source.Given
	if w.For == "" {
		if given["wait"] {
			return request.Wrong("wait", "is empty; it takes healthy")
		}
		return given.Unused("without --wait healthy nothing is waited for", "wait-timeout")
	}
	if err := request.CheckWords(w); err != nil {
		return err
	}
	switch {
	case w.Timeout <= 0:
		return request.Wrong("wait-timeout", "is %s; it takes a duration above zero", units.Said(w.Timeout))
	case len(r.Source.From) > 0:
		return request.Wrong("wait", "is not used: a recording does not continue")
	case r.Judge != nil:
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

// TimeUp is the end of a wait for what did not come.
type TimeUp struct{ Said, Lacks string }

func (u *TimeUp) Error() string { return u.Said + ": " + u.Lacks }

// Polling is how a wait reads.
type Polling struct {
	Every time.Duration // from the beginning of a reading to the next, also of one that fails at once
	Now   func() time.Time
	Sleep func(ctx context.Context, d time.Duration) error // nil = flinkapi.Sleep
	Read  func(context.Context) (Result, error)
	Lacks func(Result, error) string // what keeps a reading from being healthy, "" where nothing does
	Note  func(lacks string)         // takes what a reading lacks, where that is something else than before
}

// Until reads until nothing is lacking, and gives the last reading: up is set where the time was over before. The error
// is that of a mistake, of an interrupt, or a TimeUp where the last reading failed.
func (w Wait) Until(ctx context.Context, p Polling) (res Result, up *TimeUp, err error) {
	if p.Sleep == nil {
		p.Sleep = flinkapi.Sleep
	}
	began, said := p.Now(), ""
	ends := began.Add(w.Timeout)
	for {
		due := p.Now().Add(p.Every)
		res, err = p.Read(ctx)
		// A job that is not there may still come; waiting does not clear a mistake.
		if ctx.Err() != nil || errors.As(err, new(*request.Mistake)) {
			return res, nil, err
		}
		lacks := p.Lacks(res, err)
		if lacks == "" {
			return res, nil, nil
		}
		if lacks != said {
			p.Note(lacks)
		}
		said = lacks
		if !p.Now().Before(ends) {
			up = &TimeUp{fmt.Sprintf("not healthy after %s (--wait-timeout %s)", units.Exact(p.Now().Sub(began).Round(time.Second).Milliseconds()), units.Exact(w.Timeout.Milliseconds())), lacks}
			if err != nil {
				return res, nil, up
			}
			return res, up, nil
		}
		if due.After(ends) {
			due = ends // the last reading
		}
		if stop := p.Sleep(ctx, due.Sub(p.Now())); stop != nil {
			if err != nil {
				err = stop
			}
			return res, nil, err
		}
	}
}
