package gate

import (
	"context"

	"tidemark/analyze"
	"tidemark/analyze/drill"
	"tidemark/analyze/policy"
	"tidemark/analyze/series"
	"tidemark/flinkapi"
)

// Watch collects how jobs went while they were read: for a timeline, and for what a replay is compared with.
type Watch struct {
	went   analyze.History
	drills drill.Watch
	n      int
}

// Add takes the next reading, and what was judged of it.
func (w *Watch) Add(c *flinkapi.Capture, r *analyze.Report) {
	w.n++
	w.went.Add(c, r)
	w.drills.Add(c)
}

// Note takes what no reading tells.
func (w *Watch) Note(job string, e series.Event) { w.went.Note(job, e) }

// attach gives a job what was seen of it; two samples are no history.
func (w *Watch) attach(j *policy.Job) {
	id := j.Report.ID
	if t := w.went.Timeline(id); w.n > 2 && t != nil && t.UntilMs > t.FromMs {
		result := w.drills.Of(id).Result()
		j.Report.Timeline, j.Drill = t, &result
	}
}

// readCaptures reads the jobs, and watches them where they are read for longer.
func (r *run) readCaptures(ctx context.Context, w *Watch) (flinkapi.Captured, error) {
	if r.Read != nil {
		return r.Read(ctx, r.Job, w)
	}
	if r.Job.For > 0 || len(r.Job.From) > 0 {
		r.Job.Sampled = func(c *flinkapi.Capture) { w.Add(c, analyze.Triage(c, analyze.Options{})) }
	}
	return r.Job.Read(ctx)
}
