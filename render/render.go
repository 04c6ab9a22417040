// Package render turns a report into a document for people, or into data for machines, and writes it
// in any format. What a cluster or a topic named is foreign text and passes package safe.
package render

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"tidemark/render/doc"
	"tidemark/render/safe"
)

// The formats of every report.
const (
	Table    = "table"
	JSON     = "json"
	YAML     = "yaml"
	Markdown = "markdown"
	HTML     = "html"
)

// Formats are the formats of every report.
var Formats = []string{Table, JSON, YAML, Markdown, HTML}

// Options say how text is laid out.
type Options struct {
	Color   bool
	Width   int  // cells of a line of text, 0 = 80
	Height  int  // lines of a terminal, 0 = none: a longer text ends with the verdicts once more
	Verbose bool // text shows what is folded otherwise
}

// Result is what a command reports.
type Result struct {
	Data     any                              // written as JSON and YAML
	Document func() *doc.Document             // written for people
	Page     func() *doc.Document             // what a page shows instead, nil = the same
	Own      map[string]func(io.Writer) error // formats that only this report has
	Limit    int                              // bytes that its Markdown may have, 0 = any
}

// Write writes r in the named format, in one piece. An unknown format is an error; so is a writer
// that fails.
func (r Result) Write(w io.Writer, format string, o Options) error {
	var b bytes.Buffer
	var err error
	switch own := r.Own[format]; {
	case own != nil:
		err = own(&b)
	case format == Table:
		err = doc.Text(&b, r.Document(), doc.Look(o))
	case format == JSON:
		err = safe.JSON(&b, r.Data)
	case format == YAML:
		err = safe.YAML(&b, r.Data)
	case format == Markdown:
		err = doc.Markdown(&b, r.Document(), r.Limit)
	case format == HTML:
		page := r.Page
		if page == nil {
			page = r.Document
		}
		err = doc.HTML(&b, page())
	default:
		own := slices.Sorted(maps.Keys(r.Own))
		return fmt.Errorf("no format %q; there are %s", format, strings.Join(append(slices.Clip(Formats), own...), ", "))
	}
	if err != nil {
		return fmt.Errorf("report as %s: %w", format, err)
	}
	_, err = w.Write(b.Bytes())
	return err
}
