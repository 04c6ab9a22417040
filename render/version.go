package render

import (
	"fmt"

	"tidemark/internal/build"
	"tidemark/render/doc"
)

// Version is the report of `tidemark version`.
func Version(b build.Info) Result {
	return Result{Data: b, Document: func() *doc.Document {
		line := fmt.Sprintf("tidemark %s (%s, %s)", b.Version, b.Go, b.Platform)
		if b.Revision != "" {
			line += ", revision " + b.Revision
		}
		if b.Time != "" {
			line += " of " + b.Time
		}
		return &doc.Document{Title: "tidemark", Blocks: []doc.Block{doc.Heading{Level: 1, Text: line}}}
	}}
}
