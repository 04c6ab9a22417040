package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"tidemark/contexts"
)

func newContext(g *globals) *cobra.Command {
	c := &cobra.Command{
		Use:     "context",
		Short:   "list, show and choose the clusters of the configuration file",
		Args:    atMost(0),
		Example: "  tidemark context list\n  tidemark context use prod\n  tidemark context show",
		RunE:    func(*cobra.Command, []string) error { return runContextList(g) },
	}
	name := func(use, short string, run func(*globals, string) error) *cobra.Command {
		return &cobra.Command{
			Use: use, Short: short, Args: atMost(1), ValidArgsFunction: g.completeContexts,
			RunE: func(_ *cobra.Command, args []string) error { return run(g, strings.Join(args, "")) },
		}
	}
	c.AddCommand(
		&cobra.Command{Use: "list", Short: "list the contexts", Args: atMost(0),
			RunE: func(*cobra.Command, []string) error { return runContextList(g) }},
		name("show [NAME]", "show a context, secrets masked", runContextShow),
		name("use NAME", "make a context the current one", runContextUse),
	)
	return c
}

func runContextList(g *globals) error {
	f, err := g.reach().Load()
	if err != nil {
		return err
	}
	if len(f.Contexts) == 0 {
		g.notef("no contexts yet; define them in %s", f.Path)
		return nil
	}
	for _, n := range f.Names() {
		mark := " "
		if n == f.Current {
			mark = "*"
		}
		fmt.Fprintf(g.Out, "%s %-20s %s\n", mark, oneLine(n), oneLine(f.Contexts[n].Where()))
	}
	return nil
}

func runContextShow(g *globals, name string) error {
	f, err := g.reach().Load()
	if err != nil {
		return err
	}
	if name == "" {
		name = g.reach().Named()
	}
	if name == "" {
		name = f.Current
	}
	def, err := f.Context(name)
	if err != nil {
		return err
	}
	for _, l := range append([]contexts.Line{{Key: "context", Value: name}}, def.Lines()...) {
		fmt.Fprintf(g.Out, "%-17s %s\n", l.Key, oneLine(l.Value))
	}
	return nil
}

func runContextUse(g *globals, name string) error {
	f, err := g.reach().Load()
	if err != nil {
		return err
	}
	changed, err := f.Use(name)
	if err != nil {
		return err
	}
	if err := writeAtomic(f.Path, changed); err != nil {
		return err
	}
	g.notef("current context is %s", name)
	return nil
}

func (g *globals) completeContexts(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	c, err := g.reach().Load()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return c.Names(), cobra.ShellCompDirectiveNoFileComp
}
