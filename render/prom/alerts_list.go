package prom

// Alert is one alerting rule, for its reader.
type Alert struct {
	Name     string   `json:"alert"`
	Severity string   `json:"severity"`
	For      string   `json:"for"`                // how long the expression must hold, as Prometheus writes it
	LimitOf  string   `json:"limit_of,omitempty"` // jobs with their own limits
	Checks   []string `json:"checks"`             // that explain it, the likeliest first
	Summary  string   `json:"summary"`            // a template of Prometheus
	Means    string   `json:"means"`
	Expr     string   `json:"expr"`
}

// List is the alerts that the rules hold, in their order.
func List(o AlertOptions, sets ...AlertOptions) ([]Alert, error) {
	var out []Alert
	err := each(o, sets, func(a alert, r rule) {
		out = append(out, Alert{Name: a.name, Severity: r.Labels["severity"], For: r.For, LimitOf: r.Labels["limit_of"], Checks: a.codes, Summary: a.summary, Means: a.means, Expr: r.Expr})
	})
	return out, err
}

// each yields the alerts with their rules. An alert on a limit occurs once per set of jobs with its own limits.
func each(o AlertOptions, sets []AlertOptions, yield func(alert, rule)) error {
	for _, a := range alerts {
		if !a.limited() || len(sets) == 0 {
			r, err := a.rule(o)
			if err != nil {
				return err
			}
			yield(a, r)
			continue
		}
		for _, set := range sets {
			r, err := a.ofSet().rule(set)
			if err != nil {
				return err
			}
			r.Labels["limit_of"] = literal(set.Name) // else Prometheus takes two rules of one name for the same
			yield(a, r)
		}
	}
	return nil
}
