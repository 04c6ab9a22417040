package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"tidemark/analyze"
	"tidemark/analyze/crosscheck"
	"tidemark/analyze/model"
	"tidemark/engine"
	"tidemark/flinkapi"
	"tidemark/internal/redact"
	"tidemark/internal/units"
	"tidemark/render"
)

type crosscheckOptions struct {
	source   sourceOptions
	kafka    kafkaOptions
	time     eventTime
	base     strategySpec
	file     string
	declared bool // --delay was given
	dialect  bool // --dialect was given
	emission bool // --emit-interval was given
	emit     bool // --emit was given
	samples  int
	output   output
	failOn   string
}

func newCrosscheck(g *globals) *cobra.Command {
	var o crosscheckOptions
	c := &cobra.Command{
		Use:   "crosscheck JOB",
		Short: "does the cluster do with the records what its strategy says",
		Long: `Read a live job and the Kafka topics it consumes, up to each reader's currentOffset, and compare what
every split, subtask and downstream vertex shows with what the reference engine has after the same
records. The strategy is that of the plan (SQL), of the flags, or of a strategy file whose entries are
named like the sources; the delay in force is inferred from the records in any case.

Which field is the event time is said as in simulate: --field, --format, --unit, --zone, and for Avro and
Protobuf --schema-registry or --schema.
With --from and --records nothing live is needed.`,
		Example: `  tidemark crosscheck orders --brokers localhost:9092 --field ts
  tidemark crosscheck orders --kafka-config client.properties --field ts --delay 5s
  tidemark crosscheck orders --from incident.jsonl.gz --records orders.jsonl.gz --field 2`,
		Args:              args(cobra.ExactArgs(1)),
		ValidArgsFunction: g.completeJobs,
		RunE: func(c *cobra.Command, args []string) error {
			o.source.jobs = args
			f := c.Flags()
			o.declared, o.dialect, o.emission, o.emit = f.Changed("delay") || f.Changed("kind"), f.Changed("dialect"), f.Changed("emit-interval"), f.Changed("emit")
			return runCrosscheck(c.Context(), g, o)
		},
	}
	o.source.addFlags(c)
	o.kafka.addFlags(c)
	o.time.addFlags(c)
	o.base.addFlags(c, "emit-interval")
	f := c.Flags()
	f.StringVar(&o.file, "strategies", "", "YAML file of declared strategies, named like the sources")
	f.IntVar(&o.samples, "samples", 2, "how many samples to take of the job")
	f.StringVar(&o.failOn, "fail-on", "warning", "exit with 1 at this severity: none, info, warning or critical")
	fixed(c, "fail-on", "none", "info", "warning", "critical")
	o.output.addFlags(c)
	return c
}

func (o crosscheckOptions) check() error {
	if o.samples < 1 || o.samples > 100 {
		return usagef("--samples is %d; it takes 1 to 100", o.samples)
	}
	return oneOf("--fail-on", o.failOn, "none", "info", "warning", "critical")
}

func runCrosscheck(ctx context.Context, g *globals, o crosscheckOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	if err := o.base.check(); err != nil {
		return err
	}
	var promised []strategySpec
	if o.file != "" {
		var err error
		if promised, err = strategiesOf(o.base, nil, o.file); err != nil {
			return err
		}
	}
	if err := o.time.fromContext(g, len(o.kafka.brokers) > 0 || o.kafka.properties != ""); err != nil {
		return usageError{err}
	}
	if err := o.time.prepare(ctx, g.env, o.kafka.columns()); err != nil {
		return err
	}
	capture, jobs, err := o.watch(ctx, g)
	if err != nil {
		return err
	}
	x := &crosscheck.Crosscheck{Jobs: jobs, Version: engine.Latest}
	if v, err := engine.ParseVersion(capture.FlinkVersion()); err == nil {
		x.Version = v
	}
	sources := crosscheck.CrosscheckSources(jobs)
	data, err := o.kafka.read(ctx, g, sources, &o.time)
	if err != nil {
		return err
	}
	for i, src := range sources {
		x.Sources = append(x.Sources, o.sourceOf(src, data[i], jobs[len(jobs)-1], promised, len(sources)))
	}
	report := x.Run()
	d := render.CrosscheckOf(x, report, tool(), capture)
	redact.All(&d)
	if err := o.output.write(g, render.Crosscheck(d)); err != nil {
		return err
	}
	return judge(&analyze.Report{Jobs: []analyze.JobReport{report}}, o.failOn, g.damage)
}

// watch takes the samples and makes a model of each consecutive pair.
func (o crosscheckOptions) watch(ctx context.Context, g *globals) (*flinkapi.Capture, []*model.Job, error) {
	if o.samples == 1 {
		o.source.once = true
	}
	var all *flinkapi.Capture
	for all == nil || len(all.Jobs[0].Samples) < o.samples && len(o.source.from) == 0 {
		captures, err := g.capture(ctx, o.source)
		if err != nil {
			return nil, nil, err
		}
		if len(captures) != 1 || len(captures[0].Jobs) != 1 {
			return nil, nil, usagef("crosscheck looks at one job; %q names more", o.source.jobs[0])
		}
		if all == nil {
			all = captures[0]
			continue
		}
		all.Jobs[0].Samples = append(all.Jobs[0].Samples, captures[0].Jobs[0].Samples...)
		all.ReadAt = captures[0].ReadAt
	}
	jc := all.Jobs[0]
	samples := jc.Samples
	if len(samples) < 2 {
		return all, []*model.Job{model.BuildJob(all, jc)}, nil
	}
	var jobs []*model.Job
	for i := 1; i < len(samples); i++ {
		jc.Samples = samples[i-1 : i+1]
		jobs = append(jobs, model.BuildJob(all, jc))
	}
	return all, jobs, nil
}

// sourceOf joins a source with its records and what is declared for it.
func (o crosscheckOptions) sourceOf(src crosscheck.CrosscheckSource, d topicData, j *model.Job, promised []strategySpec, sources int) *crosscheck.CrossSource {
	s := &crosscheck.CrossSource{Vertex: src.Vertex, Data: d.partitions, Missing: d.missing, Declared: src.Plan, SQL: src.SQL, OnEvent: src.Event}
	s.IntervalMs, s.IntervalBy = 200, "Flink's default"
	if d, err := units.ParseFlinkDuration(j.Config["pipeline.auto-watermark-interval"]); err == nil {
		s.IntervalMs, s.IntervalBy = d.Milliseconds(), "cluster configuration"
	}
	if o.emission {
		s.IntervalMs, s.IntervalBy = o.base.interval.Milliseconds(), "--emit-interval"
	}
	take := func(spec strategySpec, origin string) {
		s.Declared = &crosscheck.Promise{DelayMs: spec.delay.Milliseconds(), IdleMs: spec.idle.Milliseconds(), Origin: origin}
	}
	if o.declared {
		take(o.base, "--delay")
	}
	if o.dialect {
		s.SQL = o.base.sql()
	}
	if o.emit {
		s.OnEvent = o.base.emit == "on-event"
	}
	for _, p := range promised {
		if p.name == src.Name || len(promised) == 1 && sources == 1 {
			take(p, o.file)
			s.SQL, s.OnEvent = p.sql(), p.emit == "on-event"
			s.IntervalMs, s.IntervalBy = p.interval.Milliseconds(), o.file
		}
	}
	return s
}
