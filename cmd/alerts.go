package cmd

import (
	"github.com/spf13/cobra"

	"tidemark/render"
)

type alertsOptions struct {
	render.AlertOptions
	output    string
	dashboard bool
}

func newAlerts(g *globals) *cobra.Command {
	o := alertsOptions{AlertOptions: render.DefaultAlertOptions()}
	c := &cobra.Command{
		Use:   "alerts",
		Short: "Prometheus rules and a Grafana dashboard for event time",
		Long: `Write Prometheus alerting rules, or a Grafana dashboard, for the metrics of Flink's Prometheus reporters.
No cluster is read. "No watermark yet" (Long.MIN_VALUE) and "end of input" (Long.MAX_VALUE) are states
in them, not times: they enter no minimum and no lag. Each alert names the checks that explain it.

Leave jobs without event time out with --exclude-jobs: to Prometheus they look like jobs that have lost it.`,
		Example: `  tidemark alerts > flink-event-time.rules.yml
  tidemark alerts --jobs 'orders|payments' --max-lag 10m --for-lag 15m
  tidemark alerts --dashboard > flink-event-time.json`,
		Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			if o.dashboard && c.Flags().Changed("output") && o.output != render.AlertDashboard {
				return usagef("--dashboard and -o %s exclude each other", o.output)
			}
			return runAlerts(g, o)
		},
	}
	outputFlag(c, &o.output, render.AlertForms...)
	f := c.Flags()
	f.BoolVar(&o.dashboard, "dashboard", false, "the same as -o dashboard")
	f.StringVar(&o.Jobs, "jobs", o.Jobs, "watch jobs whose whole job_name matches this `REGEX` (default all); the reporter writes _ for a space")
	f.StringVar(&o.Exclude, "exclude-jobs", o.Exclude, "leave out jobs whose whole job_name matches this `REGEX`")
	f.StringSliceVar(&o.By, "by", o.By, "further `LABELS` that tell clusters apart, such as namespace")
	f.DurationVar(&o.MaxLag, "max-lag", o.MaxLag, "event-time lag (clock minus watermark) that is too large")
	f.DurationVar(&o.MaxAhead, "max-ahead", o.MaxAhead, "how far a watermark may be ahead of the clock")
	f.Float64Var(&o.LateShare, "late-share", o.LateShare, "share of an operator's records that may be dropped as late")
	f.IntVar(&o.MaxRestarts, "max-restarts", o.MaxRestarts, "restarts in 15 minutes that make a loop")
	f.DurationVar(&o.Window, "window", o.Window, "measure movement and flow over this long; at least two scrapes")
	f.DurationVar(&o.Grace, "grace", o.Grace, "after a start or restart no watermark is normal for this long")
	f.DurationVar(&o.For, "for", o.For, "alert when event time has stood still for this long")
	f.DurationVar(&o.ForLag, "for-lag", o.ForLag, "alert when the lag has been too large for this long")
	f.DurationVar(&o.ForLate, "for-late", o.ForLate, "alert when late records have been dropped for this long")
	f.DurationVar(&o.ForQuiet, "for-quiet", o.ForQuiet, "tell when all sources of a job have been silent for this long")
	return c
}

func runAlerts(g *globals, o alertsOptions) error {
	if err := oneOf("--output", o.output, render.AlertForms...); err != nil {
		return err
	}
	if err := o.Check(); err != nil {
		return usageError{err}
	}
	if o.dashboard {
		o.output = render.AlertDashboard
	}
	return render.Alerts(g.Out, o.output, o.AlertOptions)
}
