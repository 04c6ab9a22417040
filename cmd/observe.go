package cmd

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"tidemark/internal/flags"
	"tidemark/kafkastats/observe"
	"tidemark/render"
	"tidemark/request"
)

func newObserve(g *globals) *cobra.Command {
	r := observe.Defaults()
	var a access
	var out output
	c := &cobra.Command{
		Use:   "observe TOPIC",
		Short: "keep measuring a topic into a profile file, for longer than its retention",
		Long: `Read a topic, live or from archives (--records), and add what was seen of its event times to a profile file,
which recommend reads with --profile. --since and --until take a part of an archive. Observing may be
stopped at any time: the same command continues where it stopped and counts no record twice. At its end it
reports what it added, even if it was interrupted. No consumer group is used and nothing is committed.`,
		Args: one(aTopic),
		Example: `  tidemark observe orders --brokers kafka:9092 --profile orders.profile
  tidemark recommend --profile orders.profile --target-late 0.1%`,
		RunE: func(c *cobra.Command, args []string) (err error) {
			r.Topic, r.Given = args[0], flags.Given(c)
			if err := r.Check(); err != nil {
				return err
			}
			if r.Records.Path == "" {
				if err := a.kafka(g, &r.Connection); err != nil {
					return err
				}
			}
			if r.EventTime.Registry, err = a.registry(g); err != nil {
				return err
			}
			return runObserve(c.Context(), g, r, out)
		},
	}
	flags.Bind(c, &a)
	flags.Bind(c, &r)
	out.addFlags(c)
	return c
}

func runObserve(ctx context.Context, g *globals, r observe.Request, out output) error {
	res, err := observe.Run(ctx, g.process(), r)
	if res == nil {
		return request.Missing(err)
	}
	return errors.Join(out.write(g, render.Observation(&render.ObservationData{Schema: render.SchemaObservation, Tool: tool(), Result: *res})), err)
}
