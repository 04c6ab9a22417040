package render

import (
	"io"
	"strings"

	"tidemark/analyze"
	"tidemark/render/doc"
	"tidemark/render/prom"
)

// SchemaAlerts names the JSON form of the list of alerts.
const SchemaAlerts = "tidemark.alerts/v1"

// AlertsData is the alerts that the rules hold.
type AlertsData struct {
	Schema string       `json:"schema"`
	Tool   analyze.Tool `json:"tool"`
	Alerts []prom.Alert `json:"alerts"`
}

// Alerts is the list of alerts, and the rules and the dashboard that hold them; each of sets is a part of the jobs with
// its own limits. The options must have passed Check.
func Alerts(tool analyze.Tool, o prom.AlertOptions, sets ...prom.AlertOptions) (Result, error) {
	all, err := prom.List(o, sets...)
	d := AlertsData{Schema: SchemaAlerts, Tool: tool, Alerts: all}
	own := map[string]func(io.Writer) error{}
	for _, form := range prom.AlertForms {
		own[form] = func(w io.Writer) error { return prom.Alerts(w, form, o, sets...) }
	}
	return Result{Data: d, Document: d.document, Own: own}, err
}

func (d AlertsData) document() *doc.Document {
	t := doc.Table{Columns: doc.Columns("alert", "severity", "after", "explained by")}
	for _, a := range d.Alerts {
		name := a.Name
		if a.LimitOf != "" {
			name += " of " + a.LimitOf
		}
		t.Rows = append(t.Rows, doc.Row{Cells: []doc.Cell{{Text: name}, {Text: a.Severity, Tone: doc.Tone(a.Severity)}, {Text: a.For}, {Text: strings.Join(a.Checks, ", ")}}})
	}
	return &doc.Document{Title: "Alerts for event time", Blocks: []doc.Block{t}}
}
