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
	if d.Inputs[0].Name != "DS_PROMETHEUS" || d.Title == "" || d.UID == "" || d.SchemaVersion == 0 {
		t.Errorf("%+v", d)
	}
	spots, ids := map[gridPos]bool{}, map[int]bool{}
	for _, p := range d.Panels {
		if spots[p.GridPos] || ids[p.ID] || p.GridPos.X+p.GridPos.W > 24 {
			t.Errorf("%s lies on another panel or beside the grid: %+v", p.Title, p.GridPos)
		}
		spots[p.GridPos], ids[p.ID] = true, true
		if p.Title == "" || p.Description == "" || p.Datasource.UID != "${DS_PROMETHEUS}" || p.Targets[0].Datasource.UID != "${DS_PROMETHEUS}" {
			t.Errorf("%+v", p)
		}
		if e := p.Targets[0].Expr; !strings.Contains(e, `job_name=~"$job",job_name!~"dev-.*"`) || strings.Contains(e, "tidemark:") {
			t.Errorf("%s does not heed the variable, or needs the rules: %s", p.Title, e)
		}
	}
	if len(d.Panels) != len(dashboardPanels) {
		t.Errorf("%d panels", len(d.Panels))
	}
}

func TestTheTableNamesEveryAlert(t *testing.T) {
	table := string(alertsText(t, AlertTable, func(o *AlertOptions) { o.ForLag = time.Hour }))
	for _, r := range parsedRules(t, nil) {
		if r.Alert != "" && !strings.Contains(table, "| "+r.Alert+" | "+r.Labels["severity"]+" | ") {
			t.Errorf("%s is missing in\n%s", r.Alert, table)
		}
	}
	if !strings.Contains(table, "| TidemarkEventTimeLag | warning | 1h | TM304, ") {
		t.Errorf("the lag waits differently:\n%s", table)
	}
}
