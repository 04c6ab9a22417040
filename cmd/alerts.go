package cmd

import (
	neturl "net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tidemark/analyze/policy"
	"tidemark/analyze/policy/gate"
	"tidemark/flinkapi"
	"tidemark/render"
	"tidemark/render/prom"
	"tidemark/request"
)

type alertsOptions struct {
	prom.AlertOptions
	dashboard bool
	policies  []string
}

func newAlerts(g *globals) *cobra.Command {
	o := alertsOptions{AlertOptions: prom.DefaultAlertOptions()}
	var out output
	c := &cobra.Command{
		Use:   "alerts",
		Short: "Prometheus rules and a Grafana dashboard for event time",
		Long: `Write Prometheus alerting rules, or a Grafana dashboard, for the metrics of Flink's Prometheus reporters.
No cluster is read. The rules treat "no watermark yet" (Long.MIN_VALUE) and "end of input"
(Long.MAX_VALUE) as states, not as times: they are never part of a minimum or a lag. Each alert names the checks that explain it.

Beside the rules and the dashboard, -o json lists the alerts with their expressions; --report writes several
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
			if o.dashboard && c.Flags().Changed("output") && out.format != prom.AlertDashboard {
				return usagef("--dashboard and -o %s exclude each other", out.format)
			}
			if o.dashboard {
				out.format = prom.AlertDashboard
			}
			return runAlerts(g, o, &out)
		},
	}
	f := c.Flags()
	out.addFlags(c, prom.AlertForms...)
	out.format, f.Lookup("output").DefValue = prom.AlertRules, prom.AlertRules
	f.BoolVar(&o.dashboard, "dashboard", false, "the same as -o dashboard")
	f.StringArrayVar(&o.policies, "policy", nil, "take jobs and limits from this policy of check; may repeat")
	f.StringVar(&o.Jobs, "jobs", o.Jobs, "watch jobs whose whole job_name matches this `REGEX` (default all); the reporter writes _ for a space")
	f.StringVar(&o.Exclude, "exclude-jobs", o.Exclude, "leave out jobs whose whole job_name matches this `REGEX`")
	f.StringSliceVar(&o.By, "by", o.By, "further `LABELS` that tell clusters apart, such as namespace")
	f.StringVar(&o.Prometheus, "prometheus", "", "address of this Prometheus in the command of each alert, which judges the job as of the alert's start (default: $TIDEMARK_PROMETHEUS of the reader)")
	f.StringVar(&o.Runbooks, "runbooks", "", "`URL` of a copy of docs/runbooks, to be linked from each alert")
	durationVar(c, &o.MaxLag, "max-lag", o.MaxLag, "event-time lag (clock minus watermark) that is too large")
	durationVar(c, &o.MaxAhead, "max-ahead", o.MaxAhead, "how far a watermark may be ahead of the clock")
	shareVar(f, &o.LateShare, "late-share", "share of an operator's records that may be dropped as late")
	f.IntVar(&o.MaxRestarts, "max-restarts", o.MaxRestarts, "restarts in 15 minutes that make a loop")
	durationVar(c, &o.Window, "range", o.Window, "measure movement and flow over this long; at least two scrapes")
	formerly(c, f, "range", "window")
	durationVar(c, &o.Grace, "grace", o.Grace, "after a start or restart no watermark is normal for this long")
	durationVar(c, &o.For, "for", o.For, "alert when event time has stood still for this long")
	durationVar(c, &o.ForLag, "for-lag", o.ForLag, "alert when the lag has been too large for this long")
	durationVar(c, &o.ForLate, "for-late", o.ForLate, "alert when late records have been dropped for this long")
	durationVar(c, &o.ForQuiet, "for-quiet", o.ForQuiet, "tell when all sources of a job have been silent for this long")
	return c
}

func runAlerts(g *globals, o alertsOptions, out *output) error {
	if err := o.Check(); err != nil {
		return request.Bad(err)
	}
	for flag, url := range map[string]string{"--prometheus": o.Prometheus, "--runbooks": o.Runbooks} {
		if u, err := neturl.Parse(url); url != "" && (err != nil || u.Host == "" || u.User != nil || strings.ContainsAny(url, " '\"`$;|&<>")) {
			return usagef("%s is %q; it takes an address without a password, such as http://host:9090", flag, flinkapi.MaskURL(url))
		}
	}
	var sets []prom.AlertOptions
	if len(o.policies) > 0 {
		var err error
		if sets, err = policyAlerts(g, &o); err != nil {
			return err
		}
	}
	r, err := render.Alerts(tool(), o.AlertOptions, sets...)
	if err != nil {
		return err
	}
	return out.write(g, r)
}

// policyAlerts watches the jobs of policies; it gives every set of them that has limits of its own.
func policyAlerts(g *globals, o *alertsOptions) ([]prom.AlertOptions, error) {
	if o.Jobs != "" || o.Exclude != "" {
		return nil, usagef("--jobs and --exclude-jobs exclude --policy, which names the jobs")
	}
	policies, err := gate.Load(gateAccess{g}, o.policies)
	if err != nil {
		return nil, err
	}
	limits, err := policy.AlertLimits(policies)
	if err != nil {
		return nil, request.Bad(err)
	}
	if len(limits) == 0 {
		return nil, usagef("the policy has no rule about jobs (with name), so there is nothing to alert of")
	}
	var all []prom.AlertOptions
	var jobs []string
	for _, l := range limits {
		a := o.AlertOptions
		a.Jobs, a.Exclude, a.Name = l.Jobs, l.Exclude, l.Name
		if l.MaxLagMs > 0 {
			a.MaxLag = (time.Duration(l.MaxLagMs)*time.Millisecond + time.Second - 1).Truncate(time.Second) // Prometheus alerts by whole seconds
		}
		if l.HasShare {
			a.LateShare = min(l.LateShare, 0.999)
		}
		if err := a.Check(); err != nil {
			return nil, request.Bad(err)
		}
		all, jobs = append(all, a), append(jobs, l.Jobs)
	}
	o.Jobs = strings.Join(jobs, "|")
	return all, nil
}
