package past

import (
	"time"

	"tidemark/flinkapi"
	"tidemark/internal/units"
	"tidemark/request"
)

// When says which past is read: an instant, or a stretch.
type When struct {
	At    string `flag:"at" doc:"judge the jobs as they were at this time: a time, a time of day such as 03:00, how long ago, such as -2h, or @SECONDS since 1970"`
	Since string `flag:"since" doc:"report what happened to the jobs since this time; formats as for --at"`
	Until string `flag:"until" doc:"end of the period (default: now)"`
}

// Stretch is the instant that was asked for, and since when before it; equal where no stretch was. Times are wall
// clock; the error is a *request.Mistake.
func (w When) Stretch(s flinkapi.Reading, now time.Time) (since, at time.Time, err error) {
	if err := s.Given.Unused("the past is read, whose samples are as far apart as Prometheus scrapes", "interval", "for"); err != nil {
		return since, at, err
	}
	at = now
	switch {
	case w.At != "" && (w.Since != "" || w.Until != ""):
		err = request.Wrong("at", "is an instant, and --since and --until are a stretch: give one of them")
	case w.Until != "" && w.Since == "":
		err = request.Wrong("until", "needs --since; an instant is --at")
	case w.Since != "" && s.Once:
		err = request.Wrong("once", "takes one sample, and --since a stretch of them")
	case w.At != "":
		at, err = moment("at", w.At, now)
	case w.Until != "":
		at, err = moment("until", w.Until, now)
	}
	if since = at; err == nil && w.Since != "" {
		since, err = w.since(at, now)
	}
	return since, at, err
}

// usualStretch is how far back a policy looks for what is usual.
const usualStretch = 24 * time.Hour

// Usual is the stretch whose readings are to give limits: a day, unless the beginning is given.
func (w When) Usual(s flinkapi.Reading, now time.Time) (since, at time.Time, err error) {
	switch {
	case w.At != "":
		return since, at, request.Wrong("at", "is an instant, and limits come from a stretch: give --since and --until")
	case s.Once:
		return since, at, request.Wrong("once", "takes one sample, and limits come from many")
	case w.Since != "" || w.Until == "":
		since, at, err = w.Stretch(s, now)
	default: // --until alone is the end of the day
		if since, at, err = (When{}).Stretch(s, now); err == nil {
			at, err = moment("until", w.Until, now)
		}
	}
	if w.Since == "" {
		since = at.Add(-usualStretch)
	}
	return since, at, err
}

func (w When) since(at, now time.Time) (time.Time, error) {
	since, err := moment("since", w.Since, now)
	if err == nil && !since.Before(at) {
		err = request.Wrong("since", "is %q, which is not before --until", w.Since)
	}
	return since, err
}

func moment(setting, text string, now time.Time) (time.Time, error) {
	at, err := units.ParsePast(text, now)
	if err != nil {
		return at, request.Wrong(setting, "is %q; %w", text, err)
	}
	return at, nil
}
