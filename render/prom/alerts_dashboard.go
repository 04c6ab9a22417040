package prom

import (
	"bytes"
	"encoding/json"
)

// dashboard is a Grafana dashboard of schema version 36 (Grafana 8.5 and later), as "Import dashboard" takes it.
type dashboard struct {
	Inputs        []dashboardInput `json:"__inputs"`
	Title         string           `json:"title"`
	UID           string           `json:"uid"`
	Description   string           `json:"description"`
	Tags          []string         `json:"tags"`
	SchemaVersion int              `json:"schemaVersion"`
	Refresh       string           `json:"refresh"`
	Time          timeRange        `json:"time"`
	Templating    templating       `json:"templating"`
	Panels        []panel          `json:"panels"`
}

type dashboardInput struct {
	Name     string `json:"name"`
	Label    string `json:"label"`
	Type     string `json:"type"`
	PluginID string `json:"pluginId"`
}

type timeRange struct {
	From string `json:"from"`
	To   string `json:"to"`
}

type templating struct {
	List []variable `json:"list"`
}

type variable struct {
	Name       string     `json:"name"`
	Label      string     `json:"label"`
	Type       string     `json:"type"`
	Datasource datasource `json:"datasource"`
	Query      string     `json:"query"`
	Regex      string     `json:"regex"`
	IncludeAll bool       `json:"includeAll"`
	AllValue   string     `json:"allValue"`
	Multi      bool       `json:"multi"`
	Refresh    int        `json:"refresh"`
	Sort       int        `json:"sort"`
}

type datasource struct {
	Type string `json:"type"`
	UID  string `json:"uid"`
}

type panel struct {
	ID          int         `json:"id"`
	Title       string      `json:"title"`
	Description string      `json:"description"`
	Type        string      `json:"type"`
	Datasource  datasource  `json:"datasource"`
	GridPos     gridPos     `json:"gridPos"`
	FieldConfig fieldConfig `json:"fieldConfig"`
	Targets     []target    `json:"targets"`
}

type gridPos struct {
	H int `json:"h"`
	W int `json:"w"`
	X int `json:"x"`
	Y int `json:"y"`
}

type fieldConfig struct {
	Defaults  fieldDefaults `json:"defaults"`
	Overrides []any         `json:"overrides"`
}

type fieldDefaults struct {
	Unit   string         `json:"unit"`
	Custom map[string]any `json:"custom"`
}

type target struct {
	RefID        string     `json:"refId"`
	Datasource   datasource `json:"datasource"`
	Expr         string     `json:"expr"`
	LegendFormat string     `json:"legendFormat"`
	Instant      bool       `json:"instant"`
}

// source is asked for when the dashboard is imported.
var source = datasource{Type: "prometheus", UID: "${DS_PROMETHEUS}"}

const panelHeight, panelWidth, panelsInRow = 8, 12, 2

func dashboardJSON(o AlertOptions) ([]byte, error) {
	allowed := o.Jobs
	if allowed == "" {
		allowed = ".+"
	}
	d := dashboard{
		Inputs:        []dashboardInput{{Name: "DS_PROMETHEUS", Label: "Prometheus", Type: "datasource", PluginID: "prometheus"}},
		Title:         "Flink event time",
		UID:           "tidemark-event-time",
		Description:   "Event-time watermarks of Flink jobs, made by tidemark alerts. No watermark yet (Long.MIN_VALUE) and end of input (Long.MAX_VALUE) are counted, never drawn as a time.",
		Tags:          []string{"flink", "tidemark"},
		SchemaVersion: 36,
		Refresh:       "30s",
		Time:          timeRange{From: "now-3h", To: "now"},
		Templating: templating{List: []variable{{
			Name: "job", Label: "job", Type: "query", Datasource: source,
			Query:      "label_values(" + taskIn + "{" + o.filter() + "}, job_name)",
			IncludeAll: true, AllValue: allowed, Multi: true, Refresh: 2, Sort: 1,
		}}},
	}
	fill := o.replacer(o.dashboardFilter())
	for i, p := range dashboardPanels {
		d.Panels = append(d.Panels, panel{
			ID: i + 1, Title: p.title, Description: p.text, Type: "timeseries", Datasource: source,
			GridPos:     gridPos{H: panelHeight, W: panelWidth, X: i % panelsInRow * panelWidth, Y: i / panelsInRow * panelHeight},
			FieldConfig: fieldConfig{Defaults: fieldDefaults{Unit: p.unit, Custom: map[string]any{"spanNulls": false}}, Overrides: []any{}},
			Targets:     []target{{RefID: "A", Datasource: source, Expr: fill.Replace(p.expr), LegendFormat: p.legend}},
		})
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(d)
	return b.Bytes(), err
}

// dashboardFilter chooses by the variable of the dashboard; what is excluded stays so under "All".
func (o AlertOptions) dashboardFilter() string {
	o.Jobs = "$job"
	return o.filter()
}
