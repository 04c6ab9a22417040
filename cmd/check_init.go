package cmd

import "github.com/spf13/cobra"

func newCheckInit(g *globals) *cobra.Command {
	var source sourceOptions
	c := &cobra.Command{Use: "init [JOB...]", Short: "write a policy to begin with"}
	source.addFlags(c)
	return c
}
