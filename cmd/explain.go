package cmd

import (
	"strings"

	"github.com/spf13/cobra"

	"tidemark/analyze/catalog"
	"tidemark/internal/near"
	"tidemark/render"
)

func newExplain(g *globals) *cobra.Command {
	var out output
	c := &cobra.Command{
		Use:   "explain CODE|CAUSE",
		Short: "what a finding means, why it happens, how to fix it",
		Long: `Say of a check what one sees, why it happens, how it is told apart from what looks alike, and how to
fix it. The code stands in brackets at the end of a finding ([TM102]); the cause works as well.`,
		Example:           "  tidemark explain TM102\n  tidemark explain idle-split -o markdown",
		Args:              args(cobra.ExactArgs(1)),
		ValidArgsFunction: completeChecks,
		RunE: func(_ *cobra.Command, args []string) error {
			return runExplain(g, args[0], &out)
		},
	}
	out.addFlags(c)
	return c
}

func runExplain(g *globals, name string, out *output) error {
	check, ok := explainable(name)
	if !ok {
		if alike := near.Alike(name, checkNames(), 3); len(alike) > 0 {
			return usagef("no check %q; near: %s", name, strings.Join(alike, ", "))
		}
		return usagef("no check %q; `tidemark checks` lists them", name)
	}
	return out.write(g, render.Explain(check))
}

func checkNames() []string {
	var names []string
	for _, c := range append(catalog.Checks(), measuredChecks...) {
		names = append(names, c.Code, c.Cause)
	}
	return names
}

func completeChecks(_ *cobra.Command, args []string, start string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, n := range checkNames() {
		if len(args) == 0 && strings.HasPrefix(n, start) {
			names = append(names, n)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
