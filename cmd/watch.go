package cmd

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"tidemark/analyze"
	"tidemark/analyze/catalog"
	"tidemark/flinkapi"
	"tidemark/render"
)

// usualRefresh is Flink's default for metrics.fetcher.update-interval: reading more often shows the
// same values again.
const usualRefresh = 10 * time.Second

func newWatch(g *globals) *cobra.Command {
	var s flinkapi.Reading
	c := &cobra.Command{
		Use:   "watch [JOB...]",
		Short: "live view of the diagnosis",
		Long:  "Diagnose again each --interval and show the newest answer until interrupted.",
		Example: `  tidemark watch --flink http://jobmanager:8081
  tidemark watch orders --interval 30s`,
		ValidArgsFunction: g.completeJobs,
		RunE: func(c *cobra.Command, args []string) error {
			s.Jobs = args
			return g.follow(c.Context(), s, func(r *analyze.Report) error {
				return render.Triage(r).Write(g.Out, render.Table, g.look())
			})
		},
	}
	durationVar(c, &s.Interval, "interval", usualRefresh, "time between readings")
	return c
}

// follow reads one sample each interval, judges it together with the one before, and shows that,
// until ctx ends. A reading that fails after one that did not is told and tried again.
func (g *globals) follow(ctx context.Context, s flinkapi.Reading, show func(*analyze.Report) error) error {
	if len(s.From) > 0 {
		return usagef("a recording does not go on: --from and a live view exclude each other")
	}
	if err := s.Check(); err != nil {
		return err
	}
	if s.Interval == 0 {
		s.Interval = usualRefresh
	}
	client, err := g.client(ctx)
	if err != nil {
		return err
	}
	read := func(ctx context.Context) (*flinkapi.Capture, error) {
		return client.Capture(ctx, flinkapi.CaptureOptions{Jobs: s.Jobs, Once: true, Fresh: true})
	}
	return g.loop(ctx, read, s.Interval, show)
}

func (g *globals) loop(ctx context.Context, read func(context.Context) (*flinkapi.Capture, error), every time.Duration, show func(*analyze.Report) error) error {
	var before *flinkapi.Capture
	for {
		now, err := read(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && before == nil:
			return err
		case err != nil:
			g.notef("%v; trying again in %s", err, every)
		default:
			g.clearScreen()
			if err := show(analyze.Triage(joinSamples(before, now), analyze.Options{Tool: tool(), MinSeverity: catalog.Info})); err != nil {
				return err
			}
			before = now
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(every):
		}
	}
}

// clearScreen starts the next view at the top of a terminal; elsewhere views follow each other.
func (g *globals) clearScreen() {
	if g.IsTerminal(g.Out) {
		fmt.Fprint(g.Out, "\x1b[H\x1b[2J\x1b[3J")
	}
}

// joinSamples puts the last sample of every job before its newest one, so that two readings are
// compared though each was taken alone.
func joinSamples(before, now *flinkapi.Capture) *flinkapi.Capture {
	if before == nil {
		return now
	}
	old := map[string]flinkapi.JobCapture{}
	for _, j := range before.Jobs {
		old[j.ID] = j
	}
	joined := *now
	joined.Jobs = nil
	for _, j := range now.Jobs {
		if o := old[j.ID]; len(o.Samples) > 0 {
			j.Samples = append([]*flinkapi.Sample{o.Samples[len(o.Samples)-1]}, j.Samples...)
		}
		joined.Jobs = append(joined.Jobs, j)
	}
	return &joined
}
