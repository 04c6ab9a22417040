package cmd

import (
	"context"
	"slices"
	"time"

	"tidemark/analyze"
	"tidemark/analyze/model"
	"tidemark/analyze/past"
	"tidemark/analyze/policy"
	"tidemark/analyze/policy/gate"
	"tidemark/contexts"
	"tidemark/flinkapi"
	"tidemark/flinkapi/prometheus"
	"tidemark/internal/units"
	"tidemark/request"
)

// pastOptions say which Prometheus holds the past of a cluster, and when to look.
type pastOptions struct {
	Prometheus contexts.PrometheusFlags
	When       past.When
}

// pastSettings are of use with Prometheus alone.
var pastSettings = []string{"at", "since", "until", "match", "prometheus-header", "prometheus-token-file"}

func (o pastOptions) asked(given request.Given) bool {
	return o.Prometheus.URL != "" || slices.ContainsFunc(pastSettings, func(s string) bool { return given[s] })
}

// judge judges the jobs as they were: over the stretch that was asked for, or at the instant.
func (o pastOptions) judge(g *globals) func(context.Context, flinkapi.Reading, analyze.Options) (*analyze.Report, error) {
	return func(ctx context.Context, s flinkapi.Reading, options analyze.Options) (report *analyze.Report, err error) {
		err = o.read(ctx, g, s, o.When.Stretch, func(r prometheus.Reading, client *prometheus.Client, since time.Time) error {
			var damage []error
			report, damage, err = past.Triage(ctx, client, r, since, options)
			g.damage = append(g.damage, damage...)
			return err
		})
		return report, err
	}
}

// gate reads the jobs as they were for a policy, with how they went where a stretch was asked for.
func (o pastOptions) gate(g *globals) gate.Reader {
	return func(ctx context.Context, s flinkapi.Reading, watch *gate.Watch) (flinkapi.Captured, error) {
		var out flinkapi.Captured
		err := o.read(ctx, g, s, o.When.Stretch, func(r prometheus.Reading, client *prometheus.Client, since time.Time) error {
			c, _, err := past.Walk{Client: client, Add: watch.Add, Note: watch.Note}.Capture(ctx, &r, since)
			out.Captures = []*flinkapi.Capture{c}
			return err
		})
		return out, err
	}
}

// draft drafts a policy whose limits come from how the jobs went.
func (o pastOptions) draft(ctx context.Context, g *globals, s flinkapi.Reading) error {
	var jobs []policy.Job
	from := ""
	err := o.read(ctx, g, s, o.When.Usual, func(r prometheus.Reading, client *prometheus.Client, since time.Time) error {
		c, usual, damage, err := past.Usual(ctx, client, r, since)
		if err != nil {
			return err
		}
		g.damage = append(g.damage, damage...)
		for _, jc := range c.Jobs {
			j := policy.NewJob(model.BuildJob(c, jc))
			j.Usual = usual[jc.ID]
			jobs = append(jobs, j)
		}
		from = "the past of " + oneLine(client.URL()) + " (Flink " + oneLine(c.FlinkVersion()) + ", " + units.Time(since.UnixMilli()) + " to " + units.Time(r.At.UnixMilli()) + ")"
		return nil
	})
	if err != nil {
		return err
	}
	return draft(g, jobs, from)
}

// read reads what was asked for; since equal to the instant is no stretch.
func (o pastOptions) read(ctx context.Context, g *globals, s flinkapi.Reading, stretch func(flinkapi.Reading, time.Time) (since, at time.Time, err error),
	read func(r prometheus.Reading, client *prometheus.Client, since time.Time) error) error {
	since, at, err := stretch(s, g.Now())
	if err != nil {
		return err
	}
	s.Connect, s.In = g.client, g.In
	client, graph, err := g.reach().Past(ctx, o.Prometheus, s, g.log())
	if err != nil {
		return err
	}
	p := g.progress()
	defer p.Done()
	err = read(prometheus.Reading{Jobs: s.Jobs, Once: s.Once, At: at, Graph: graph, Progress: p.Show}, client, since)
	p.Done()
	g.detailf("Prometheus was asked %d times and sent %s bytes", client.Queries(), units.Count(client.Bytes()))
	return err
}
