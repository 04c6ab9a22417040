package cmd

import (
	"context"
	"fmt"
	"time"

	"tidemark/analyze"
	"tidemark/analyze/model"
	"tidemark/analyze/policy"
	"tidemark/analyze/series"
	"tidemark/flinkapi"
	"tidemark/flinkapi/prometheus"
	"tidemark/internal/units"
	"tidemark/request"
)

// usualStretch is how far back a policy looks for what is usual.
const usualStretch = 24 * time.Hour

// initFromPast drafts a policy whose limits come from how the jobs went.
func initFromPast(ctx context.Context, g *globals, s flinkapi.Reading, o pastOptions) error {
	if o.At != "" {
		return request.Wrong("at", "is an instant, and limits come from a stretch: give --since and --until")
	}
	if s.Once {
		return request.Wrong("once", "takes one sample, and limits come from many")
	}
	until := o.Until
	if o.Since == "" {
		o.Until = ""
	}
	r, client, err := o.open(ctx, g, s)
	if err != nil {
		return err
	}
	if o.Since == "" && until != "" {
		if r.At, err = o.moment(g, "until", until); err != nil {
			return err
		}
	}
	since := r.At.Add(-usualStretch)
	if o.Since != "" {
		if since, err = o.moment(g, "since", o.Since); err != nil {
			return err
		}
	}
	if !since.Before(r.At) {
		return request.Wrong("since", "is %q, which is not before --until", o.Since)
	}
	p := g.progress()
	defer p.done()
	r.Progress = p.show
	c, err := client.Capture(ctx, r)
	if err != nil {
		return err
	}
	usual := usuals{}
	walked, err := walk{client: client, add: usual.add, note: func(string, series.Event) {}}.over(ctx, r, since)
	if err != nil {
		return err
	}
	damage, err := usual.silences(ctx, client, r, walked, since)
	if err != nil {
		return err
	}
	g.damage = append(g.damage, damage...)
	p.done()
	var jobs []policy.Job
	for _, jc := range c.Jobs {
		j := policy.NewJob(model.BuildJob(c, jc))
		j.Usual = usual[jc.ID]
		jobs = append(jobs, j)
	}
	return draft(g, jobs, "the past of "+oneLine(client.URL())+" (Flink "+oneLine(c.FlinkVersion())+", "+units.Time(since.UnixMilli())+" to "+units.Time(r.At.UnixMilli())+")")
}

// usuals are how jobs go when nothing is wrong, by id.
type usuals map[string]*analyze.Usual

func (u usuals) add(c *flinkapi.Capture, r *analyze.Report) {
	for _, j := range r.Jobs {
		if u[j.ID] == nil {
			u[j.ID] = &analyze.Usual{}
		}
		u[j.ID].Add(j, c.ReadAt)
	}
}

// silences adds how long the splits of the jobs were silent, and says what may be missing.
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
			damage = append(damage, fmt.Errorf("silences of splits of %s may be missing, as Prometheus answered with a warning: %s", j.Name, w))
		}
		for _, s := range splits {
			u[j.ID].AddSilences(s.Split, s.Runs, s.EveryMs)
		}
	}
	return damage, nil
}
