package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"tidemark/engine/simulate"
	"tidemark/internal/flags"
	"tidemark/render"
	"tidemark/request"
)

func newSimulate(g *globals) *cobra.Command {
	r := simulate.Defaults()
	var a access
	var out output
	var csv bool
	c := &cobra.Command{
		Use:   "simulate --records FILE | --topic TOPIC",
		Short: "what strategies would do with the same records",
		Long: `Run records through the reference watermark engine: which would be late, which dropped, which windows
would fire and when, under one or several strategies side by side.

Records are lines of kcat -J, or CSV rows of partition, arrival and event time; plain, gzip, or - for
standard input. They are read once and need not fit in memory, and must be in order of arrival. With
--topic in place of --records a topic is read from a broker and held in memory, the last 1,000,000 records of
it unless --last says otherwise.

--expect makes the exit code 1 if a limit is not met: METRIC OP VALUE, for every strategy or STRATEGY.METRIC.
Metrics are late, records, lag-p99, lag-max, lag-end and, of windows, fired, again, dropped, open, added-p99,
added-max.`,
		Example: `  tidemark simulate --records orders.jsonl --field ts --delay 5s --window tumbling:10s
  tidemark simulate --records orders.csv --strategy ds=5s --strategy sql=5s,dialect=sql --window hop:1m/10s
  kcat -b localhost -t orders -J -e | tidemark simulate --records - --field ts --delay 5s --expect 'late<=0.1%,lag-p99<10s'`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			r.Given = flags.Given(c)
			if csv {
				r.Records.Format = "csv"
			}
			if err := a.fillSimulation(g, &r); err != nil {
				return err
			}
			return runSimulate(c.Context(), g, r, out)
		},
	}
	flags.Bind(c, &a)
	flags.Bind(c, &r)
	f := c.Flags()
	f.BoolVar(&csv, "csv", false, "the same as --records-format csv")
	f.Lookup("csv").Hidden = true
	out.addFlags(c)
	return c
}

// fillSimulation adds how brokers and registry are reached, where the request needs them.
func (a access) fillSimulation(g *globals, r *simulate.Request) (err error) {
	if r.EventTime.Registry, err = a.registry(g); err != nil {
		return err
	}
	if err = r.Check(); err != nil || r.Records.Path != "" {
		return err
	}
	return a.kafka(g, &r.Connection)
}

func runSimulate(ctx context.Context, g *globals, r simulate.Request, out output) error {
	step, done := g.steps()
	p := g.process()
	p.Step = step
	res, err := simulate.Run(ctx, p, r)
	done()
	if err != nil {
		return request.Missing(err)
	}
	d := &render.SimulationData{Schema: render.SchemaSimulation, Tool: tool(), Result: *res}
	if err := out.write(g, render.Simulation(d)); err != nil {
		return err
	}
	if !res.Met() {
		return errFindings
	}
	return nil
}
