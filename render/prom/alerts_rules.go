package prom

import (
	"time"

	"tidemark/analyze/catalog"
)

// alert is one alerting rule. Codes are the checks that can be behind it, the likeliest first; severity "" is that of the first.
type alert struct {
	name     string
	codes    []string
	severity catalog.Severity
	expr     string // template for promql
	wait     func(AlertOptions) time.Duration
	summary  string // a Prometheus template
}

// level is the severity of the rule.
func (a alert) level() catalog.Severity {
	if a.severity != "" {
		return a.severity
	}
	check, _ := catalog.FindCheck(a.codes[0])
	return check.Severity
}

func waitStill(o AlertOptions) time.Duration { return o.For }
func waitLag(o AlertOptions) time.Duration   { return o.ForLag }
func waitLate(o AlertOptions) time.Duration  { return o.ForLate }
func waitQuiet(o AlertOptions) time.Duration { return o.ForQuiet }
func waitBrief(AlertOptions) time.Duration   { return time.Minute }

const (
	ofJob  = "Job {{ $labels.job_name }}"
	ofTask = "Task {{ $labels.task_name }} of job {{ $labels.job_name }}"
	// frozenSource keeps subtasks of sources whose output has not changed.
	frozenSource = `and on ($subtask) max by ($subtask) (changes(<opOutput>{$jobs}[$window]) and on ($subtask, operator_name) <sourceIdle>{$jobs}) == 0`
)

var alerts = append(append(append([]alert{}, standingAlerts...), placeAlerts...), wrongTimeAlerts...)

// standingAlerts say that results do not come: MIN, frozen, late, and what it is not.
var standingAlerts = []alert{
	{name: "TidemarkNeverEmitted", codes: []string{"TM101"}, wait: waitStill,
		expr: `sum by ($job) (` + recNone + `)
and on ($job) max by ($job) (` + recEventTime + `) <isNone>
unless on ($job) ` + recSourceTime + ` > -9.2e18`,
		summary: ofJob + ` reads records, and no watermark was ever emitted.`},
	{name: "TidemarkTaskWithoutEventTime", codes: []string{"TM102", "TM103", "TM104", "TM105"}, wait: waitStill,
		expr: `count by ($task) (` + recNone + `)
and on ($job) ` + recSourceTime + ` > -9.2e18`,
		summary: ofTask + ` gets records and has never had a watermark on {{ $value }} subtasks, though a source has one.`},
	{name: "TidemarkEventTimeFrozen", codes: []string{"TM102", "TM103", "TM105", "TM307"}, wait: waitStill,
		expr:    `count by ($task) (` + recFrozen + `)`,
		summary: ofTask + ` gets records while event time stands still on {{ $value }} subtasks.`},
	{name: "TidemarkEventTimeLag", codes: []string{"TM304", "TM306", "TM305", "TM301", "TM303"}, severity: catalog.Warning, wait: waitLag,
		expr: recLag + ` > $maxlag
unless on ($task) count by ($task) (` + recFrozen + `)`,
		summary: ofTask + ` is {{ humanizeDuration $value }} behind in event time.`},
	{name: "TidemarkLateRecords", codes: []string{"TM401"}, wait: waitLate,
		expr: `(
  sum by ($task, operator_name) (increase(<late>{$jobs}[$window]))
  or
  sum by ($task, operator_name) (increase(<lateLeft>{$jobs}[$window])) + sum by ($task, operator_name) (increase(<lateRight>{$jobs}[$window]))
)
/ sum by ($task, operator_name) (increase(<opIn>{$jobs}[$window])) > $lateshare`,
		summary: `Operator {{ $labels.operator_name }} of job {{ $labels.job_name }} drops {{ humanizePercentage $value }} of its records as late.`},
	{name: "TidemarkAllSourcesQuiet", codes: []string{"TM106"}, wait: waitQuiet,
		expr: `sum by ($job) (` + recSourceOut + `) == 0
unless on ($job) ` + recRunning + ` < $grace`,
		summary: ofJob + ` has read no record from any source: its last windows wait for the next one.`},
	{name: "TidemarkRestartLoop", codes: []string{"TM701"}, wait: waitBrief,
		expr:    `max by ($job) (increase(<jobRestarts>{$jobs}[15m])) >= $restarts`,
		summary: ofJob + ` restarted about {{ humanize $value }} times in 15 minutes: event time starts again each time.`},
	{name: "TidemarkWatermarksMissing", codes: []string{"TM904"}, severity: catalog.Warning, wait: waitStill,
		expr:    recRunning + ` > $grace unless on ($job) <opOutput>{$jobs}`,
		summary: ofJob + ` runs, and Prometheus has no watermark of it: its TaskManagers are not scraped, or the metric is filtered out.`},
	{name: "TidemarkNoFlinkMetrics", codes: []string{"TM904"}, severity: catalog.Warning, wait: waitStill,
		expr:    `absent(<clusterJobs>) and on () absent(<seriesOfTasks>)`,
		summary: `Prometheus has no metrics of Flink at all: nothing here can be judged.`},
}
