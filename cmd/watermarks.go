package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"tidemark/analyze"
	"tidemark/analyze/triage"
	"tidemark/flinkapi"
	"tidemark/internal/flags"
	"tidemark/render"
)

type watermarksOptions struct {
	source flinkapi.Reading
	output output
	watch  bool
}

func newWatermarks(g *globals) *cobra.Command {
	var o watermarksOptions
	c := &cobra.Command{
		Use:   "watermarks [JOB...]",
		Short: "event-time watermarks per vertex, operator, subtask and split",
		Long: `Show the event-time watermark of every vertex, operator, subtask and split, with its lag against the
JobManager's clock and whether it advanced between the samples. Nothing is judged; triage does that.`,
		Example: `  tidemark watermarks orders --flink http://jobmanager:8081
  tidemark watermarks --from incident.jsonl.gz -o json`,
		ValidArgsFunction: g.completeJobs,
		RunE: func(c *cobra.Command, args []string) error {
			o.source.Jobs, o.source.Given = args, flags.Given(c)
			return runWatermarks(c.Context(), g, o)
		},
	}
	flags.Bind(c, &o.source)
	o.output.addFlags(c)
	c.Flags().BoolVar(&o.watch, "watch", false, "read again each --interval until interrupted")
	return c
}

func runWatermarks(ctx context.Context, g *globals, o watermarksOptions) error {
	show := func(r *analyze.Report) error { return o.output.write(g, render.Watermarks(r)) }
	if o.watch {
		r, err := g.live(ctx, o.source, nil)
		if err != nil {
			return err
		}
		return r.Each(ctx, g.follow(r.Every(), show))
	}
	r := triage.Defaults()
	r.Source = o.source
	res, err := g.triage(ctx, r)
	if err != nil {
		return err
	}
	if err := show(res.Report); err != nil {
		return err
	}
	return triage.Outcome(readable(res.Report), "none", res.Damage)
}

// readable are the jobs of which anything could be shown; nothing else is asked of this command.
func readable(r *analyze.Report) []analyze.JobReport {
	var jobs []analyze.JobReport
	for _, j := range r.Jobs {
		switch {
		case j.Unread:
			jobs = append(jobs, analyze.JobReport{Name: j.Name, Verdict: j.Verdict})
		case len(j.Vertices) > 0:
			jobs = append(jobs, analyze.JobReport{Name: j.Name})
		}
	}
	return jobs
}
