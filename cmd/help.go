package cmd

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"tidemark/flinkapi"
	"tidemark/render/doc"
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

// help writes what `--help` shows.
func help(c *cobra.Command, _ []string) {
	w := c.OutOrStdout()
	width := columns(w)
	_, _ = fmt.Fprintf(w, "%s\n\n", fold(cmp.Or(c.Long, c.Short), width))
	writeUsage(c, w, width)
}

// usage is the part of the help below the description.
func usage(c *cobra.Command) error {
	w := c.OutOrStderr()
	writeUsage(c, w, columns(w))
	return nil
}

func writeUsage(c *cobra.Command, w io.Writer, width int) {
	_, _ = fmt.Fprintf(w, "Usage:\n  %s\n", c.UseLine())
	if c.HasExample() {
		_, _ = fmt.Fprintf(w, "\nExamples:\n%s\n", c.Example)
	}
	if c.HasAvailableSubCommands() {
		subcommands(w, c, width)
	}
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
}

// foreign tells a flag of reading a cluster, of a command that reads none and would refuse it.
func foreign(c *cobra.Command, f *pflag.Flag) bool {
	alone, ok := clusterless[below(c)]
	return ok && (slices.Contains(flinkapi.ClusterSettings, f.Name) || alone && f.Name == "context")
}

func subcommands(w io.Writer, c *cobra.Command, width int) {
	list := func(title string, commands []*cobra.Command) {
		_, _ = fmt.Fprintf(w, "\n%s\n", title)
		for _, s := range commands {
			line := fmt.Sprintf("  %-*s ", s.NamePadding(), s.Name())
			_, _ = fmt.Fprintln(w, hang(line, s.Short, width))
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
	if !set.HasAvailableFlags() {
		return
	}
	_, _ = fmt.Fprintf(w, "\n%s:\n", title)
	for line := range strings.Lines(set.FlagUsages()) {
		line = strings.TrimRight(line, "\n")
		at := flagName.FindStringIndex(line)[1]
		mark, text := line[:at], line[at:]
		if longest := slices.MaxFunc(strings.Fields(text), byLength); width > 0 && len(mark)+len(longest) > width {
			_, _ = fmt.Fprintln(w, strings.TrimRight(mark, " "))
			mark = strings.Repeat(" ", 8)
		}
		_, _ = fmt.Fprintln(w, hang(mark, text, width))
	}
}

func byLength(a, b string) int { return cmp.Compare(len(a), len(b)) }

// flagName is a flag and what it takes, up to its text. pflag leaves a text whole whose first word does not fit.
var flagName = regexp.MustCompile(`^ +-.*? {3,}`)

// fold breaks the paragraphs of a text at the width; lines that are indented stay as they are. 0: all do.
func fold(text string, width int) string {
	paragraphs := strings.Split(text, "\n\n")
	for i, p := range paragraphs {
		if width > 0 && !strings.HasPrefix(p, " ") {
			paragraphs[i] = hang("", strings.ReplaceAll(p, "\n", " "), width)
		}
	}
	return strings.Join(paragraphs, "\n\n")
}

// hang is a text behind a mark, its further lines below the first.
func hang(mark, text string, width int) string {
	if width == 0 {
		return mark + text
	}
	return strings.Join(doc.Wrap(mark, text, width), "\n")
}

// columns is the width of a terminal, 0 where w is none: lines stay whole then.
func columns(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			return min(width, 110)
		}
	}
	return 0
}
