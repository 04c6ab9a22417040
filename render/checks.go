package render

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"tidemark/analyze/catalog"
)

// checkData is a check as data in JSON and YAML.
type checkData struct {
	Code     string           `json:"code"`
	Cause    string           `json:"cause"`
	Title    string           `json:"title"`
	Severity catalog.Severity `json:"severity"`
	Symptom  *int             `json:"symptom"`
	Since    string           `json:"since,omitempty"`
	Former   []string         `json:"former,omitempty"` // causes it had before
	Needs    []string         `json:"needs"`
	Means    string           `json:"means"`
	Why      string           `json:"why"`
	Fix      catalog.Fix      `json:"fix"`
}

func dataOf(c catalog.Check) checkData {
	d := checkData{Code: c.Code, Cause: c.Cause, Title: c.Title, Severity: c.Severity, Since: c.Since, Former: c.Former,
		Needs: c.NeedTexts(), Means: c.Means, Why: c.Why, Fix: c.Fix}
	if c.Symptom != 0 {
		d.Symptom = &c.Symptom
	}
	return d
}

// Checks writes the list of checks as table, json, yaml or markdown.
func Checks(w io.Writer, format string, checks []catalog.Check, o Options) error {
	switch format {
	case JSON, YAML:
		list := make([]checkData, 0, len(checks))
		for _, c := range checks {
			list = append(list, dataOf(c))
		}
		return Data(w, format, list)
	case Markdown:
		var b bytes.Buffer
		b.WriteString("| code | cause | severity | title |\n|---|---|---|---|\n")
		for _, c := range checks {
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", md(c.Code), md(c.Cause), c.Severity, md(c.Title))
		}
		_, err := w.Write(b.Bytes())
		return err
	}
	var b bytes.Buffer
	x := &text{w: &b, t: newTheme(w, o.Color), width: o.width()}
	cause := len("cause")
	for _, c := range checks {
		cause = max(cause, len(c.Cause))
	}
	x.line(x.t.strong.Render(pad("code", 7) + pad("cause", cause+1) + pad("severity", 9) + "title"))
	for _, c := range checks {
		left := pad(c.Code, 7) + pad(c.Cause, cause+1) + pad(x.t.severity(c.Severity), 9)
		fmt.Fprint(x.w, indentCells(left, 7+cause+1+9, wrap(c.Title, x.width-7-cause-1-9)))
	}
	_, err := w.Write(b.Bytes())
	return err
}

// Explain writes one check as table (text), json, yaml or markdown.
func Explain(w io.Writer, format string, c catalog.Check, o Options) error {
	var b bytes.Buffer
	switch format {
	case JSON, YAML:
		return Data(w, format, dataOf(c))
	case Markdown:
		explainMarkdown(&b, c)
	default:
		explainText(&text{w: &b, t: newTheme(w, o.Color), width: o.width()}, c)
	}
	_, err := w.Write(b.Bytes())
	return err
}

func explainText(x *text, c catalog.Check) {
	name := c.Code + " " + c.Cause
	for i, l := range wrapAfter(c.Title, x.width-len(name)-2, x.width-2) {
		if i == 0 {
			x.line(x.t.strong.Render(name) + ": " + l)
		} else {
			x.line("  " + l)
		}
	}
	x.dimmed(strings.Join(checkTraits(c), "; "))
	x.section("What one sees", c.Means)
	x.section("Why, and how it is told apart", c.Why)
	x.section("What to do", c.Fix.Text)
	x.sectionCode("DataStream", c.Fix.DataStream)
	x.sectionCode("SQL", c.Fix.SQL)
}

func (x *text) section(title, body string) {
	if body == "" {
		return
	}
	x.line("")
	x.line(x.t.strong.Render(title))
	for _, paragraph := range strings.Split(body, "\n\n") {
		fmt.Fprint(x.w, indent("  ", wrap(paragraph, x.width-2)))
	}
}

func (x *text) sectionCode(title, code string) {
	if code == "" {
		return
	}
	x.line("")
	x.line(x.t.strong.Render(title))
	for _, l := range cleanLines(code) {
		fmt.Fprint(x.w, indent("  ", wrapCode(l, x.width-2)))
	}
}

func explainMarkdown(b *bytes.Buffer, c catalog.Check) {
	fmt.Fprintf(b, "# %s %s: %s\n\n%s.\n", md(c.Code), md(c.Cause), md(c.Title), md(strings.Join(checkTraits(c), "; ")))
	for _, s := range [][2]string{{"What one sees", c.Means}, {"Why, and how it is told apart", c.Why}, {"What to do", c.Fix.Text}} {
		if s[1] != "" {
			var paragraphs []string
			for _, p := range strings.Split(s[1], "\n\n") {
				paragraphs = append(paragraphs, md(strings.Join(strings.Fields(p), " ")))
			}
			fmt.Fprintf(b, "\n## %s\n\n%s\n", s[0], strings.Join(paragraphs, "\n\n"))
		}
	}
	mdCode(b, "DataStream", "java", c.Fix.DataStream)
	mdCode(b, "SQL", "sql", c.Fix.SQL)
}

// checkTraits are the small facts about a check.
func checkTraits(c catalog.Check) []string {
	t := []string{"severity " + string(c.Severity)}
	if c.Since != "" {
		t = append(t, "since Flink "+c.Since)
	}
	if len(c.Former) > 0 {
		t = append(t, "formerly "+strings.Join(c.Former, ", "))
	}
	if len(c.Needs) > 0 {
		t = append(t, "needs "+strings.Join(c.NeedTexts(), ", "))
	}
	return t
}
