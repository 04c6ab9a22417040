package cmd

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"tidemark/analyze"
	"tidemark/render"
	"tidemark/render/doc"
)

// buildInfo is what the Go toolchain wrote into the binary.
type buildInfo struct {
	Name     string `json:"name"`
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Time     string `json:"time,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func readBuild() buildInfo {
	b := buildInfo{Name: "tidemark", Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.time":
			b.Time = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

// tool names this program in a report.
func tool() analyze.Tool {
	b := readBuild()
	return analyze.Tool{Name: b.Name, Version: b.Version}
}

func newVersion(g *globals) *cobra.Command {
	var out output
	c := &cobra.Command{
		Use:     "version",
		Short:   "what this binary was built from",
		Example: "  tidemark version\n  tidemark version -o json",
		Args:    atMost(0),
		RunE: func(*cobra.Command, []string) error {
			b := readBuild()
			return out.write(g, render.Result{Data: b, Document: func() *doc.Document {
				line := fmt.Sprintf("tidemark %s (%s, %s)", b.Version, b.Go, b.Platform)
				if b.Revision != "" {
					line += ", revision " + b.Revision
				}
				if b.Time != "" {
					line += " of " + b.Time
				}
				return &doc.Document{Title: "tidemark", Blocks: []doc.Block{doc.Heading{Level: 1, Text: line}}}
			}})
		},
	}
	out.addFlags(c)
	return c
}
