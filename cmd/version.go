package cmd

import (
	"github.com/spf13/cobra"

	"tidemark/analyze"
	"tidemark/internal/build"
	"tidemark/render"
)

// tool names this program in a report.
func tool() analyze.Tool {
	b := build.Read()
	return analyze.Tool{Name: b.Name, Version: b.Version}
}

func newVersion(g *globals) *cobra.Command {
	var out output
	c := &cobra.Command{
		Use:     "version",
		Short:   "what this binary was built from",
		Example: "  tidemark version\n  tidemark version -o json",
		Args:    atMost(0),
		RunE:    func(*cobra.Command, []string) error { return out.write(g, render.Version(build.Read())) },
	}
	out.addFlags(c)
	return c
}
