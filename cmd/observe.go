package cmd

import (
	"github.com/spf13/cobra"

	"tidemark/kafkastats/observe"
)

func newObserve(g *globals) *cobra.Command {
	r := observe.Defaults()
	var a access
	c := &cobra.Command{
		Use:   "observe TOPIC",
		Short: "keep measuring a topic into a profile file, for longer than its retention",
		Long: `Read a topic, live or from archives (--records), and add what was seen of its event times to a profile file,
which recommend reads with --profile. It may be stopped at any time: the same command continues where it
stopped and counts no record twice. No consumer group is used and nothing is committed.`,
		Args: one(aTopic),
		Example: `  tidemark observe orders --brokers kafka:9092 --profile orders.profile
  tidemark recommend --profile orders.profile --target-late 0.1%`,
		RunE: func(c *cobra.Command, args []string) (err error) {
			r.Topic, r.Given = args[0], said(c)
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
			return observe.Run(c.Context(), g.process(), r)
		},
	}
	bind(c, &a)
	bind(c, &r)
	return c
}
