package cmd

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"tidemark/flinkapi"
)

// flagGroups are the headings of the help below the flags of a command's own, and what stands under each. A flag
// that many commands share has its place here.
var flagGroups = []struct {
	title string
	flags []string
}{
	{"Records", []string{"records", "records-format", "topic", "field", "format", "unit", "zone", "payload-schema", "message", "separator", "max-errors"}},
	{"How much is read", []string{"since", "until", "last", "segments", "for", "within", "hours"}},
	{"Kafka", []string{"brokers", "kafka-config", "rack", "read-committed", "max-bytes-per-second",
		"schema-registry", "schema-registry-ca", "schema-registry-cert", "schema-registry-key"}},
	{"Cluster", []string{"flink", "from", "context", "timeout", "token-file", "token-env", "username", "password-file", "password-env",
		"header", "cert", "key", "ca", "proxy", "insecure"}},
	{"Output", []string{"output", "report", "color", "verbose", "quiet", "help", "version"}},
}

type commandGroup struct {
	title    string
	commands []string
}

// commandGroups are the headings of the list of commands, by the question that brings a reader.
var commandGroups = []commandGroup{
	{"Event time is stuck, late or wrong:", []string{"triage", "watch", "watermarks", "crosscheck", "snapshot", "explain"}},
	{"Which delay to declare:", []string{"recommend", "observe", "simulate", "whatif"}},
	{"Before a job goes live, and while it runs:", []string{"check", "alerts", "export"}},
	{"This tool:", []string{"demo", "checks", "context", "version", "completion", "help"}},
}

// usage writes what `--help` shows below the description.
func usage(c *cobra.Command) error {
	w := c.OutOrStderr()
	_, _ = fmt.Fprintf(w, "Usage:\n  %s\n", c.UseLine())
	if c.HasAvailableSubCommands() {
		subcommands(w, c)
	}
	if c.HasExample() {
		_, _ = fmt.Fprintf(w, "\nExamples:\n%s\n", c.Example)
	}
	width := columns(w)
	rest := pflag.NewFlagSet("", pflag.ContinueOnError)
	filed := make([]*pflag.FlagSet, len(flagGroups))
	for i := range filed {
		filed[i] = pflag.NewFlagSet("", pflag.ContinueOnError)
	}
	add := func(f *pflag.Flag) {
		for i, group := range flagGroups {
			if slices.Contains(group.flags, f.Name) {
				filed[i].AddFlag(f)
				return
			}
		}
		rest.AddFlag(f)
	}
	c.LocalFlags().VisitAll(add)
	c.InheritedFlags().VisitAll(func(f *pflag.Flag) {
		if !foreign(c, f) {
			add(f)
		}
	})
	flags(w, "Flags", rest, width)
	for i, group := range flagGroups {
		flags(w, group.title, filed[i], width)
	}
	return nil
}

// foreign tells a flag of reading a cluster, of a command that reads none and would refuse it.
func foreign(c *cobra.Command, f *pflag.Flag) bool {
	alone, ok := clusterless[below(c)]
	return ok && (slices.Contains(flinkapi.ClusterSettings, f.Name) || alone && f.Name == "context")
}

func subcommands(w io.Writer, c *cobra.Command) {
	list := func(title string, commands []*cobra.Command) {
		_, _ = fmt.Fprintf(w, "\n%s\n", title)
		for _, s := range commands {
			_, _ = fmt.Fprintf(w, "  %-*s %s\n", s.NamePadding(), s.Name(), s.Short)
		}
	}
	if c.HasParent() {
		list("Commands:", c.Commands())
		return
	}
	for _, group := range commandGroups {
		var commands []*cobra.Command
		for _, name := range group.commands {
			if found, _, err := c.Find([]string{name}); err == nil && found.Name() == name {
				commands = append(commands, found)
			}
		}
		list(group.title, commands)
	}
}

func flags(w io.Writer, title string, set *pflag.FlagSet, width int) {
	if set.HasAvailableFlags() {
		_, _ = fmt.Fprintf(w, "\n%s:\n%s\n", title, strings.TrimRight(set.FlagUsagesWrapped(width), "\n"))
	}
}

// columns is the width of a terminal, 0 where w is none: lines stay whole then.
func columns(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			return min(width, 160)
		}
	}
	return 0
}
