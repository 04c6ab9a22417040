package cmd

import (
	"bytes"
	"context"

	"github.com/spf13/cobra"

	"tidemark/engine/simulate"
	"tidemark/render"
)

func newSimulate(g *globals) *cobra.Command {
	r := simulate.Defaults()
	var a access
	var output string
	var reports []string
	var csv bool
	c := &cobra.Command{
		Use:   "simulate --records FILE | --topic TOPIC",
		Short: "what strategies would do with the same records",
		Long: `Run records through the reference watermark engine: which would be late, which dropped, which windows
would fire and when, under one or several strategies side by side.

Records are lines of kcat -J, or CSV rows of partition, arrival and event time; plain, gzip, or - for
standard input. They are read once and need not fit in memory, and must be in order of arrival. With
--topic in place of --records the last records of a topic are read from a broker.

--expect ends with 1 where a limit is not kept: METRIC OP VALUE, for every strategy or STRATEGY.METRIC.
Metrics are late, records, lag-p99, lag-max, lag-end and, of windows, fired, again, dropped, open, added-p99,
added-max.`,
		Example: `  tidemark simulate --records orders.jsonl --field ts --delay 5s --window tumbling:10s
  tidemark simulate --records orders.csv --strategy ds=5s --strategy sql=5s,dialect=sql --window hop:1m/10s
  kcat -b localhost -t orders -J -e | tidemark simulate --records - --field ts --delay 5s --expect 'late<=0.1%,lag-p99<10s'`,
		Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			r.Given = said(c, nil)
			if csv {
				r.Records.Format = "csv"
			}
			files, err := reportFormats(output, reports, render.Formats)
			if err != nil {
				return err
			}
			if err := a.fillSimulation(g, &r); err != nil {
				return err
			}
			return runSimulate(c.Context(), g, r, output, files)
		},
	}
	bind(c, &a, nil)
	bind(c, &r, nil)
	f := c.Flags()
	f.BoolVar(&csv, "csv", false, "the same as --records-format csv")
	f.Lookup("csv").Hidden = true
	f.StringArrayVar(&reports, "report", nil, "also write this `FORMAT=PATH`, such as json=result.json; may repeat")
	outputFlag(c, &output, render.Formats...)
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

func runSimulate(ctx context.Context, g *globals, r simulate.Request, output string, files []reportFile) error {
	step, done := g.steps()
	p := g.process()
	p.Step = step
	res, err := simulate.Run(ctx, p, r)
	done()
	if err != nil {
		return inputError(err)
	}
	d := &render.SimulationData{Schema: render.SchemaSimulation, Tool: tool(), Result: *res}
	if err := render.Simulation(g.Out, output, d, g.look()); err != nil {
		return err
	}
	for _, f := range files {
		var b bytes.Buffer
		if err := render.Simulation(&b, f.format, d, render.Options{}); err != nil {
			return err
		}
		if err := writeAtomic(f.path, b.Bytes()); err != nil {
			return err
		}
	}
	if !res.Met() {
		return errFindings
	}
	return nil
}
