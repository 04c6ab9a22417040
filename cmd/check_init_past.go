package cmd

import (
	"context"
	"fmt"
	"time"

	"tidemark/analyze"
	"tidemark/analyze/model"
	"tidemark/analyze/policy"
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
	usual, err := usualOf(ctx, g, client, r, since)
	if err != nil {
		return err
	}
	p.done()
	var jobs []policy.Job
	for _, jc := range c.Jobs {
		j := policy.NewJob(model.BuildJob(c, jc))
		j.Usual = usual[jc.ID]
		jobs = append(jobs, j)
	}
	return draft(g, jobs, "the past of "+oneLine(client.URL())+" (Flink "+oneLine(c.FlinkVersion())+", "+units.Time(since.UnixMilli())+" to "+units.Time(r.At.UnixMilli())+")")
}

// usualOf is how each job went, by its id.
func usualOf(ctx context.Context, g *globals, client *prometheus.Client, r prometheus.Reading, since time.Time) (map[string]*analyze.Usual, error) {
	usual := map[string]*analyze.Usual{}
	mark, take := judgedOnce(analyze.Options{})
	jobs, err := client.Walk(ctx, prometheus.Stretch{Reading: r, Since: since,
		Each: func(c *flinkapi.Capture) {
			for _, j := range take(c).Jobs {
				if usual[j.ID] == nil {
					usual[j.ID] = &analyze.Usual{}
				}
				usual[j.ID].Add(j, c.ReadAt)
			}
		},
		Mark:        mark,
		Resubmitted: func(string, prometheus.Submission, prometheus.Submission) {},
	})
	if err != nil {
		return nil, err
	}
	for _, j := range jobs {
		splits, warnings, err := client.SplitMoves(ctx, r, j.ID, since)
		if err != nil {
			return nil, err
		}
		for _, w := range warnings {
			g.damage = append(g.damage, fmt.Errorf("silences of splits of %s may be missing, as Prometheus answered with a warning: %s", j.Name, w))
		}
		for _, s := range splits {
			if u := usual[j.ID]; u != nil {
				u.AddSilences(s.Split, s.AtMs, s.EveryMs)
			}
		}
	}
	return usual, nil
}
