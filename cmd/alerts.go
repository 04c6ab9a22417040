package cmd

import (
	"github.com/spf13/cobra"

	"tidemark/analyze/policy/gate"
	"tidemark/internal/flags"
	"tidemark/render"
	"tidemark/render/prom"
	"tidemark/request"
)

func newAlerts(g *globals) *cobra.Command {
	o := prom.DefaultAlertOptions()
	var dashboard bool
	var policies []string
	var out output
	c := &cobra.Command{
		Use:   "alerts",
		Short: "Prometheus rules and a Grafana dashboard for event time",
		Long: `Write Prometheus alerting rules, or a Grafana dashboard, for the metrics of Flink's Prometheus reporters.
No cluster is read. The rules treat "no watermark yet" (Long.MIN_VALUE) and "end of input"
(Long.MAX_VALUE) as states, not as times: they are never part of a minimum or a lag. Each alert names the checks that explain it.

Besides the rules and the dashboard, -o json lists the alerts with their expressions; --report writes several
forms at once.

Leave jobs without event time out with --exclude-jobs: to Prometheus they look like jobs that have lost it.

With --policy the jobs, the largest lag (max-lag) and the share of late records (late.share) are those of
a policy of check; jobs with different limits get separate alerts. What the policy does not set is
taken from the flags.`,
		Example: `  tidemark alerts > flink-event-time.rules.yml
  tidemark alerts --jobs 'orders|payments' --max-lag 10m --for-lag 15m
  tidemark alerts --policy tidemark.yaml > flink-event-time.rules.yml
  tidemark alerts --report rules=flink-event-time.rules.yml --report dashboard=flink-event-time.json -o table`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			if dashboard && c.Flags().Changed("output") && out.format != prom.AlertDashboard {
				return request.Badf("--dashboard and -o %s exclude each other", out.format)
			}
			if dashboard {
				out.format = prom.AlertDashboard
			}
			return runAlerts(g, o, policies, &out)
		},
	}
	f := c.Flags()
	out.addFlags(c, prom.AlertForms...)
	out.format, f.Lookup("output").DefValue = prom.AlertRules, prom.AlertRules
	f.BoolVar(&dashboard, "dashboard", false, "the same as -o dashboard")
	f.StringArrayVar(&policies, "policy", nil, "take jobs and limits from this policy of check; may repeat")
	flags.Bind(c, &o)
	return c
}

func runAlerts(g *globals, o prom.AlertOptions, named []string, out *output) error {
	if err := o.Check(); err != nil {
		return request.Bad(err)
	}
	var sets []prom.AlertOptions
	if len(named) > 0 {
		policies, err := gate.Load(gateAccess{g}, named)
		if err != nil {
			return err
		}
		if o, sets, err = o.Under(policies); err != nil {
			return request.Bad(err)
		}
	}
	r, err := render.Alerts(tool(), o, sets...)
	if err != nil {
		return err
	}
	return out.write(g, r)
}
