package prom

import "strings"

// panel is the spec as a panel of Grafana.
func (p panelSpec) panel(o AlertOptions, fill *strings.Replacer, id int, at gridPos) panel {
	custom := map[string]any{}
	mode := color{Mode: "palette-classic"}
	steps := []step{{Color: green}}
	if p.from != nil {
		from := p.from(o)
		steps = append(steps, step{Color: p.bad, Value: &from})
	}
	t := target{RefID: "A", Datasource: source, Expr: fill.Replace(p.expr), LegendFormat: p.legend}
	overrides := []override{}
	switch p.kind {
	case "timeseries":
		custom["spanNulls"] = false
		if p.from != nil {
			custom["thresholdsStyle"] = map[string]string{"mode": "line"}
		}
	case "stat":
		mode.Mode, t.Instant = "thresholds", true
	case "table":
		t.Instant, t.Format = true, "table"
		if o.Runbooks != "" {
			overrides = append(overrides, override{Matcher: property{ID: "byName", Options: "alertname"}, Properties: []property{
				{ID: "links", Value: []link{{Title: "runbook", URL: o.runbook("${__value.raw}"), TargetBlank: true}}},
			}})
		}
	}
	links := []link{}
	for _, name := range p.alerts {
		if o.Runbooks != "" {
			links = append(links, link{Title: name, URL: o.runbook(name), TargetBlank: true})
		}
	}
	return panel{
		ID: id, Title: p.title, Description: p.describe(), Type: p.kind, Datasource: source, GridPos: at, Links: links,
		FieldConfig: fieldConfig{Defaults: fieldDefaults{Unit: p.unit, Color: mode, Thresholds: thresholds{"absolute", steps}, Custom: custom}, Overrides: overrides},
		Targets:     []target{t},
	}
}

// describe says what a panel shows, and which commands explain the possible causes.
func (p panelSpec) describe() string {
	var explain []string
	seen := map[string]bool{}
	for _, name := range p.alerts {
		for _, a := range alerts {
			if a.name != name {
				continue
			}
			for _, code := range a.codes {
				if !seen[code] {
					seen[code] = true
					explain = append(explain, code)
				}
			}
		}
	}
	if len(explain) == 0 {
		return p.text
	}
	more := ""
	if len(explain) > 1 {
		more = " (or " + strings.Join(explain[1:], ", ") + ")"
	}
	return p.text + " Possible causes: tidemark explain " + explain[0] + more + "."
}

// runbook is the address of an alert's page.
func (o AlertOptions) runbook(name string) string {
	return strings.TrimSuffix(o.Runbooks, "/") + "/" + name + ".md"
}

func (o AlertOptions) runbookLinks() []link {
	if o.Runbooks == "" {
		return []link{}
	}
	return []link{{Title: "Runbooks", Type: "link", URL: o.runbook("README"), TargetBlank: true}}
}
