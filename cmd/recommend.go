package cmd

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"tidemark/internal/flags"
	"tidemark/kafkastats/advise"
	"tidemark/kafkastats/recommend"
	"tidemark/render"
	"tidemark/request"
)

func newRecommend(g *globals) *cobra.Command {
	r := recommend.Defaults()
	var a access
	var out output
	c := &cobra.Command{
		Use:   "recommend TOPIC",
		Short: "measure a topic and recommend a watermark delay",
		Long: `Measure how far the records of a topic are out of order, and recommend the smallest delay
(out-of-orderness bound) that keeps the share of late records at --target-late, with what it costs, how far
the sample can be trusted, and code to paste. The records are read from a topic, from files (--records) or
from profiles of observe (--profile). Exit code 1 means a verdict other than "fits", 3 that the event time
has to be chosen first.`,
		Args: atMost(1),
		Example: `  tidemark recommend orders --brokers kafka:9092
  tidemark recommend orders --brokers kafka:9092 --field payload.source.ts_ms --since 7d --target-late 0.1%
  tidemark recommend --records orders.jsonl --field ts --window 10s --sla 30s --report html=delay.html`,
		RunE: func(c *cobra.Command, args []string) error {
			r.Topic, r.Given = strings.Join(args, ""), flags.Given(c)
			if err := a.fill(g, &r); err != nil {
				return err
			}
			return runRecommend(c.Context(), g, r, &out)
		},
	}
	flags.Bind(c, &a)
	flags.Bind(c, &r)
	out.addFlags(c)
	return c
}

// fill adds how brokers and registry are reached, where the request needs them.
func (a access) fill(g *globals, r *recommend.Request) (err error) {
	if err = r.Check(); err != nil {
		return err
	}
	if len(r.Profiles) > 0 {
		return r.Given.Unused("a profile is judged, and nothing is connected to", "context")
	}
	if r.Records.Path == "" {
		if err = a.kafka(g, &r.Kafka.Connection); err != nil {
			return err
		}
	}
	r.EventTime.Registry, err = a.registry(g)
	return err
}

func runRecommend(ctx context.Context, g *globals, r recommend.Request, out *output) error {
	res, err := recommend.Run(ctx, g.process(), r)
	if len(res.Statements) > 0 {
		_, err = io.WriteString(g.Out, strings.Join(res.Statements, ";\n\n")+";\n")
		return err
	}
	if res.Recommendation == nil {
		return request.Missing(err)
	}
	if werr := out.write(g, render.Recommendation(*res.Recommendation)); werr != nil {
		return fmt.Errorf("write the recommendation: %w", werr)
	}
	advice := res.Recommendation.Advice
	switch {
	case err == nil && advice.Verdict == advise.Choose:
		return fmt.Errorf("%s: %s", advice.Verdict.Words(), advice.Reason)
	case err == nil && advice.Verdict != advise.Fits:
		g.notef("%s: %s", advice.Verdict.Words(), advice.Reason)
		return errFindings
	}
	return err
}
