package cmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"tidemark/analyze"
	"tidemark/flinkapi"
	"tidemark/internal/units"
	"tidemark/render"
	"tidemark/render/screen"
)

// usualRefresh is Flink's default for metrics.fetcher.update-interval: reading more often shows the
// same values again.
const usualRefresh = 10 * time.Second

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
	durationVar(c, &s.Interval, "interval", usualRefresh, "time between readings")
	c.Flags().StringVarP(&format, "output", "o", render.Table, "output format: table (the view, or one line per change), json (one object per change)")
	fixed(c, "output", render.Table, render.JSON)
	bind(c, &accept)
	return c
}

func runWatch(ctx context.Context, g *globals, s flinkapi.Reading, mark func(*analyze.JobReport), format string) error {
	r, err := g.refresh(ctx, s)
	if err != nil {
		return err
	}
	r.acknowledge = mark
	if format == render.JSON || !g.IsTerminal(g.Out) || !g.IsTerminal(g.In) || g.Getenv("TERM") == "dumb" {
		lines := screen.Lines{W: g.Out, JSON: format == render.JSON}
		for first := true; ; first = false {
			now := r.next(ctx)
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case now.Err != nil && first:
				return now.Err
			}
			if now.Renewed != "" {
				g.notef("connect: %s had ended and was started anew", now.Renewed)
			}
			if err := lines.Take(now); err != nil {
				return err
			}
		}
	}
	err = screen.Run(ctx, g.In, g.Out, screen.Options{Cluster: r.client.URL(), Every: r.every, Color: g.colorOn(g.Out), Now: g.Now,
		Read: func() screen.Reading { return r.next(ctx) }, Snapshot: r.snapshot, Page: r.page})
	if errors.Is(err, screen.ErrInterrupted) {
		return context.Canceled
	}
	return err
}

// follow reads one sample each interval, judges it together with the previous one, and shows
// that, until ctx ends. If a reading fails after one that succeeded, this is reported and it is
// tried again.
func (g *globals) follow(ctx context.Context, s flinkapi.Reading, show func(*analyze.Report) error) error {
	r, err := g.refresh(ctx, s)
	if err != nil {
		return err
	}
	return g.loop(ctx, r.next, r.every, show)
}

func (g *globals) loop(ctx context.Context, next func(context.Context) screen.Reading, every time.Duration, show func(*analyze.Report) error) error {
	for first := true; ; {
		now := next(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case now.Err != nil && first:
			return now.Err
		case now.Err != nil:
			g.notef("%v; trying again in %s", now.Err, units.Said(every))
			continue
		}
		g.clearScreen()
		if err := show(now.Report); err != nil {
			return err
		}
		first = false
	}
}

// clearScreen starts the next view at the top of a terminal, and leaves what was scrolled away; elsewhere
// views follow each other.
func (g *globals) clearScreen() {
	if g.IsTerminal(g.Out) {
		fmt.Fprint(g.Out, "\x1b[H\x1b[2J")
	}
}
