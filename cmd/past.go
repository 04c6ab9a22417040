package cmd

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"time"

	"tidemark/analyze"
	"tidemark/analyze/catalog"
	"tidemark/analyze/policy/gate"
	"tidemark/analyze/series"
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

// triage judges the jobs as they were, and tells how they went: over the stretch that was asked for, else
// since before the oldest trouble began.
func (o pastOptions) triage(ctx context.Context, g *globals, s flinkapi.Reading, options analyze.Options) (*analyze.Report, error) {
	var went analyze.History
	var report *analyze.Report
	err := o.read(ctx, g, s, func(r prometheus.Reading, client *prometheus.Client, since time.Time) error {
		usual := usuals{}
		w := walk{client, options, func(c *flinkapi.Capture, r *analyze.Report) { went.Add(c, r); usual.add(c, r) }, went.Note}
		c, jobs, err := w.capture(ctx, &r, since)
		if err != nil {
			return err
		}
		report = analyze.Triage(c, options)
		if since.Before(r.At) {
			report.Readings.SinceMs = since.UnixMilli()
			damage, err := usual.silences(ctx, client, r, jobs, since)
			if err != nil {
				return err
			}
			g.damage = append(g.damage, damage...)
			for i := range report.Jobs {
				report.Jobs[i].Usual = usual[report.Jobs[i].ID].Report()
			}
		} else if troubled, since := trouble(report); len(troubled) > 0 && !r.Once {
			r.Jobs = troubled
			if _, err := w.over(ctx, r, since); err != nil {
				return err
			}
		}
		went.Attach(report)
		return nil
	})
	return report, err
}

// gate reads the jobs as they were for a policy, with how they went where a stretch was asked for.
func (o pastOptions) gate(g *globals) gate.Reader {
	return func(ctx context.Context, s flinkapi.Reading, watch *gate.Watch) (flinkapi.Captured, error) {
		var out flinkapi.Captured
		err := o.read(ctx, g, s, func(r prometheus.Reading, client *prometheus.Client, since time.Time) error {
			c, _, err := walk{client, analyze.Options{}, watch.Add, watch.Note}.capture(ctx, &r, since)
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
	defer p.done()
	r.Progress = p.show
	err = read(r, client, since)
	p.done()
	g.detailf("Prometheus was asked %d times and sent %s bytes", client.Queries(), units.Count(client.Bytes()))
	return err
}

// walk goes through the past of jobs, and judges each of its captures once.
type walk struct {
	client  *prometheus.Client
	options analyze.Options
	add     func(*flinkapi.Capture, *analyze.Report)
	note    func(job string, e series.Event)
}

// over walks over a stretch.
func (w walk) over(ctx context.Context, r prometheus.Reading, since time.Time) ([]prometheus.Submission, error) {
	mark, take := judgedOnce(w.options)
	return w.client.Walk(ctx, prometheus.Stretch{Reading: r, Since: since,
		Each: func(c *flinkapi.Capture) { w.add(c, take(c)) },
		Mark: mark,
		Resubmitted: func(as string, before, after prometheus.Submission) {
			w.note(as, series.Event{At: series.Interval{AfterMs: before.UntilMs, UntilMs: max(before.UntilMs, after.FromMs)}, Kind: series.Deployment,
				Text: "submitted again: job id " + before.ID + " -> " + after.ID})
		}})
}

// capture is the jobs at the instant, after a walk over the stretch before it, if there is one: its jobs are then
// those that are read.
func (w walk) capture(ctx context.Context, r *prometheus.Reading, since time.Time) (c *flinkapi.Capture, jobs []prometheus.Submission, err error) {
	if since.Before(r.At) {
		if jobs, err = w.over(ctx, *r, since); err != nil {
			return nil, nil, err
		}
		r.Back, r.Jobs = r.At.Sub(since), nil
		for _, j := range jobs {
			r.Jobs = append(r.Jobs, j.ID)
		}
	}
	c, err = w.client.Capture(ctx, *r)
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

const (
	beforeTrouble = 5 * time.Minute
	mostTrouble   = 7 * 24 * time.Hour
)

// trouble are the jobs with a finding that is no mere information, or that could not be judged, and a moment
// before the oldest began.
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
