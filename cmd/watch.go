package cmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"tidemark/analyze"
	"tidemark/flinkapi"
	"tidemark/internal/flags"
	"tidemark/internal/units"
	"tidemark/render"
	"tidemark/render/live"
	"tidemark/render/screen"
)

func newWatch(g *globals) *cobra.Command {
	var s flinkapi.Reading
	var format string
	var accept acknowledgeOptions
	c := &cobra.Command{
		Use:   "watch [JOB...]",
		Short: "live view of the diagnosis",
		Long: `Diagnose each --interval. On a terminal this is a full-screen view: the jobs, worst first, and for each its
graph, splits, findings and fixes; ? lists the keys. Elsewhere a line is written for each change, or with
-o json one object per line.`,
		Example: `  tidemark watch --flink http://jobmanager:8081
  tidemark watch orders --interval 30s
  tidemark watch -o json | jq -r 'select(.verdict == "critical") | .job'`,
		ValidArgsFunction: g.completeJobs,
		RunE: func(c *cobra.Command, args []string) error {
			s.Jobs = args
			if err := oneOf("--output", format, render.Table, render.JSON); err != nil {
				return err
			}
			mark, err := accept.mark(g)
			if err != nil {
				return err
			}
			return runWatch(c.Context(), g, s, mark, format)
		},
	}
	flags.Duration(c, &s.Interval, "interval", live.Usual, "time between readings")
	c.Flags().StringVarP(&format, "output", "o", render.Table, "output format: table (the view, or one line per change), json (one object per change)")
	flags.Fixed(c, "output", render.Table, render.JSON)
	flags.Bind(c, &accept)
	return c
}

func runWatch(ctx context.Context, g *globals, s flinkapi.Reading, mark func(*analyze.JobReport), format string) error {
	r, err := g.live(ctx, s, mark)
	if err != nil {
		return err
	}
	if format == render.JSON || !g.IsTerminal(g.Out) || !g.IsTerminal(g.In) || g.Getenv("TERM") == "dumb" {
		lines := screen.Lines{W: g.Out, JSON: format == render.JSON}
		return r.Each(ctx, func(now screen.Reading) error {
			if now.Renewed != "" {
				g.notef("connect: %s had ended and was restarted", now.Renewed)
			}
			return lines.Take(now)
		})
	}
	err = screen.Run(ctx, g.In, g.Out, screen.Options{Cluster: r.URL(), Every: r.Every(), Color: g.colorOn(g.Out), Now: g.Now,
		Read: func() screen.Reading { return r.Next(ctx) }, Snapshot: r.Snapshot, Page: r.Page})
	if errors.Is(err, screen.ErrInterrupted) {
		return context.Canceled
	}
	return err
}

// live reads a cluster again and again.
func (g *globals) live(ctx context.Context, s flinkapi.Reading, mark func(*analyze.JobReport)) (*live.Reader, error) {
	s.Connect = g.client
	return live.Open(ctx, live.Options{Source: s, Ended: g.tunnels.Ended, Acknowledge: mark, Tool: tool(), Now: g.Now, Sleep: g.Sleep})
}

// follow shows each reading; one that fails is reported, and the next is shown again.
func (g *globals) follow(every time.Duration, show func(*analyze.Report) error) func(screen.Reading) error {
	return func(now screen.Reading) error {
		if now.Err != nil {
			g.notef("%v; trying again in %s", now.Err, units.Said(every))
			return nil
		}
		g.clearScreen()
		return show(now.Report)
	}
}

// clearScreen starts the next view at the top of a terminal, and leaves what was scrolled away; elsewhere
// views follow each other.
func (g *globals) clearScreen() {
	if g.IsTerminal(g.Out) {
		fmt.Fprint(g.Out, "\x1b[H\x1b[2J")
	}
}
