// Package helptext lays out what `--help` shows: examples before flags, flags under headings, lines that fit the
// terminal.
package helptext

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

	"tidemark/render/doc"
)

// Group is a heading, and the names of the commands or flags below it.
type Group struct {
	Title string
	Names []string
}

// Layout is the order of commands and flags.
type Layout struct {
	Commands []Group                                // of the program
	Flags    []Group                                // after the flags that only one command has
	Foreign  func(*cobra.Command, *pflag.Flag) bool // reports a flag of the program that the command refuses
}

// Set makes a program and its commands use this layout.
func (l Layout) Set(root *cobra.Command) {
	root.SetHelpFunc(func(c *cobra.Command, _ []string) { l.Help(c, c.OutOrStdout(), columns(c.OutOrStdout())) })
	root.SetUsageFunc(func(c *cobra.Command) error {
		l.usage(c, c.OutOrStderr(), columns(c.OutOrStderr()))
		return nil
	})
}

// Help writes what `--help` shows, in lines of at most width cells; 0 = lines are not broken.
func (l Layout) Help(c *cobra.Command, w io.Writer, width int) {
	_, _ = fmt.Fprintf(w, "%s\n\n", fold(cmp.Or(c.Long, c.Short), width))
	l.usage(c, w, width)
}

// usage is the part of the help below the description.
func (l Layout) usage(c *cobra.Command, w io.Writer, width int) {
	_, _ = fmt.Fprintf(w, "Usage:\n  %s\n", c.UseLine())
	if c.HasExample() {
		_, _ = fmt.Fprintf(w, "\nExamples:\n%s\n", c.Example)
	}
	if c.HasAvailableSubCommands() {
		l.subcommands(w, c, width)
	}
	rest := pflag.NewFlagSet("", pflag.ContinueOnError)
	filed := make([]*pflag.FlagSet, len(l.Flags))
	for i := range filed {
		filed[i] = pflag.NewFlagSet("", pflag.ContinueOnError)
	}
	add := func(f *pflag.Flag) {
		for i, group := range l.Flags {
			if slices.Contains(group.Names, f.Name) {
				filed[i].AddFlag(f)
				return
			}
		}
		rest.AddFlag(f)
	}
	c.LocalFlags().VisitAll(add)
	c.InheritedFlags().VisitAll(func(f *pflag.Flag) {
		if !l.Foreign(c, f) {
			add(f)
		}
	})
	writeFlags(w, "Flags", rest, width)
	for i, group := range l.Flags {
		writeFlags(w, group.Title, filed[i], width)
	}
}

func (l Layout) subcommands(w io.Writer, c *cobra.Command, width int) {
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
	for _, group := range l.Commands {
		var commands []*cobra.Command
		for _, name := range group.Names {
			if found, _, err := c.Find([]string{name}); err == nil && found.Name() == name {
				commands = append(commands, found)
			}
		}
		list(group.Title, commands)
	}
}

func writeFlags(w io.Writer, title string, set *pflag.FlagSet, width int) {
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

// flagName is a flag and its value, up to its description. pflag does not break a description whose first word does not
// fit.
var flagName = regexp.MustCompile(`^ +-.*? {3,}`)

// fold breaks the paragraphs of a text at the width, 0 = not at all; indented lines do not change.
func fold(text string, width int) string {
	paragraphs := strings.Split(text, "\n\n")
	for i, p := range paragraphs {
		if width > 0 && !strings.HasPrefix(p, " ") {
			paragraphs[i] = hang("", strings.ReplaceAll(p, "\n", " "), width)
		}
	}
	return strings.Join(paragraphs, "\n\n")
}

// hang is a text after a mark, its further lines below the first.
func hang(mark, text string, width int) string {
	if width == 0 {
		return mark + text
	}
	return strings.Join(doc.Wrap(mark, text, width), "\n")
}

// columns is the width of the terminal w, 0 where w is not a terminal: lines are not broken then.
func columns(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			return min(width, 110)
		}
	}
	return 0
}
