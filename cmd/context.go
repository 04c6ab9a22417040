package cmd

import (
	"strings"

	"github.com/spf13/cobra"

	"tidemark/internal/atomicfile"
	"tidemark/render"
)

func newContext(g *globals) *cobra.Command {
	c := &cobra.Command{
		Use:     "context",
		Short:   "list, show and choose the clusters of the configuration file",
		Example: "  tidemark context list\n  tidemark context use prod\n  tidemark context show",
	}
	listing(g, c)
	list := &cobra.Command{Use: "list", Short: "list the contexts"}
	listing(g, list)
	var out output
	show := &cobra.Command{
		Use: "show [NAME]", Short: "show a context, secrets masked", Args: atMost(1), ValidArgsFunction: g.completeContexts,
		RunE: func(_ *cobra.Command, args []string) error { return runContextShow(g, strings.Join(args, ""), out) },
	}
	out.addFlags(show)
	c.AddCommand(list, show, &cobra.Command{
		Use: "use NAME", Short: "make a context the current one", Args: atMost(1), ValidArgsFunction: g.completeContexts,
		RunE: func(_ *cobra.Command, args []string) error { return runContextUse(g, strings.Join(args, "")) },
	})
	return c
}

// listing makes a command list the contexts.
func listing(g *globals, c *cobra.Command) {
	var out output
	c.Args = atMost(0)
	c.RunE = func(*cobra.Command, []string) error {
		f, err := g.reach().Load()
		if err != nil {
			return err
		}
		if len(f.Contexts) == 0 {
			g.notef("no contexts yet; define them in %s", f.Path)
		}
		return out.write(g, render.Contexts(f))
	}
	out.addFlags(c)
}

func runContextShow(g *globals, name string, out output) error {
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
	return out.write(g, render.Context(f, name, def))
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
	if err := atomicfile.Write(f.Path, changed); err != nil {
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
