package past

import (
	"context"
	"fmt"
	"time"

	"tidemark/analyze"
	"tidemark/analyze/series"
	"tidemark/flinkapi"
	"tidemark/flinkapi/prometheus"
)

// Usual is the jobs at the instant r.At, and by job id what was normal for them since the given time. Damage says what may
// be missing.
func Usual(ctx context.Context, client *prometheus.Client, r prometheus.Reading, since time.Time) (c *flinkapi.Capture, usual map[string]*analyze.Usual, damage []error, err error) {
	if c, err = client.Capture(ctx, r); err != nil {
		return nil, nil, nil, err
	}
	all := usuals{}
	walked, err := Walk{Client: client, Add: all.add, Note: func(string, series.Event) {}}.over(ctx, r, since)
	if err != nil {
		return nil, nil, nil, err
	}
	damage, err = all.silences(ctx, client, r, walked, since)
	return c, all, damage, err
}

// usuals is what is normal for each job, by id.
type usuals map[string]*analyze.Usual

func (u usuals) add(c *flinkapi.Capture, r *analyze.Report) {
	for _, j := range r.Jobs {
		if u[j.ID] == nil {
			u[j.ID] = &analyze.Usual{}
		}
		u[j.ID].Add(j, c.ReadAt)
	}
}

// silences adds how long the splits of the jobs were silent; damage says what may be missing.
func (u usuals) silences(ctx context.Context, client *prometheus.Client, r prometheus.Reading, jobs []prometheus.Submission, since time.Time) (damage []error, err error) {
	for _, j := range jobs {
		if u[j.ID] == nil {
			continue
		}
		splits, warnings, err := client.SplitMoves(ctx, r, j.ID, since)
		if err != nil {
			return nil, err
		}
		for _, w := range warnings {
			damage = append(damage, fmt.Errorf("silences of splits of %s may be missing: Prometheus warned: %s", j.Name, w))
		}
		for _, s := range splits {
			u[j.ID].AddSilences(s.Split, s.Runs, s.EveryMs)
		}
	}
	return damage, nil
}
