package prom

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func parsedDashboard(t *testing.T, change func(*AlertOptions)) dashboard {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(alertsText(t, AlertDashboard, change)))
	dec.DisallowUnknownFields()
	var d dashboard
	if err := dec.Decode(&d); err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDashboardCanBeImported(t *testing.T) {
	d := parsedDashboard(t, func(o *AlertOptions) { o.Exclude = "dev-.*" })
	if v := d.Templating.List[0]; v.Name != "datasource" || v.Type != "datasource" || v.Query != "prometheus" || v.Datasource != nil {
		t.Errorf("no datasource can be chosen: %+v", v)
	}
	if d.Title == "" || d.UID == "" || d.SchemaVersion == 0 {
		t.Errorf("%+v", d)
	}
	taken, ids := map[[2]int]bool{}, map[int]bool{}
	for _, p := range d.Panels {
		if ids[p.ID] {
			t.Errorf("%s has the id of another panel", p.Title)
		}
		ids[p.ID] = true
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				if taken[[2]int{x, y}] || x >= 24 {
					t.Fatalf("%s overlaps another panel or is outside the grid: %+v", p.Title, p.GridPos)
				}
				taken[[2]int{x, y}] = true
			}
		}
		if p.Title == "" || p.Description == "" || p.Datasource.UID != "${datasource}" || p.Targets[0].Datasource.UID != "${datasource}" {
			t.Errorf("%+v", p)
		}
		if e := p.Targets[0].Expr; !strings.Contains(e, `job_name=~"$job",job_name!~"dev-.*"`) || strings.Contains(e, "tidemark:") {
			t.Errorf("%s ignores the variable, or needs the rules: %s", p.Title, e)
		}
	}
	for _, p := range d.Panels {
		if t0 := p.Targets[0]; p.Type == "timeseries" && (!strings.Contains(t0.LegendFormat, "{{short_id}}") || !strings.HasPrefix(t0.Expr, "label_replace(")) {
			t.Errorf("%s: the legend %q does not tell jobs of one name apart", p.Title, t0.LegendFormat)
		}
	}
	if len(d.Panels) != len(dashboardPanels) {
		t.Errorf("%d panels", len(d.Panels))
	}
}

// The first row says in numbers whether anything is wrong, including jobs that never had a watermark.
func TestTheDashboardBeginsWithNumbers(t *testing.T) {
	d := parsedDashboard(t, func(o *AlertOptions) {
		o.MaxLag, o.MaxRestarts, o.Runbooks = 7*time.Minute, 4, "https://docs.example/runbooks/"
	})
	kinds := map[string]int{}
	for _, p := range d.Panels {
		kinds[p.Type]++
		steps := p.FieldConfig.Defaults.Thresholds.Steps
		switch {
		case p.Type == "stat":
			if p.GridPos.Y != 0 || !p.Targets[0].Instant || len(steps) != 2 || p.FieldConfig.Defaults.Color.Mode != "thresholds" {
				t.Errorf("%+v", p)
			}
		case p.GridPos.Y == 0:
			t.Errorf("%s is among the numbers", p.Title)
		}
		if strings.Contains(p.Title, "lag") && *steps[1].Value != 420 || strings.Contains(p.Title, "Restarts") && *steps[1].Value != 4 {
			t.Errorf("%s changes its colour at %v", p.Title, *steps[1].Value)
		}
		if p.Type == "timeseries" && len(steps) == 2 && p.FieldConfig.Defaults.Custom["thresholdsStyle"] == nil {
			t.Errorf("%s shows no limit", p.Title)
		}
	}
	if kinds["stat"] != 6 || kinds["table"] != 2 || kinds["timeseries"] < 8 {
		t.Errorf("%v", kinds)
	}
	never := d.Panels[1]
	if !strings.Contains(never.Targets[0].Expr, "< -9.2e18") || never.Links[0].URL != "https://docs.example/runbooks/TidemarkNeverEmitted.md" ||
		!strings.Contains(never.Description, "tidemark explain TM101") {
		t.Errorf("%+v", never)
	}
	if d.Links[0].URL != "https://docs.example/runbooks/README.md" {
		t.Errorf("%+v", d.Links)
	}
	if columns := d.Panels[kinds["stat"]].FieldConfig.Overrides; len(columns) != 1 || columns[0].Properties[0].Value[0].URL != "https://docs.example/runbooks/${__value.raw}.md" {
		t.Errorf("the list of alerts leads nowhere: %+v", columns)
	}
}

func TestPanelsNameAlertsThatExist(t *testing.T) {
	known := map[string]bool{}
	for _, a := range alerts {
		known[a.name] = true
	}
	for _, p := range dashboardPanels {
		for _, name := range p.alerts {
			if !known[name] {
				t.Errorf("%s names %s, which is no alert", p.title, name)
			}
		}
	}
}

func TestTheListNamesEveryAlert(t *testing.T) {
	o := DefaultAlertOptions()
	o.ForLag = time.Hour
	list, err := List(o)
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]Alert{}
	for _, a := range list {
		listed[a.Name] = a
	}
	for _, r := range parsedRules(t, func(o *AlertOptions) { o.ForLag = time.Hour }) {
		if a := listed[r.Alert]; r.Alert != "" && (a.Severity != r.Labels["severity"] || a.For != r.For || a.Expr != r.Expr || a.Checks[0] != r.Labels["code"]) {
			t.Errorf("%+v is listed as %+v", r, a)
		}
	}
	if a := listed["TidemarkEventTimeLag"]; a.For != "1h" || len(list) != len(alerts) {
		t.Errorf("%d of %d alerts; the lag waits %s", len(list), len(alerts), a.For)
	}
	one, two := o, o
	one.Name, two.Name = "orders", "rest"
	if sets, err := List(o, one, two); err != nil || len(sets) <= len(list) {
		t.Errorf("%d alerts of two sets, %v", len(sets), err)
	}
}
