// Package render writes one report in many formats, one file a format. Everything a cluster named
// is foreign text and passes Clean, or the escaping of its format, before it is written.
package render

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"tidemark/analyze"
)

// The formats of a report.
const (
	Table    = "table"
	JSON     = "json"
	YAML     = "yaml"
	Markdown = "markdown"
	HTML     = "html"
)

// Formats are the formats that Report writes.
var Formats = []string{Table, JSON, YAML, Markdown, HTML}

// Options say how text looks.
type Options struct {
	Color bool
	Width int // cells of a line of text, 0 = 80

	// Root is the directory that the files of a check run are named from, "" = as they were given. CI
	// systems want names relative to the repository.
	Root string
}

func (o Options) width() int {
	if o.Width < 60 {
		return 80
	}
	return o.Width
}

// Report writes r in the named format, in one piece. An unknown format is an error; so is a writer
// that fails.
func Report(w io.Writer, format string, r *analyze.Report, o Options) error {
	var b bytes.Buffer
	var err error
	switch format {
	case Table:
		err = writeText(&b, newTheme(w, o.Color), r, o.width())
	case JSON:
		err = writeJSON(&b, filled(r))
	case YAML:
		err = writeYAML(&b, filled(r))
	case Markdown:
		err = writeMarkdown(&b, r)
	case HTML:
		err = writeHTML(&b, r)
	default:
		return fmt.Errorf("no format %q; there are %s", format, strings.Join(Formats, ", "))
	}
	if err != nil {
		return fmt.Errorf("report as %s: %w", format, err)
	}
	_, err = w.Write(b.Bytes())
	return err
}

// Data writes any value as JSON or YAML, with the same care for foreign text as a report.
func Data(w io.Writer, format string, v any) error {
	var b bytes.Buffer
	var err error
	switch format {
	case JSON:
		err = writeJSON(&b, v)
	case YAML:
		err = writeYAML(&b, v)
	default:
		return fmt.Errorf("no data format %q; there are json, yaml", format)
	}
	if err != nil {
		return fmt.Errorf("data as %s: %w", format, err)
	}
	_, err = w.Write(b.Bytes())
	return err
}
