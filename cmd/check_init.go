package cmd

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"tidemark/analyze/model"
	"tidemark/analyze/policy"
	"tidemark/flinkapi"
	"tidemark/internal/flags"
	"tidemark/internal/units"
	"tidemark/kafkastats/record"
)

func newCheckInit(g *globals) *cobra.Command {
	var source flinkapi.Reading
	var history pastOptions
	c := &cobra.Command{
		Use:   "init [JOB...]",
		Short: "write a policy to begin with",
		Long: `Write a commented policy to standard output, from a running job or a recording: what was read is filled
in, what could not be read is a comment with the reason. Edit it before it becomes the gate. Jobs that share a
name get one rule, with limits that hold for all of them; an unhealthy job gives no limit.

With --prometheus the limits come from the past (--since, a day by default): the largest lag and the longest
silence of a split while nothing was wrong. Readings during an outage are left out.`,
		Example: `  tidemark check init --flink http://staging:8081 orders > tidemark.yaml
  tidemark check init --from staging.jsonl.gz > tidemark.yaml
  tidemark check init --prometheus http://prometheus:9090 --flink http://jobmanager:8081 --since 7d orders`,
		ValidArgsFunction: g.completeJobs,
		RunE: func(c *cobra.Command, args []string) error {
			source.Jobs, source.Given = args, flags.Given(c)
			if history.asked(source.Given) {
				return history.draft(c.Context(), g, source)
			}
			return runCheckInit(c.Context(), g, source)
		},
	}
	flags.Bind(c, &source)
	flags.Bind(c, &history)
	return c
}

func runCheckInit(ctx context.Context, g *globals, source flinkapi.Reading) error {
	captures, err := g.capture(ctx, source)
	if err != nil {
		return err
	}
	var jobs []policy.Job
	var from []string
	for i, c := range captures {
		for _, jc := range c.Jobs {
			jobs = append(jobs, policy.NewJob(model.BuildJob(c, jc)))
		}
		name := c.URL
		if len(source.From) > 0 {
			name = record.File{Path: source.From[min(i, len(source.From)-1)]}.Name()
		}
		from = append(from, oneLine(name)+" (Flink "+oneLine(c.FlinkVersion())+", read "+units.Time(c.ReadAt)+")")
	}
	return draft(g, jobs, strings.Join(from, ", "))
}

func draft(g *globals, jobs []policy.Job, from string) error {
	if _, err := g.Out.Write(policy.Draft(jobs, from)); err != nil {
		return err
	}
	if len(g.damage) > 0 {
		return g.damage[0]
	}
	return nil
}
