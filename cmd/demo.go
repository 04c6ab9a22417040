package cmd

import (
	"bytes"
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"tidemark/analyze"
	"tidemark/analyze/catalog"
	"tidemark/flinkapi"
	"tidemark/render"
)

//go:embed demo/*.jsonl.gz
var demoFiles embed.FS

// demoStops are the recordings of the tour, each with what its operator saw; the answer is left to
// triage.
var demoStops = []struct{ name, seen string }{
	{"lab-idle-partition", "Orders arrive, yet the ten-second window never prints a row."},
	{"lab-no-strategy", "The job was copied from one that works; its windows stay empty."},
	{"lab-bound-too-large", "Results are right, and always far too late."},
	{"lab-quiet-join", "A join of orders and payments gives nothing, though orders arrive."},
	{"lab-future-record", "Nobody has complained so far."},
	{"lab-healthy", "numLateRecordsDropped is 208, and somebody is worried."},
}

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
			if save != "" {
				return saveDemo(g, save)
			}
			return runDemo(c, g)
		},
	}
	c.Flags().StringVar(&save, "save", "", "write the recordings into this directory instead")
	return c
}

func runDemo(c *cobra.Command, g *globals) error {
	for i, stop := range demoStops {
		report, err := demoReport(c, stop.name)
		if err != nil {
			return err
		}
		fmt.Fprintf(g.Out, "%s\n[%d of %d] %s\n\n$ tidemark triage --from %s.jsonl.gz\n", strings.Repeat("═", 80), i+1, len(demoStops), stop.seen, stop.name)
		if err := render.Triage(report).Write(g.Out, render.Table, g.look()); err != nil {
			return err
		}
		fmt.Fprintln(g.Out)
	}
	fmt.Fprint(g.Out, strings.Repeat("═", 80), `
How to go on
  tidemark triage --flink http://jobmanager:8081   diagnose your own cluster
  tidemark explain idle-split                      what a finding means
  tidemark demo --save DIR                         keep these recordings
  tidemark watermarks --from DIR/lab-quiet-join.jsonl.gz
`)
	return nil
}

func demoReport(c *cobra.Command, name string) (*analyze.Report, error) {
	file, err := demoFiles.ReadFile("demo/" + name + ".jsonl.gz")
	if err != nil {
		return nil, fmt.Errorf("demo: %w", err)
	}
	rec, err := flinkapi.ReadRecording(name, bytes.NewReader(file))
	if err != nil {
		return nil, fmt.Errorf("demo: %w", err)
	}
	capture, err := rec.Capture(c.Context(), flinkapi.CaptureOptions{})
	if err != nil {
		return nil, fmt.Errorf("demo: %w", err)
	}
	return analyze.Triage(capture, analyze.Options{Tool: tool(), MinSeverity: catalog.Info}), nil
}

func saveDemo(g *globals, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return usagef("--save: %w", err)
	}
	for _, stop := range demoStops {
		file, err := demoFiles.ReadFile("demo/" + stop.name + ".jsonl.gz")
		if err != nil {
			return fmt.Errorf("demo: %w", err)
		}
		path := filepath.Join(dir, stop.name+".jsonl.gz")
		if err := os.WriteFile(path, file, 0o644); err != nil {
			return fmt.Errorf("recording cannot be written: %w", err)
		}
	}
	g.notef("%d recordings written to %s", len(demoStops), dir)
	return nil
}
