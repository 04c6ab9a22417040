package cmd

import (
	"strings"

	"github.com/spf13/cobra"

	"tidemark/analyze/catalog"
	"tidemark/internal/near"
	"tidemark/render"
	"tidemark/request"
)

func newExplain(g *globals) *cobra.Command {
	var out output
	c := &cobra.Command{
		Use:   "explain CODE|CAUSE",
		Short: "what a finding means, why it happens, how to fix it",
		Long: `Explain a check: the symptom, why it happens, how to distinguish it from similar causes, and how to fix
it. The code is in brackets at the end of a finding ([TM102]); the name of the cause works as well.`,
		Example:           "  tidemark explain TM102\n  tidemark explain idle-split -o markdown",
		Args:              one(aCheck),
		ValidArgsFunction: completeChecks,
		RunE: func(_ *cobra.Command, args []string) error {
			return runExplain(g, args[0], &out)
		},
	}
	out.addFlags(c)
	return c
}

func runExplain(g *globals, name string, out *output) error {
	check, ok := catalog.Spelled(name)
	if !ok {
		if alike := near.Alike(name, catalog.Names(), 3); len(alike) > 0 {
			return request.Badf("no check %q; near: %s", name, strings.Join(alike, ", "))
		}
		return request.Badf("no check %q; `tidemark checks` lists them", name)
	}
	for _, c := range catalog.Formerly(strings.ToLower(name)) {
		g.notef("%s was a slug of %s %s as well: what recommend finds in records has separate slugs", check.Cause, c.Code, c.Cause)
	}
	return out.write(g, render.Explain(check))
}

func completeChecks(_ *cobra.Command, args []string, start string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, c := range catalog.Checks() {
		for _, n := range []string{c.Code, c.Cause} {
			if len(args) == 0 && strings.HasPrefix(n, start) {
				names = append(names, cobra.CompletionWithDesc(n, c.Title))
			}
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
