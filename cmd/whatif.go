package cmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"tidemark/analyze"
	"tidemark/analyze/whatif"
	"tidemark/internal/flags"
	"tidemark/internal/redact"
	"tidemark/render"
	"tidemark/request"
)

func newWhatIf(g *globals) *cobra.Command {
	r := whatif.Defaults()
	var a access
	var out output
	c := &cobra.Command{
		Use:   "whatif JOB",
		Short: "what a change of a job would do with the same records",
		Long: `Play a running job again on the reference watermark engine, with the records that its sources have read:
the twin. The unchanged twin is first compared with the cluster's own gauges, subtask by subtask. If it
differs, the report says where, and nothing is predicted (exit code 3). If it does not, each change is played
with the same records, side by side with the job as it is.

--set NAME.SETTING=VALUE changes a source (delay, idle-timeout, emit, place, alignment, parallelism), an
operator (lateness, offset, parallelism; of an assigner delay, idle-timeout) or the job (interval, alignment,
flink-version). Several of them are one change; the prefix COLUMN: puts a change into its own column.

What the cluster does not show is inferred, and the report says so. --known gives what cannot be inferred: the
allowed lateness of a window, an idle timeout that was never needed.

--expect ends with exit code 1 if a limit is not met: METRIC OP VALUE, of every change or COLUMN.METRIC. Metrics are windows,
rows, dropped, latency-p50, latency-p99, peak (open windows at most) and stands (how long event time has stood still at
the end). A range meets a limit only if all of it does; an estimate never meets one.`,
		Example: `  tidemark whatif orders --brokers localhost:9092 --field ts --set Orders.idle-timeout=30s --expect 'stands<5s,dropped=0'
  tidemark whatif orders --brokers localhost:9092 --field ts --set 'a: Orders.delay=2s' --set 'b: Orders.delay=30s'
  tidemark whatif orders --from incident.jsonl.gz --records orders.jsonl.gz --field 2 --set alignment=shop,30s`,
		Args:              one(aJob),
		ValidArgsFunction: g.completeJobs,
		RunE: func(c *cobra.Command, args []string) error {
			r.Job.Jobs, r.Given = args, flags.Given(c)
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
			return runWhatIf(c.Context(), g, r, out)
		},
	}
	flags.Bind(c, &a)
	flags.Bind(c, &r)
	out.addFlags(c)
	return c
}

func runWhatIf(ctx context.Context, g *globals, r whatif.Request, out output) error {
	p := g.process()
	step, done := g.steps()
	p.Step = step
	quiet := g.join(&r.Job)
	res, read, err := whatif.Run(ctx, p, r)
	quiet()
	done()
	g.damage = append(g.damage, read.Damage...)
	if err != nil {
		return request.Missing(err)
	}
	d := &render.WhatIfData{Schema: render.SchemaWhatIf, Tool: tool(), Cluster: analyze.Cluster{URL: read.Capture.URL, FlinkVersion: read.Capture.FlinkVersion()}, Result: res}
	redact.All(d)
	if err := out.write(g, render.WhatIf(d)); err != nil {
		return err
	}
	switch why := res.Refusal(); {
	case why != "":
		return errors.New(why)
	case len(g.damage) > 0:
		return fmt.Errorf("only what could be read was judged: %w", g.damage[0])
	case !res.Met():
		return errFindings
	}
	return nil
}
