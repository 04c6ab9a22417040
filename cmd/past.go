package cmd

import (
	"context"
	"errors"
	"io/fs"

	"tidemark/contexts"
	"tidemark/flinkapi"
	"tidemark/flinkapi/prometheus"
	"tidemark/internal/units"
	"tidemark/request"
)

// pastOptions say which Prometheus holds the past of a cluster, and when to look.
type pastOptions struct {
	Prometheus contexts.PrometheusFlags
	At         string   `flag:"at" doc:"judge the jobs as they were then: a time, a time of day such as 03:00, or how long ago, such as -2h"`
	Match      []string `flag:"match" doc:"label matcher that picks the cluster's series, such as namespace=\"prod\"; may repeat"`
}

// pastSettings are of use with Prometheus alone.
var pastSettings = []string{"at", "match", "prometheus-header", "prometheus-token-file"}

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

// reader reads the past instead of a cluster.
func (o pastOptions) reader(g *globals) func(context.Context, flinkapi.Reading) (flinkapi.Captured, error) {
	return func(ctx context.Context, s flinkapi.Reading) (flinkapi.Captured, error) {
		r, client, err := o.open(ctx, g, s)
		if err != nil {
			return flinkapi.Captured{}, err
		}
		p := g.progress()
		r.Progress = p.show
		c, err := client.Capture(ctx, r)
		p.done()
		g.detailf("Prometheus was asked %d times and sent %s bytes", client.Queries(), units.Count(client.Bytes()))
		if err != nil {
			return flinkapi.Captured{}, err
		}
		return flinkapi.Captured{Captures: []*flinkapi.Capture{c}}, nil
	}
}

// open checks what was asked for and connects to nothing yet.
func (o pastOptions) open(ctx context.Context, g *globals, s flinkapi.Reading) (r prometheus.Reading, c *prometheus.Client, err error) {
	if err := s.Given.Unused("the past is read, whose samples are as far apart as Prometheus scrapes", "interval", "for"); err != nil {
		return r, nil, err
	}
	r = prometheus.Reading{Jobs: s.Jobs, Once: s.Once, At: g.Now()}
	if o.At != "" {
		if r.At, err = units.ParsePast(o.At, g.Now()); err != nil {
			return r, nil, request.Wrong("at", "is %q; %w", o.At, err)
		}
	}
	if c, err = o.client(ctx, g); err != nil {
		return r, nil, err
	}
	r.Graph, err = o.graph(ctx, g, s)
	return r, c, err
}

func (o pastOptions) client(ctx context.Context, g *globals) (*prometheus.Client, error) {
	con, err := g.reach().Prometheus(ctx, o.Prometheus)
	if err != nil {
		return nil, err
	}
	if g.verbose {
		con.Log = func(line string) { g.notef("%s", line) }
	}
	c, err := prometheus.New(prometheus.Options{Connection: con, Match: o.Match})
	return c, request.Bad(err)
}

// graph is what gives the edges of a job: a recording, else the cluster where one is named.
func (o pastOptions) graph(ctx context.Context, g *globals, s flinkapi.Reading) (prometheus.Graph, error) {
	if len(s.From) > 1 {
		return nil, request.Wrong("from", "can be given once with --prometheus: it gives the graph")
	}
	if len(s.From) == 1 {
		if err := s.Given.Unused("the recording gives the graph", "flink"); err != nil {
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
		return nil, nil
	}
	client, err := g.client(ctx)
	if err != nil {
		return nil, err
	}
	return prometheus.RestGraph{Client: client}, nil
}
