package render

import (
	"tidemark/analyze/catalog"
	"tidemark/render/doc"
	"tidemark/render/explain"
	"tidemark/render/words"
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

// Checks is the list of checks.
func Checks(checks []catalog.Check) Result {
	data := make([]checkData, 0, len(checks))
	t := doc.Table{Columns: doc.Columns("code", "cause", "severity", "title")}
	for _, c := range checks {
		data = append(data, dataOf(c))
		severity := words.Label(string(c.Severity))
		t.Rows = append(t.Rows, doc.Row{Cells: []doc.Cell{{Text: c.Code}, {Text: c.Cause}, {Text: severity.Word, Tone: severity.Tone}, {Text: c.Title}}})
	}
	return Result{Data: data, Document: func() *doc.Document {
		return &doc.Document{Title: "Checks of tidemark", Blocks: []doc.Block{t}}
	}}
}

// Explain is one check: the symptom, why it happens, how to distinguish it, what to do.
func Explain(c catalog.Check) Result {
	return Result{Data: dataOf(c), Document: func() *doc.Document { return explain.Check(c) }}
}
