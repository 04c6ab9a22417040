// Package past reads the past of jobs from Prometheus and judges it.
package past

import (
	"context"
	"time"

	"tidemark/analyze"
	"tidemark/analyze/series"
	"tidemark/flinkapi"
	"tidemark/flinkapi/prometheus"
)

// Walk reads captures of the past of jobs in the order of time and judges each once. Add gets each capture with its
// report, Note the events that captures do not show.
type Walk struct {
	Client  *prometheus.Client
	Options analyze.Options
	Add     func(*flinkapi.Capture, *analyze.Report)
	Note    func(job string, e series.Event)
}

// over walks from since to the instant r.At.
func (w Walk) over(ctx context.Context, r prometheus.Reading, since time.Time) ([]prometheus.Submission, error) {
	mark, take := judgedOnce(w.Options)
	return w.Client.Walk(ctx, prometheus.Stretch{Reading: r, Since: since,
		Each: func(c *flinkapi.Capture) { w.Add(c, take(c)) },
		Mark: mark,
		Resubmitted: func(as string, before, after prometheus.Submission) {
			w.Note(as, series.Event{At: series.Interval{AfterMs: before.UntilMs, UntilMs: max(before.UntilMs, after.FromMs)}, Kind: series.Deployment,
				Text: "submitted again: job id " + before.ID + " -> " + after.ID})
		}})
}

// Capture is the jobs at the instant r.At. If since is earlier it walks up to the instant first, and r.Jobs becomes the
// jobs that were found.
func (w Walk) Capture(ctx context.Context, r *prometheus.Reading, since time.Time) (c *flinkapi.Capture, jobs []prometheus.Submission, err error) {
	if since.Before(r.At) {
		if jobs, err = w.over(ctx, *r, since); err != nil {
			return nil, nil, err
		}
		r.Back, r.Jobs = r.At.Sub(since), nil
		for _, j := range jobs {
			r.Jobs = append(r.Jobs, j.ID)
		}
	}
	c, err = w.Client.Capture(ctx, *r)
	return c, jobs, err
}

// judgedOnce judges each capture of a walk once: a walk may mark a capture before it takes it.
func judgedOnce(options analyze.Options) (mark func(*flinkapi.Capture) string, take func(*flinkapi.Capture) *analyze.Report) {
	marked := map[*flinkapi.Capture]*analyze.Report{}
	mark = func(c *flinkapi.Capture) string {
		marked[c] = analyze.Triage(c, options)
		return analyze.Mark(marked[c])
	}
	take = func(c *flinkapi.Capture) *analyze.Report {
		report := marked[c]
		if delete(marked, c); report == nil {
			report = analyze.Triage(c, options)
		}
		return report
	}
	return mark, take
}
