// Package past reads how jobs went from what Prometheus kept of them, and judges it.
package past

import (
	"context"
	"time"

	"tidemark/analyze"
	"tidemark/analyze/series"
	"tidemark/flinkapi"
	"tidemark/flinkapi/prometheus"
)

// Walk goes through the past of jobs, and judges each of its captures once.
type Walk struct {
	Client  *prometheus.Client
	Options analyze.Options
	Add     func(*flinkapi.Capture, *analyze.Report)
	Note    func(job string, e series.Event)
}

// over walks over a stretch.
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

// Capture is the jobs at the instant, after a walk over the stretch before it, if there is one: its jobs are then
// those that are read.
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

// judgedOnce judges each capture of a walk once, though a walk may mark it before it is taken.
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
