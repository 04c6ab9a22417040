package cmd

import (
	"github.com/spf13/cobra"

	"tidemark/analyze/catalog"

	"tidemark/render"
	"tidemark/request"
)

func newChecks(g *globals) *cobra.Command {
	var out output
	c := &cobra.Command{
		Use:     "checks",
		Short:   "list every check",
		Example: "  tidemark checks\n  tidemark checks -o json",
		Args: func(_ *cobra.Command, given []string) error {
			if len(given) > 0 {
				return request.Badf("checks lists every check; `tidemark explain %s` explains one", oneLine(given[0]))
			}
			return nil
		},
		RunE: func(*cobra.Command, []string) error {
			return out.write(g, render.Checks(catalog.Checks()))
		},
	}
	out.addFlags(c)
	return c
}
