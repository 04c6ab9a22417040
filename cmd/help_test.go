package cmd

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"tidemark/internal/helptext"
)

// every calls visit with each command that a user sees.
func every(c *cobra.Command, visit func(*cobra.Command)) {
	if c.HasParent() && (!c.IsAvailableCommand() || c.Name() == "completion") {
		return
	}
	visit(c)
	for _, sub := range c.Commands() {
		every(sub, visit)
	}
}

func TestEachHelpHasExamplesThatParse(t *testing.T) {
	every(newRoot(&globals{env: OS()}), func(c *cobra.Command) {
		if !c.HasParent() || c.Parent().Name() == "context" {
			return
		}
		if c.Example == "" {
			t.Errorf("%s has no examples", c.CommandPath())
		}
		for line := range strings.SplitSeq(c.Example, "\n") {
			words := strings.Fields(strings.ReplaceAll(strings.Split(strings.Split(line, " > ")[0], " | ")[0], "'", ""))
			if len(words) == 0 || words[0] != "tidemark" {
				continue // an environment before it, or a comment
			}
			root := newRoot(&globals{env: OS()})
			found, rest, err := root.Find(words[1:])
			if err == nil {
				err = found.ParseFlags(rest)
			}
			if err != nil || !strings.HasPrefix(found.CommandPath(), "tidemark ") {
				t.Errorf("%s: example %q: %v", c.CommandPath(), line, err)
			}
		}
	})
}

func TestEachCommandStandsUnderAHeading(t *testing.T) {
	for _, c := range newRoot(&globals{env: OS()}).Commands() {
		if c.IsAvailableCommand() && !slices.ContainsFunc(layout.Commands, func(g helptext.Group) bool { return slices.Contains(g.Names, c.Name()) }) {
			t.Errorf("%s stands under no heading of the help", c.Name())
		}
	}
}

func TestHelpShowsEachFlagOnce(t *testing.T) {
	every(newRoot(&globals{env: OS()}), func(c *cobra.Command) {
		var b strings.Builder
		c.SetOut(&b)
		if err := c.Usage(); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"help", "verbose", "output", "flink", "brokers", "field"} {
			f := c.Flag(name)
			if f == nil || f.Hidden {
				continue
			}
			shown := 0
			for line := range strings.SplitSeq(b.String(), "\n") {
				if words := strings.Fields(line); slices.Index(words, "--"+name) == 0 || len(words) > 1 && len(words[0]) == 3 && words[1] == "--"+name {
					shown++
				}
			}
			if want := btoi(!foreign(c, f)); shown != want {
				t.Errorf("%s shows --%s %d times, want %d", c.CommandPath(), name, shown, want)
			}
		}
	})
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestCompletionSaysWhatAWordIs(t *testing.T) {
	f := newFake(nil)
	if code := Main([]string{"__complete", "explain", "TM10"}, f.env); code != 0 || !strings.Contains(f.out.String(), "TM102\tA silent split") {
		t.Errorf("code %d: %s", code, f.out)
	}
}

// On a terminal no line of a help is broken by the terminal itself, within a word.
func TestHelpFitsTheTerminal(t *testing.T) {
	const width = 80
	every(newRoot(&globals{env: OS()}), func(c *cobra.Command) {
		var b strings.Builder
		layout.Help(c, &b, width)
		for line := range strings.SplitSeq(b.String(), "\n") {
			if n := utf8.RuneCountInString(line); n > width && !strings.Contains(c.Example+c.UseLine(), strings.TrimSpace(line)) {
				t.Errorf("%s: %d columns: %s", c.CommandPath(), n, line)
			}
		}
		if c.Long != "" && !strings.HasPrefix(strings.Join(strings.Fields(b.String()), " "), strings.Join(strings.Fields(c.Long), " ")) {
			t.Errorf("%s: other words when folded", c.CommandPath())
		}
	})
}
