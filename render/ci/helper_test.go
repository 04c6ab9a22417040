package ci

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"testing"

	"tidemark/analyze/policy"
	"tidemark/render/doc"
	"tidemark/render/internal/rendertest"
	"tidemark/render/safe"
)

var (
	acted        = rendertest.Acted
	narrow       = rendertest.Narrow
	inProse      = rendertest.InProse
	golden       = rendertest.Golden
	hostileNames = rendertest.Names
)

// The formats that every report has; this package makes the document and the data for them.
const (
	Text     = "table"
	JSON     = "json"
	YAML     = "yaml"
	Markdown = "markdown"
	HTML     = "html"
)

var checkFormats = append([]string{Text, JSON, YAML, Markdown, HTML}, Formats...)

func checked(t testing.TB, format string, run *policy.Run, o Options, look ...doc.Look) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b, format, run, o, look...); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func write(w io.Writer, format string, run *policy.Run, o Options, look ...doc.Look) error {
	var b bytes.Buffer
	var err error
	switch own := Writers(run, o)[format]; {
	case own != nil:
		err = own(&b)
	case format == Text:
		err = doc.Text(&b, Document(run, o), append(look, doc.Look{})[0])
	case format == JSON:
		err = safe.JSON(&b, Data(run))
	case format == YAML:
		err = safe.YAML(&b, Data(run))
	case format == Markdown:
		err = doc.Markdown(&b, Document(run, o), SummaryLimit)
	case format == HTML:
		err = doc.HTML(&b, Document(run, o))
	default:
		err = fmt.Errorf("no format %q", format)
	}
	if err != nil {
		return err
	}
	_, err = w.Write(b.Bytes())
	return err
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
