package prom

import (
	"time"

	"tidemark/analyze/catalog"
)

// alert is one alerting rule. Codes are the checks that may be the cause, the likeliest first; severity "" is that of the
// first.
type alert struct {
	name     string
	codes    []string
	severity catalog.Severity
	expr     string // template for promql
	wait     func(AlertOptions) time.Duration
	summary  string // a Prometheus template
	means    string // what the rule proves, and what it does not
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
	ofJob  = `Job {{ $labels.job_name }} ({{ printf "%.8s" $labels.job_id }})`
	ofTask = `Task {{ $labels.task_name }} of job {{ $labels.job_name }} ({{ printf "%.8s" $labels.job_id }})`
	// frozenSource selects subtasks of sources whose output watermark has not changed.
	frozenSource = `and on ($subtask) max by ($subtask) (changes(<opOutput>{$jobs}[$window]) and on ($subtask, operator_name) <sourceIdle>{$jobs}) == 0`
)

var alerts = append(append(append([]alert{}, standingAlerts...), placeAlerts...), wrongTimeAlerts...)

// standingAlerts say that results are missing or late, or cannot be judged: no watermark, a frozen or late one, late records,
// silent sources, restarts, missing metrics.
var standingAlerts = []alert{
	{name: "TidemarkNeverEmitted", codes: []string{"TM101"}, wait: waitStill,
		expr: `sum by ($job) (` + recNone + `)
and on ($job) max by ($job) (` + recEventTime + `) <isNone>
unless on ($job) ` + recSourceTime + ` > -9.2e18`,
		summary: ofJob + ` reads records, and no watermark was ever emitted.`,
		means:   `Records flow, the job has run for longer than the grace time, and no source or operator of it has a watermark. The rule does not show why: no strategy, no timestamps, or a generator that never emits.`},
	{name: "TidemarkTaskWithoutEventTime", codes: []string{"TM102", "TM103", "TM104", "TM105"}, wait: waitStill,
		expr: `count by ($task) (` + recNone + `)
and on ($job) ` + recSourceTime + ` > -9.2e18`,
		summary: ofTask + ` gets records and has never had a watermark on {{ $value }} subtasks, though a source has one.`,
		means:   `A source of the job has a watermark, and subtasks of this task that get records do not: something between them holds it back. The rule does not show what: a silent partition, subtask or input, or source subtasks without a split.`},
	{name: "TidemarkEventTimeFrozen", codes: []string{"TM102", "TM103", "TM105", "TM112", "TM307"}, wait: waitStill,
		expr:    `count by ($task) (` + recFrozen + `)`,
		summary: ofTask + ` gets records while the watermark stands still on {{ $value }} subtasks.`,
		means:   `Subtasks of this task get records, had a watermark, and neither that nor the watermark of any of their operators has changed. The rule does not show what holds it back.`},
	{name: "TidemarkEventTimeLag", codes: []string{"TM304", "TM306", "TM305", "TM301", "TM303"}, severity: catalog.Warning, wait: waitLag,
		expr: recLag + ` > $maxlag
unless on ($task) count by ($task) (` + recFrozen + `)`,
		summary: ofTask + ` is {{ humanizeDuration $value }} behind in event time.`,
		means:   `The watermark of the slowest subtask that gets records is further behind the clock than the limit, and it advances. The rule does not show why: a backlog, records that are old when they are read, a slow split, a large bound, or a slow task.`},
	{name: "TidemarkLateRecords", codes: []string{"TM401"}, wait: waitLate,
		expr: `(
  sum by ($task, operator_name) (increase(<late>{$jobs}[$window]))
  or
  sum by ($task, operator_name) (increase(<lateLeft>{$jobs}[$window])) + sum by ($task, operator_name) (increase(<lateRight>{$jobs}[$window]))
)
/ sum by ($task, operator_name) (increase(<opIn>{$jobs}[$window])) > $lateshare`,
		summary: `Operator {{ $labels.operator_name }} of job {{ $labels.job_name }} ({{ printf "%.8s" $labels.job_id }}) drops {{ humanizePercentage $value }} of its records as late.`,
		means:   `The operator's counter of dropped late records grew by more than the limit, as a share of what it took in. The rule does not show why they are late.`},
	{name: "TidemarkAllSourcesQuiet", codes: []string{"TM106"}, wait: waitQuiet,
		expr: `sum by ($job) (` + recSourceOut + `) == 0
unless on ($job) ` + recRunning + ` < $grace`,
		summary: ofJob + ` has read no record from any source.`,
		means:   `No source of the job has sent a record. The rule does not show whether records wait to be read.`},
	{name: "TidemarkRestartLoop", codes: []string{"TM701"}, wait: waitBrief,
		expr:    `max by ($job) (increase(<jobRestarts>{$jobs}[15m])) >= $restarts`,
		summary: ofJob + ` restarted about {{ humanize $value }} times in 15 minutes: after each restart there is no watermark at first.`,
		means:   `The counter of restarts grew by at least the limit in 15 minutes. The exceptions say why.`},
	{name: "TidemarkWatermarksMissing", codes: []string{"TM904"}, severity: catalog.Warning, wait: waitStill,
		expr:    recRunning + ` > $grace unless on ($job) <opOutput>{$jobs}`,
		summary: ofJob + ` runs, and Prometheus has no watermark metrics for it: its TaskManagers are not scraped, or the metric is filtered out.`,
		means:   `The job runs, and Prometheus has no watermark metrics for any of its operators. Nothing is known about its event time.`},
	{name: "TidemarkNoFlinkMetrics", codes: []string{"TM904"}, severity: catalog.Warning, wait: waitStill,
		expr:    `absent(<clusterJobs>) and on () absent(<seriesOfTasks>)`,
		summary: `Prometheus has no metrics from Flink: no job can be judged.`,
		means:   `Prometheus has metrics neither from a JobManager nor from a TaskManager. Nothing is known about any job, and no other alert of this group can fire.`},
}
