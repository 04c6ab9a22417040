package cmd

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"time"

	"tidemark/analyze"
	"tidemark/analyze/past"
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
	At         string `flag:"at" doc:"judge the jobs as they were at this time: a time, a time of day such as 03:00, how long ago, such as -2h, or @SECONDS since 1970"`
	Since      string `flag:"since" doc:"report what happened to the jobs since this time; formats as for --at"`
	Until      string `flag:"until" doc:"end of the period (default: now)"`
}

// pastSettings are of use with Prometheus alone.
var pastSettings = []string{"at", "since", "until", "match", "prometheus-header", "prometheus-token-file"}

func (o pastOptions) asked(given request.Given) bool {
	if o.Prometheus.URL != "" {
		return true
	}
	for _, s := range pastSettings {
		if given[s] {
			return true
		}
	}
	return false
}

// judge judges the past instead of what a cluster shows now.
func (o pastOptions) judge(g *globals) func(context.Context, flinkapi.Reading, analyze.Options) (*analyze.Report, error) {
	return func(ctx context.Context, s flinkapi.Reading, options analyze.Options) (*analyze.Report, error) {
		return o.triage(ctx, g, s, options)
	}
}

// triage judges the jobs as they were: over the stretch that was asked for, or at the instant.
func (o pastOptions) triage(ctx context.Context, g *globals, s flinkapi.Reading, options analyze.Options) (report *analyze.Report, err error) {
	err = o.read(ctx, g, s, func(r prometheus.Reading, client *prometheus.Client, since time.Time) error {
		var damage []error
		report, damage, err = past.Triage(ctx, client, r, since, options)
		g.damage = append(g.damage, damage...)
		return err
	})
	return report, err
}

// gate reads the jobs as they were for a policy, with how they went where a stretch was asked for.
func (o pastOptions) gate(g *globals) gate.Reader {
	return func(ctx context.Context, s flinkapi.Reading, watch *gate.Watch) (flinkapi.Captured, error) {
		var out flinkapi.Captured
		err := o.read(ctx, g, s, func(r prometheus.Reading, client *prometheus.Client, since time.Time) error {
			c, _, err := past.Walk{Client: client, Add: watch.Add, Note: watch.Note}.Capture(ctx, &r, since)
			out.Captures = []*flinkapi.Capture{c}
			return err
		})
		return out, err
	}
}

// read reads what was asked for; since equal to the instant is no stretch.
func (o pastOptions) read(ctx context.Context, g *globals, s flinkapi.Reading, read func(prometheus.Reading, *prometheus.Client, time.Time) error) error {
	r, client, err := o.open(ctx, g, s)
	if err != nil {
		return err
	}
	since := r.At
	if o.Since != "" {
		if since, err = o.moment(g, "since", o.Since); err != nil {
			return err
		}
		if !since.Before(r.At) {
			return request.Wrong("since", "is %q, which is not before --until", o.Since)
		}
	}
	p := g.progress()
	defer p.Done()
	r.Progress = p.Show
	err = read(r, client, since)
	p.Done()
	g.detailf("Prometheus was asked %d times and sent %s bytes", client.Queries(), units.Count(client.Bytes()))
	return err
}

// open checks what was asked for and connects to nothing yet.
func (o pastOptions) open(ctx context.Context, g *globals, s flinkapi.Reading) (r prometheus.Reading, c *prometheus.Client, err error) {
	if err := s.Given.Unused("the past is read, whose samples are as far apart as Prometheus scrapes", "interval", "for"); err != nil {
		return r, nil, err
	}
	r = prometheus.Reading{Jobs: s.Jobs, Once: s.Once, At: g.Now()}
	switch {
	case o.At != "" && (o.Since != "" || o.Until != ""):
		return r, nil, request.Wrong("at", "is an instant, and --since and --until are a stretch: give one of them")
	case o.Until != "" && o.Since == "":
		return r, nil, request.Wrong("until", "needs --since; an instant is --at")
	case o.Since != "" && s.Once:
		return r, nil, request.Wrong("once", "takes one sample, and --since a stretch of them")
	case o.At != "":
		r.At, err = o.moment(g, "at", o.At)
	case o.Until != "":
		r.At, err = o.moment(g, "until", o.Until)
	}
	if err != nil {
		return r, nil, err
	}
	if c, err = o.client(ctx, g); err != nil {
		return r, nil, err
	}
	graph, err := o.graph(ctx, g, s)
	r.Graph = prometheus.AskedOnce(graph)
	return r, c, err
}

func (o pastOptions) moment(g *globals, setting, text string) (time.Time, error) {
	at, err := units.ParsePast(text, g.Now())
	if err != nil {
		return at, request.Wrong(setting, "is %q; %w", text, err)
	}
	return at, nil
}

func (o pastOptions) client(ctx context.Context, g *globals) (*prometheus.Client, error) {
	con, match, err := g.reach().Prometheus(ctx, o.Prometheus)
	if err != nil {
		return nil, err
	}
	if g.verbose {
		con.Log = func(line string) { g.notef("%s", line) }
	}
	c, err := prometheus.New(prometheus.Options{Connection: con, Match: match})
	return c, request.Bad(err)
}

// ofCluster are the settings of the cluster that gives the graph; a context may say how Prometheus is reached as well.
var ofCluster = slices.DeleteFunc(slices.Clone(flinkapi.ClusterSettings), func(s string) bool { return s == "context" })

// graph is what gives the edges of a job: a recording, else the cluster where one is named.
func (o pastOptions) graph(ctx context.Context, g *globals, s flinkapi.Reading) (prometheus.Graph, error) {
	if len(s.From) > 1 {
		return nil, request.Wrong("from", "can be given once with --prometheus: it gives the graph")
	}
	if len(s.From) == 1 {
		if err := s.Given.Unused("the recording gives the graph, and no cluster is read", ofCluster...); err != nil {
			return nil, err
		}
		rec, err := flinkapi.OpenRecording(s.From[0], g.In)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, request.Bad(err)
		}
		if err != nil {
			return nil, err
		}
		return prometheus.RecordedGraph{Recording: rec}, nil
	}
	def, err := g.reach().Chosen()
	if err != nil {
		return nil, err
	}
	if g.reach().Address()+def.Flink == "" {
		return nil, s.Given.Unused("Prometheus alone is read: name the cluster that gives the graph with --flink", ofCluster...)
	}
	client, err := g.client(ctx)
	if err != nil {
		return nil, err
	}
	return prometheus.RestGraph{Client: client}, nil
}
