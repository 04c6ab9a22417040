package cmd

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tidemark/internal/flags"
	"tidemark/request"
)

const rootLong = `tidemark tells people who run Apache Flink why an event-time watermark is stuck, late or wrong.

It reads the REST API of a cluster (Flink 1.17 to 2.3), or a recording of it, and names the cause,
the place (vertex, subtask, Kafka partition) and the fix.

Exit codes: 0 clean, 1 findings at or above --fail-on (critical for triage, warning for check and crosscheck),
2 usage or configuration, 3 could not complete, 130 interrupted.`

const rootExample = `  tidemark demo
  tidemark triage --flink http://jobmanager:8081
  tidemark recommend orders --brokers kafka:9092
  tidemark check --policy tidemark.yaml --sql job.sql`

func newRoot(g *globals) *cobra.Command {
	root := &cobra.Command{
		Use:           "tidemark",
		Short:         "why the event-time watermark of a Flink job is stuck, late or wrong",
		Long:          rootLong,
		Example:       rootExample,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
	}
	version := newVersion(g)
	asked := root.Flags().BoolP("version", "V", false, "the same as the command version")
	root.RunE = func(c *cobra.Command, args []string) error {
		if *asked {
			version.SetContext(c.Context())
			return version.RunE(version, nil)
		}
		if len(args) == 0 {
			return c.Help()
		}
		return noCommand(root, args[0])
	}
	root.PersistentPreRunE = func(c *cobra.Command, args []string) error {
		g.started = true
		if err := g.check(); err != nil {
			return err
		}
		if err := unusedCluster(c); err != nil {
			return err
		}
		return misplaced(c, args)
	}
	root.SetFlagErrorFunc(flagError)
	root.SetIn(g.In)
	root.SetOut(g.Out)
	root.SetErr(g.Err)
	g.addFlags(root)
	root.AddCommand(
		newTriage(g), newWatermarks(g), newWatch(g), newSnapshot(g), newRecommend(g), newObserve(g), newSimulate(g), newCrosscheck(g), newWhatIf(g),
		newCheck(g), newAlerts(g), newExport(g), newExplain(g), newChecks(g), newDemo(g), newContext(g), version,
	)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Short = "what a command does and which flags it takes"
		case "completion":
			c.Short = "completion of commands, flags, jobs and contexts for bash, zsh, fish and PowerShell"
		}
	}
	layout.Set(root)
	return root
}

// flagError says what is wrong with a flag, and knows which command takes one that this does not.
func flagError(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	name := ""
	if errors.As(err, &unknown) {
		name = unknown.GetSpecifiedName()
	}
	switch {
	case !c.HasParent() && c.Flags().NArg() > 0: // what a flag belongs to comes before it
		return noCommand(c, c.Flags().Arg(0))
	case name == "from" && c.Name() == "watch":
		return request.Badf("watch reads a live cluster; `tidemark triage --from FILE` reads a recording")
	case name == "all-contexts":
		return request.Badf("%s is about one cluster: name it with --context; `tidemark triage --all-contexts` reads all of them once", c.Name())
	}
	return flags.Mistake(c, err)
}

func noCommand(root *cobra.Command, name string) error {
	if near := root.SuggestionsFor(name); len(near) > 0 {
		return request.Badf("no command %q; near: %s", name, strings.Join(near, ", "))
	}
	return request.Badf("no command %q; see `tidemark --help`", name)
}
