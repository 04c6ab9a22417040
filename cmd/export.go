package cmd

import (
	"cmp"
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"tidemark/analyze"
	"tidemark/analyze/triage"
	"tidemark/flinkapi"
	"tidemark/internal/flags"
	"tidemark/render/prom/exporter"
	"tidemark/request"
)

func newExport(g *globals) *cobra.Command {
	o := exporter.Defaults()
	var source flinkapi.Reading
	var accept acknowledgeOptions
	c := &cobra.Command{
		Use:   "export [JOB...]",
		Short: "findings and event-time lag as metrics for Prometheus",
		Long: `Diagnose each --interval and expose findings, verdicts and event-time lag to Prometheus: as a file for
node exporter's textfile collector, over HTTP, or both. A scrape never reads the cluster.

The lag of a vertex is absent if it has no watermark. After a failed capture, tidemark_up is 0
and the last values are kept until they are older than three intervals. The file is replaced atomically, and
removed when the program is interrupted.`,
		Example: `  tidemark export --listen 127.0.0.1:9321 --flink http://jobmanager:8081
  tidemark export --textfile /var/lib/node_exporter/tidemark.prom --interval 2m
  tidemark export --textfile tidemark.prom --once orders`,
		ValidArgsFunction: g.completeJobs,
		RunE: func(c *cobra.Command, args []string) error {
			source.Jobs, source.Given = args, flags.Given(c)
			delete(source.Given, "interval") // that of the captures
			if err := cmp.Or(o.Check(), again(source)); err != nil {
				return err
			}
			mark, err := accept.mark(g)
			if err != nil {
				return err
			}
			return runExport(c.Context(), g, o, source, mark)
		},
	}
	flags.Bind(c, &o)
	flags.Bind(c, &accept)
	c.Flags().StringArrayVar(&source.From, "from", nil, "read this recording instead of a cluster; may repeat")
	return c
}

// again refuses what cannot be read more than once.
func again(s flinkapi.Reading) error {
	for _, f := range s.From {
		if f == "-" {
			return request.Badf("standard input cannot be read again and again; name a file with --from")
		}
		if _, err := os.Stat(f); err != nil { // what is missing now would be tried again forever
			return request.Badf("recording %s cannot be opened: %w", f, err)
		}
	}
	return s.Check()
}

func runExport(ctx context.Context, g *globals, o exporter.Options, source flinkapi.Reading, mark func(*analyze.JobReport)) error {
	if len(source.From) == 0 {
		if _, err := g.client(ctx); err != nil { // settings that are wrong now will not be right later
			return err
		}
	}
	quiet := *g
	quiet.quiet = true // progress is for a person who waits
	capture := func(ctx context.Context) (*analyze.Report, error) {
		quiet.damage = nil
		r := triage.Defaults()
		r.Source, r.Acknowledge = source, mark
		res, err := quiet.triage(ctx, r)
		if err == nil && len(res.Damage) > 0 {
			err = fmt.Errorf("recording is damaged: %w", res.Damage[0])
		}
		return res.Report, err
	}
	return exporter.New(o, tool().Version, g.Now, func(line string) { g.notef("%s", line) }, capture).Run(ctx)
}
