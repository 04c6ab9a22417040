package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"tidemark/analyze"
	"tidemark/analyze/catalog"
	"tidemark/cmd/demo"
	"tidemark/render"
)

func newDemo(g *globals) *cobra.Command {
	var save string
	c := &cobra.Command{
		Use:   "demo",
		Short: "a tour on recordings built into the binary: no cluster, no Kafka",
		Long: `Show recordings of real Flink 2.3.0 jobs that are built into the binary: the symptom of each, then what
triage says about it. --save writes the recordings, to be read with --from.`,
		Args:    atMost(0),
		Example: "  tidemark demo\n  tidemark demo --save recordings",
		RunE: func(c *cobra.Command, _ []string) error {
			if save == "" {
				return runDemo(c, g)
			}
			if err := demo.Save(save); err != nil {
				return err
			}
			g.notef("%d recordings written to %s", len(demo.Stops), save)
			return nil
		},
	}
	c.Flags().StringVar(&save, "save", "", "write the recordings into this directory instead")
	return c
}

func runDemo(c *cobra.Command, g *globals) error {
	for i, stop := range demo.Stops {
		capture, err := demo.Capture(c.Context(), stop.Name)
		if err != nil {
			return err
		}
		report := analyze.Triage(capture, analyze.Options{Tool: tool(), MinSeverity: catalog.Info})
		fmt.Fprintf(g.Out, "%s\n[%d of %d] %s\n\n$ tidemark triage --from %s.jsonl.gz\n", strings.Repeat("═", 80), i+1, len(demo.Stops), stop.Seen, stop.Name)
		if err := render.Triage(report).Write(g.Out, render.Table, g.look()); err != nil {
			return err
		}
		fmt.Fprintln(g.Out)
	}
	fmt.Fprint(g.Out, strings.Repeat("═", 80), `
Next steps
  tidemark triage --flink http://jobmanager:8081   diagnose your own cluster
  tidemark explain idle-split                      what a finding means
  tidemark demo --save DIR                         keep these recordings
  tidemark watermarks --from DIR/lab-quiet-join.jsonl.gz
`)
	return nil
}
