package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"tidemark/analyze"
	"tidemark/analyze/catalog"
	"tidemark/analyze/crosscheck/live"
	"tidemark/analyze/triage"
	"tidemark/internal/flags"
	"tidemark/internal/redact"
	"tidemark/render"
	"tidemark/request"
)

func newCrosscheck(g *globals) *cobra.Command {
	r := live.Defaults()
	var a access
	var out output
	var failOn string
	var csv bool
	c := &cobra.Command{
		Use:   "crosscheck JOB",
		Short: "compare the cluster's watermarks with those its strategy yields for the same records",
		Long: `Read a live job and the Kafka topics it consumes, up to each reader's currentOffset, and compare what
every split, subtask and downstream vertex shows with what the reference engine computes from the same
records. The strategy is that of the plan (SQL), of the flags, or of a strategy file whose entries are
named like the sources; the delay in force is inferred from the records in any case.

The flags for the event time are those of simulate: --field, --format, --unit, --zone, and for Avro and
Protobuf --schema-registry or --payload-schema.
With --from and --records nothing live is needed.`,
		Example: `  tidemark crosscheck orders --brokers localhost:9092 --field ts
  tidemark crosscheck orders --kafka-config client.properties --field ts --delay 5s
  tidemark crosscheck orders --from incident.jsonl.gz --records orders.jsonl.gz --field 2`,
		Args:              one(aJob),
		ValidArgsFunction: g.completeJobs,
		RunE: func(c *cobra.Command, args []string) error {
			r.Job.Jobs, r.Given = args, flags.Given(c)
			if csv {
				r.Format = "csv"
			}
			if err := oneOf("--fail-on", failOn, "none", "info", "warning", "critical"); err != nil {
				return err
			}
			var err error
			if r.EventTime.Registry, err = a.registry(g); err != nil {
				return err
			}
			if err := r.Check(); err != nil {
				return err
			}
			if len(r.Records) == 0 {
				if err := a.kafka(g, &r.Connection); err != nil {
					return err
				}
			}
			return runCrosscheck(c.Context(), g, r, out, failOn)
		},
	}
	flags.Bind(c, &a)
	flags.Bind(c, &r)
	f := c.Flags()
	f.BoolVar(&csv, "csv", false, "the same as --records-format csv")
	f.Lookup("csv").Hidden = true
	f.StringVar(&failOn, "fail-on", "warning", "exit with 1 at this severity: none, info, warning or critical")
	flags.Fixed(c, "fail-on", "none", "info", "warning", "critical")
	out.addFlags(c)
	return c
}

func runCrosscheck(ctx context.Context, g *globals, r live.Request, out output, failOn string) error {
	p := g.process()
	step, done := g.steps()
	p.Step = step
	quiet := g.join(&r.Job)
	res, err := live.Run(ctx, p, r)
	quiet()
	done()
	g.damage = append(g.damage, res.Damage...)
	if err != nil {
		return request.Missing(err)
	}
	d := render.CrosscheckOf(res.Crosscheck, res.Report, tool(), res.Capture)
	redact.All(&d)
	if err := out.write(g, render.Crosscheck(d)); err != nil {
		return err
	}
	return triage.Outcome([]analyze.JobReport{res.Report}, catalog.Severity(failOn), g.damage)
}
