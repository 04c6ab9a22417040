package cmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tidemark/contexts"
	"tidemark/flinkapi"
	"tidemark/internal/flags"
	"tidemark/request"
)

// globals are the flags of every command, and the process they run in.
type globals struct {
	env
	started bool    // arguments were understood and a command runs
	damage  []error // why a reading broke off; what was read before is used
	tunnels *contexts.Tunnels

	cluster        contexts.Flags
	alone          bool // the context is taken as it stands, whatever the environment says of a cluster
	color          string
	verbose, quiet bool
}

func (g *globals) addFlags(root *cobra.Command) {
	f := root.PersistentFlags()
	flags.BindTo(root, f, &g.cluster)
	f.StringVar(&g.color, "color", "auto", "colour: auto, always or never; NO_COLOR and CLICOLOR_FORCE are honoured")
	f.BoolVarP(&g.verbose, "verbose", "v", false, "say every request on standard error, and show what a report folds away")
	f.BoolVarP(&g.quiet, "quiet", "q", false, "no progress on standard error")
	flags.Fixed(root, "color", "auto", "always", "never")
	_ = root.RegisterFlagCompletionFunc("context", g.completeContexts)
}

// check refuses what cobra cannot: values out of a fixed list.
func (g *globals) check() error { return oneOf("--color", g.color, "auto", "always", "never") }

// clusterless are the commands that read no cluster; true where they do not use the context either:
// it tells the others how Kafka is reached.
var clusterless = map[string]bool{
	"recommend": false, "observe": false, "simulate": false, "alerts": false, "context show": false,
	"context": true, "context list": true, "context use": true, "explain": true, "checks": true, "demo": true, "version": true,
}

// jobsAlone are the commands that read jobs and nothing of Kafka.
var jobsAlone = []string{"triage", "watermarks", "watch", "snapshot", "check init", "export"}

// jobsToo are those that read jobs and Kafka.
var jobsToo = []string{"crosscheck", "whatif", "check"}

// below is the path of a command below the program.
func below(c *cobra.Command) string { return strings.TrimPrefix(c.CommandPath(), c.Root().Name()+" ") }

// unusedCluster refuses how a cluster is reached where the command reads none.
func unusedCluster(c *cobra.Command) error {
	name := below(c)
	given := flags.Given(c)
	if given["timeout"] && c.Flags().Lookup("timeout").Value.String() == "" {
		return request.Wrong("timeout", "is 0; it takes a duration above zero")
	}
	if given["from"] && slices.Contains(jobsAlone, name) {
		return given.Unused("a recording is read, and no cluster", "context")
	}
	alone, ok := clusterless[name]
	if !ok {
		return nil
	}
	why := name + " reads no cluster"
	if alone || name == "alerts" && !given["policy"] {
		if err := given.Unused(why, "context"); err != nil {
			return err
		}
	}
	return given.Unused(why, flinkapi.ClusterSettings...)
}

// colorOn decides whether stream gets colour: flag, then NO_COLOR, then CLICOLOR_FORCE, then whether
// a person reads it.
func (g *globals) colorOn(stream any) bool {
	switch {
	case g.color == "always":
		return true
	case g.color == "never", g.Getenv("NO_COLOR") != "":
		return false
	case g.Getenv("CLICOLOR_FORCE") != "" && g.Getenv("CLICOLOR_FORCE") != "0":
		return true
	}
	return g.IsTerminal(stream) && g.Getenv("TERM") != "dumb"
}

// notef tells the user something on standard error.
func (g *globals) notef(format string, a ...any) {
	fmt.Fprintln(g.Err, "tidemark: "+oneLine(fmt.Sprintf(format, a...)))
}

// detailf tells who asked for details.
func (g *globals) detailf(format string, a ...any) {
	if g.verbose {
		g.notef(format, a...)
	}
}

func oneOf(flag, value string, allowed ...string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return request.Badf("%s is %q; it takes %s", flag, value, strings.Join(allowed, ", "))
}

const (
	aJob   = "the name or id of a job; `tidemark triage` lists them"
	aCheck = "the code or cause of a check; `tidemark checks` lists them"
	aTopic = "the name of a topic"
)

// one takes a single argument; what says which, and where to find it.
func one(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, given []string) error {
		if len(given) == 0 {
			return request.Badf("%s needs %s", below(c), what)
		}
		return atMost(1)(c, given)
	}
}

// atMost takes n arguments or fewer.
func atMost(n int) cobra.PositionalArgs {
	return func(c *cobra.Command, given []string) error {
		switch {
		case len(given) <= n:
			return nil
		case n == 0:
			return request.Badf("%s takes no argument, and %q is one; see `%s --help`", below(c), oneLine(given[0]), c.CommandPath())
		}
		return request.Badf("%s takes one argument, and %q is another; see `%s --help`", below(c), oneLine(given[n]), c.CommandPath())
	}
}
