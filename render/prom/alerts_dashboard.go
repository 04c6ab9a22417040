package prom

import (
	"bytes"
	"encoding/json"
)

// dashboard is a Grafana dashboard of schema version 36 (Grafana 8.5 and later), as "Import dashboard" takes it.
type dashboard struct {
	Title         string     `json:"title"`
	UID           string     `json:"uid"`
	Description   string     `json:"description"`
	Tags          []string   `json:"tags"`
	SchemaVersion int        `json:"schemaVersion"`
	Refresh       string     `json:"refresh"`
	Time          timeRange  `json:"time"`
	Templating    templating `json:"templating"`
	Links         []link     `json:"links"`
	Panels        []panel    `json:"panels"`
}

// link is a link to a runbook.
type link struct {
	Title       string `json:"title"`
	Type        string `json:"type,omitempty"` // of the dashboard's own links
	URL         string `json:"url"`
	TargetBlank bool   `json:"targetBlank"`
}

type timeRange struct {
	From string `json:"from"`
	To   string `json:"to"`
}

type templating struct {
	List []variable `json:"list"`
}

type variable struct {
	Name       string      `json:"name"`
	Label      string      `json:"label"`
	Type       string      `json:"type"`
	Datasource *datasource `json:"datasource,omitempty"`
	Query      string      `json:"query"`
	Regex      string      `json:"regex"`
	IncludeAll bool        `json:"includeAll"`
	AllValue   string      `json:"allValue"`
	Multi      bool        `json:"multi"`
	Refresh    int         `json:"refresh"`
	Sort       int         `json:"sort"`
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
	Links       []link      `json:"links"`
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
	Overrides []override    `json:"overrides"`
}

// override links a column of a table to the runbook that it names.
type override struct {
	Matcher    property   `json:"matcher"`
	Properties []property `json:"properties"`
}

type property struct {
	ID      string `json:"id"`
	Options string `json:"options,omitempty"`
	Value   []link `json:"value,omitempty"`
}

type fieldDefaults struct {
	Unit       string         `json:"unit"`
	Color      color          `json:"color"`
	Thresholds thresholds     `json:"thresholds"`
	Custom     map[string]any `json:"custom"`
}

type color struct {
	Mode string `json:"mode"`
}

type thresholds struct {
	Mode  string `json:"mode"`
	Steps []step `json:"steps"`
}

// step colours what is at or above its value; the first has none.
type step struct {
	Color string   `json:"color"`
	Value *float64 `json:"value"`
}

type target struct {
	RefID        string     `json:"refId"`
	Datasource   datasource `json:"datasource"`
	Expr         string     `json:"expr"`
	LegendFormat string     `json:"legendFormat"`
	Instant      bool       `json:"instant"`
	Format       string     `json:"format,omitempty"`
}

// source is the variable of the dashboard.
var source = datasource{Type: "prometheus", UID: "${datasource}"}

func dashboardJSON(o AlertOptions) ([]byte, error) {
	allowed := o.Jobs
	if allowed == "" {
		allowed = ".+"
	}
	d := dashboard{
		Title:         "Flink event time",
		UID:           "tidemark-event-time",
		Description:   "Event-time watermarks of Flink jobs, made by tidemark alerts. No watermark yet (Long.MIN_VALUE) and end of input (Long.MAX_VALUE) are counted, never drawn as a time.",
		Tags:          []string{"flink", "tidemark"},
		SchemaVersion: 36,
		Refresh:       "30s",
		Time:          timeRange{From: "now-3h", To: "now"},
		Links:         o.runbookLinks(),
		Templating: templating{List: []variable{{
			Name: "datasource", Label: "Prometheus", Type: "datasource", Query: "prometheus", Refresh: 1,
		}, {
			Name: "job", Label: "job", Type: "query", Datasource: &source,
			Query:      "label_values(" + taskIn + "{" + o.filter() + "}, job_name)",
			IncludeAll: true, AllValue: allowed, Multi: true, Refresh: 2, Sort: 1,
		}}},
	}
	fill := o.replacer(o.dashboardFilter())
	at := gridPos{}
	for i, p := range dashboardPanels {
		if at.X+p.w > gridWidth || i > 0 && p.h != at.H {
			at.X, at.Y = 0, at.Y+at.H
		}
		at.W, at.H = p.w, p.h
		d.Panels = append(d.Panels, p.panel(o, fill, i+1, at))
		at.X += p.w
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(d)
	return b.Bytes(), err
}

// dashboardFilter selects by the variable of the dashboard; "All" does not include excluded jobs.
func (o AlertOptions) dashboardFilter() string {
	o.Jobs = "$job"
	return o.filter()
}
