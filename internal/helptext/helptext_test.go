package helptext

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Examples come before flags, each flag is under its heading, and flags that a command refuses are left out.
func TestEachFlagStandsUnderItsHeading(t *testing.T) {
	root := &cobra.Command{Use: "program"}
	root.PersistentFlags().String("cluster", "", "where")
	root.PersistentFlags().String("refused", "", "nowhere")
	c := &cobra.Command{Use: "read", Short: "reads", Example: "  program read", Run: func(*cobra.Command, []string) {}}
	c.Flags().Int("deep", 1, "how deep is read, in words that are too many for one line of a narrow terminal")
	root.AddCommand(c)
	l := Layout{
		Commands: []Group{{Title: "All:", Names: []string{"read"}}}, Flags: []Group{{Title: "Cluster", Names: []string{"cluster", "refused"}}},
		Foreign: func(_ *cobra.Command, f *pflag.Flag) bool { return f.Name == "refused" },
	}
	var b strings.Builder
	l.Help(c, &b, 40)
	want := `reads

Usage:
  program read [flags]

Examples:
  program read

Flags:
      --deep int   how deep is read, in
                   words that are too
                   many for one line of
                   a narrow terminal
                   (default 1)

Cluster:
      --cluster string   where
`
	if b.String() != want {
		t.Errorf("got\n%s", b.String())
	}
	b.Reset()
	if l.Help(root, &b, 0); !strings.Contains(b.String(), "\nAll:\n  read        reads\n") {
		t.Errorf("got\n%s", b.String())
	}
}
