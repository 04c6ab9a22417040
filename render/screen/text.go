package screen

import (
	"bytes"
	"strings"

	"tidemark/analyze/catalog"
	"tidemark/render/doc"
	"tidemark/render/explain"
	"tidemark/render/safe"
)

var helpLines = []string{
	"enter      open the job            esc   back",
	"up, down   select or scroll        /     show only jobs whose name, verdict or place contains a text",
	"n          next finding of a job",
	"e          explain the finding     y     copy its fix to the clipboard (OSC 52)",
	"s          write the last readings of the job to a recording, for triage --from",
	"o          write the report of the job as an html page",
	"q          quit",
	"",
	"The first line is the verdict. * marks what has changed since the last reading. The vertices of a job are",
	"in the order of the data flow; X marks the way to what holds the watermark back.",
	"In a strip, newest right, a block is the lag while it advances; × stands still, _ no watermark, - idle or",
	"nothing is expected, · not read.",
}

// explain shows the text of a check.
func (m *Model) explain(code string) {
	c, ok := catalog.FindCheck(code)
	if !ok {
		m.said = "no explanation of " + safe.Short(code, 20)
		return
	}
	var b bytes.Buffer
	if err := doc.Text(&b, explain.Check(c), doc.Look{Width: m.width}); err != nil {
		m.said = safe.Clean(err.Error())
		return
	}
	m.show("", strings.Split(strings.TrimRight(b.String(), "\n"), "\n"))
}

// copyFix puts the code of the fix into the clipboard, or its text where it has no code.
func (m *Model) copyFix() {
	f := m.shown()
	if f == nil {
		m.said = "no finding with a fix"
		return
	}
	text, what := f.Fix.DataStream, "the DataStream fix"
	switch {
	case text == "" && f.Fix.SQL != "":
		text, what = f.Fix.SQL, "the SQL fix"
	case text == "":
		text, what = f.Fix.Text, "the fix"
	}
	if text == "" {
		m.said = "this finding has no fix to copy"
		return
	}
	m.o.Copy(strings.Join(safe.Lines(text), "\n"))
	m.said = "copied " + what + " of " + safe.Short(f.Code, 20)
}
