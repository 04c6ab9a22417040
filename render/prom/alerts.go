package prom

import (
	"fmt"
	"io"
	neturl "net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"tidemark/flinkapi"
	"tidemark/internal/units"
	"tidemark/request"
)

// The forms that Alerts writes.
const (
	AlertRules     = "rules"
	AlertDashboard = "dashboard"
)

// AlertForms are the forms that Alerts writes.
var AlertForms = []string{AlertRules, AlertDashboard}

// AlertOptions say which jobs are watched and what is too much. All durations are wall clock, whole seconds.
type AlertOptions struct {
	Jobs    string       `flag:"jobs" doc:"watch jobs whose whole job_name matches this {REGEX} (default all); the reporter writes _ for a space"`
	Exclude string       `flag:"exclude-jobs" doc:"leave out jobs whose whole job_name matches this {REGEX}"`
	Name    string       // of these jobs where several sets have their own limits: label limit_of
	By      request.List `flag:"by" doc:"further {LABELS} that distinguish clusters, such as namespace"`

	Prometheus string `flag:"prometheus" doc:"address of this Prometheus in the command of each alert, which judges the job as of the alert's start (default: $TIDEMARK_PROMETHEUS of the reader)"`
	Runbooks   string `flag:"runbooks" doc:"{URL} of a copy of docs/runbooks, to be linked from each alert"`

	MaxLag      time.Duration `flag:"max-lag" doc:"event-time lag (clock minus watermark) that is too large"`
	MaxAhead    time.Duration `flag:"max-ahead" doc:"how far a watermark may be ahead of the clock"`
	LateShare   float64       `flag:"late-share" doc:"share of an operator's records that may be dropped as late"` // 0 to 1
	MaxRestarts int           `flag:"max-restarts" doc:"alert at this many restarts in 15 minutes"`

	Window   time.Duration `flag:"range" alias:"window" doc:"judge over this long whether watermarks advance and records flow; at least two scrapes"`
	Grace    time.Duration `flag:"grace" doc:"after a start or restart no watermark is normal for this long"`
	For      time.Duration `flag:"for" doc:"alert when event time has stood still for this long"`
	ForLag   time.Duration `flag:"for-lag" doc:"alert when the lag has been too large for this long"`
	ForLate  time.Duration `flag:"for-late" doc:"alert when late records have been dropped for this long"`
	ForQuiet time.Duration `flag:"for-quiet" doc:"alert when all sources of a job have been silent for this long"`
}

// DefaultAlertOptions fit a scrape interval of up to a minute.
func DefaultAlertOptions() AlertOptions {
	return AlertOptions{
		MaxLag: 5 * time.Minute, MaxAhead: time.Minute, LateShare: 0.01, MaxRestarts: 3,
		Window: 3 * time.Minute, Grace: 5 * time.Minute,
		For: 5 * time.Minute, ForLag: 5 * time.Minute, ForLate: 5 * time.Minute, ForQuiet: 15 * time.Minute,
	}
}

// Alerts writes Prometheus rules (YAML) or a Grafana dashboard (JSON) for the names that Flink's Prometheus
// reporters give (flink-metrics-prometheus, read from 1.18 to 2.3). In the rules the limits of lag and late records
// are those of the sets, each a part of the jobs of o with a Name; a job in two sets would be alerted twice. The
// dashboard has no limits. The options must have passed Check.
func Alerts(w io.Writer, form string, o AlertOptions, sets ...AlertOptions) error {
	var text []byte
	var err error
	switch form {
	case AlertRules:
		text, err = rulesYAML(o, sets)
	case AlertDashboard:
		text, err = dashboardJSON(o)
	default:
		return fmt.Errorf("no form %q of alerts; there are %s", form, strings.Join(AlertForms, ", "))
	}
	if err != nil {
		return fmt.Errorf("alerts as %s: %w", form, err)
	}
	_, err = w.Write(text)
	return err
}

var labelName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*$`)

// Check says what is wrong with the options, naming the flag of `tidemark alerts`; nil where nothing is.
func (o AlertOptions) Check() error {
	for _, r := range []struct{ flag, text string }{{"--jobs", o.Jobs}, {"--exclude-jobs", o.Exclude}} {
		if _, err := regexp.Compile(r.text); err != nil {
			return fmt.Errorf("%s is no regular expression: %w", r.flag, err)
		}
	}
	for flag, url := range map[string]string{"--prometheus": o.Prometheus, "--runbooks": o.Runbooks} {
		if u, err := neturl.Parse(url); url != "" && (err != nil || u.Host == "" || u.User != nil || strings.ContainsAny(url, " '\"`$;|&<>")) {
			return fmt.Errorf("%s is %q; it takes an address without a password, such as http://host:9090", flag, flinkapi.MaskURL(url))
		}
	}
	for _, l := range o.By {
		if !labelName.MatchString(l) {
			return fmt.Errorf("--by has %q; it takes names of Prometheus labels", l)
		}
	}
	for _, d := range []struct {
		flag  string
		value time.Duration
	}{
		{"--max-lag", o.MaxLag}, {"--max-ahead", o.MaxAhead}, {"--range", o.Window}, {"--grace", o.Grace},
		{"--for", o.For}, {"--for-lag", o.ForLag}, {"--for-late", o.ForLate}, {"--for-quiet", o.ForQuiet},
	} {
		if d.value < time.Second || d.value%time.Second != 0 {
			return fmt.Errorf("%s is %s; it takes whole seconds, at least one", d.flag, units.Said(d.value))
		}
	}
	switch {
	case o.LateShare < 0 || o.LateShare >= 1:
		return fmt.Errorf("--late-share is %s; it takes a share from 0 up to, not including, 1", formatFloat(o.LateShare))
	case o.MaxRestarts < 1:
		return fmt.Errorf("--max-restarts is %d; it takes a number above zero", o.MaxRestarts)
	case o.For <= o.Window:
		// After the end of an input its records are still counted for the length of the window, and the alert must not fire on
		// them.
		return fmt.Errorf("--for is %s and --range %s; --for must be the longer one", promDuration(o.For), promDuration(o.Window))
	}
	return nil
}

// promDuration writes whole seconds as Prometheus does: 90s is 1m30s, 1h0m0s is 1h.
func promDuration(d time.Duration) string {
	var b strings.Builder
	for _, u := range []struct {
		size time.Duration
		name string
	}{{time.Hour, "h"}, {time.Minute, "m"}, {time.Second, "s"}} {
		if n := d / u.size; n > 0 {
			fmt.Fprintf(&b, "%d%s", n, u.name)
			d -= n * u.size
		}
	}
	return b.String()
}

func formatFloat(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
