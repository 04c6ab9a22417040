package cmd

import (
	"context"
	"time"

	"tidemark/analyze/model"
	"tidemark/analyze/past"
	"tidemark/analyze/policy"
	"tidemark/flinkapi"
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
	defer p.Done()
	r.Progress = p.Show
	c, usual, damage, err := past.Usual(ctx, client, r, since)
	if err != nil {
		return err
	}
	g.damage = append(g.damage, damage...)
	p.Done()
	var jobs []policy.Job
	for _, jc := range c.Jobs {
		j := policy.NewJob(model.BuildJob(c, jc))
		j.Usual = usual[jc.ID]
		jobs = append(jobs, j)
	}
	return draft(g, jobs, "the past of "+oneLine(client.URL())+" (Flink "+oneLine(c.FlinkVersion())+", "+units.Time(since.UnixMilli())+" to "+units.Time(r.At.UnixMilli())+")")
}
