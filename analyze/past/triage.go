package past

import (
	"context"
	"slices"
	"time"

	"tidemark/analyze"
	"tidemark/analyze/catalog"
	"tidemark/flinkapi"
	"tidemark/flinkapi/prometheus"
)

// Triage judges the jobs at the instant r.At and adds their timelines: since the given time, or, where that is the instant
// itself, since shortly before the oldest trouble began. Damage says what may be missing.
func Triage(ctx context.Context, client *prometheus.Client, r prometheus.Reading, since time.Time, options analyze.Options) (report *analyze.Report, damage []error, err error) {
	var went analyze.History
	usual := usuals{}
	w := Walk{client, options, func(c *flinkapi.Capture, r *analyze.Report) { went.Add(c, r); usual.add(c, r) }, went.Note}
	c, jobs, err := w.Capture(ctx, &r, since)
	if err != nil {
		return nil, nil, err
	}
	report = analyze.Triage(c, options)
	if since.Before(r.At) {
		report.Readings.SinceMs = since.UnixMilli()
		if damage, err = usual.silences(ctx, client, r, jobs, since); err != nil {
			return report, nil, err
		}
		for i := range report.Jobs {
			report.Jobs[i].Usual = usual[report.Jobs[i].ID].Report()
		}
	} else if troubled, since := trouble(report); len(troubled) > 0 && !r.Once {
		r.Jobs = troubled
		if _, err := w.over(ctx, r, since); err != nil {
			return report, nil, err
		}
	}
	went.Attach(report)
	return report, damage, nil
}

// Without a given time the timelines begin beforeTrouble before the oldest trouble, at most mostTrouble ago.
const (
	beforeTrouble = 5 * time.Minute
	mostTrouble   = 7 * 24 * time.Hour
)

// trouble lists the jobs that have a finding above info, or could not be judged, and a time before the oldest of these
// findings began.
func trouble(r *analyze.Report) (jobs []string, since time.Time) {
	longest := int64(0)
	for _, j := range r.Jobs {
		if j.Verdict == analyze.VerdictIncomplete && j.Samples > 1 { // a fault may have just begun
			jobs = append(jobs, j.ID)
		}
		for _, f := range j.Findings {
			if f.Severity != catalog.Info {
				if f.SinceMs != nil {
					longest = max(longest, *f.SinceMs)
				}
				if !slices.Contains(jobs, j.ID) {
					jobs = append(jobs, j.ID)
				}
			}
		}
	}
	back := min(time.Duration(longest)*time.Millisecond*11/10+beforeTrouble, mostTrouble)
	return jobs, time.UnixMilli(r.CapturedMs).Add(-back)
}
