package prom

// panelSpec is a panel of the dashboard; expr is a template for promql. Panels need Flink's metrics alone, so that
// the dashboard works where the rules are not loaded; only the list of alerts needs them.
type panelSpec struct {
	kind              string // of Grafana's panels
	w, h              int
	title, text, unit string
	expr, legend      string
	from              func(AlertOptions) float64 // where its colour changes, nil: nowhere
	bad               string                     // the colour from there on
	alerts            []string                   // whose runbooks it links
}

// The widths and heights of Grafana's grid.
const (
	gridWidth               = 24
	statWidth, statHeight   = 4, 4
	graphWidth, graphHeight = 12, 8
	tableWidth, tableHeight = 12, 7
	orange, red, green      = "orange", "red", "green"
)

const (
	// Several jobs may share a name, and 32 digits of id would fill a legend: short_id is the first eight.
	legendJob     = "{{job_name}} ({{short_id}})"
	legendTask    = legendJob + " {{task_name}}"
	legendSubtask = legendTask + " [{{subtask_index}}]"
	legendSplit   = legendJob + " {{split}}"
	reached       = `max by ($subtask) ((<opOutput>{$jobs} <notEnd>) or (<taskInput>{$jobs} <notEnd>))`
	lagOfTask     = `max by ($task) (time() - (` + reached + ` <sane>) / 1000 and on ($subtask) <taskInput>{$jobs})`
	neverStarted  = `max by ($job) (` + reached + `) <isNone>`
	restarts      = `max by ($job) (increase(<jobRestarts>{$jobs}[15m]))`
)

func stat(title, text, unit, expr string, from func(AlertOptions) float64, bad string, alerts ...string) panelSpec {
	return panelSpec{"stat", statWidth, statHeight, title, text, unit, expr, "", from, bad, alerts}
}

func graph(title, text, unit, expr, legend string, from func(AlertOptions) float64, alerts ...string) panelSpec {
	return panelSpec{"timeseries", graphWidth, graphHeight, title, text, unit, shortID(expr), legend, from, red, alerts}
}

// shortID adds the label short_id.
func shortID(expr string) string {
	return `label_replace(` + expr + `, "short_id", "$1", "job_id", "(.{8}).*")`
}

func list(title, text, expr string, alerts ...string) panelSpec {
	return panelSpec{"table", tableWidth, tableHeight, title, text, "short", expr, "", nil, "", alerts}
}

func one(AlertOptions) float64           { return 1 }
func theLag(o AlertOptions) float64      { return o.MaxLag.Seconds() }
func theShare(o AlertOptions) float64    { return o.LateShare }
func theRestarts(o AlertOptions) float64 { return float64(o.MaxRestarts) }

var dashboardPanels = []panelSpec{
	stat("Firing alerts", "Of the rules of tidemark alerts, if they are loaded.", "short",
		`count(ALERTS{alertname=~"Tidemark.+",alertstate="firing",$jobs}) or vector(0)`, one, red),
	stat("Jobs without a watermark", "No source or operator has ever had one. Normal for a job that does not use event time.", "short",
		`count(`+neverStarted+`) or vector(0)`, one, red, "TidemarkNeverEmitted"),
	stat("Jobs whose watermark stands still", "Records flow, and the watermark of no task has changed.", "short",
		`count(max by ($job) (changes(<taskInput>{$jobs}[$window])) == 0 and on ($job) sum by ($job) (increase(<taskIn>{$jobs}[$window])) > 0) or vector(0)`,
		one, red, "TidemarkEventTimeFrozen", "TidemarkTaskWithoutEventTime"),
	stat("Largest event-time lag", "Of all tasks, clock minus watermark. Jobs without a watermark are not included.", "s",
		`max(`+lagOfTask+`)`, theLag, orange, "TidemarkEventTimeLag"),
	stat("Late records, last hour", "Dropped by windows, CEP and OVER.", "short",
		`sum(increase(<late>{$jobs}[1h])) or vector(0)`, one, orange, "TidemarkLateRecords"),
	stat("Restarts in 15 minutes", "Of the job with the most.", "short",
		`max(`+restarts+`) or vector(0)`, theRestarts, red, "TidemarkRestartLoop"),
	list("Alerts", "Firing and pending alerts of tidemark alerts, if the rules are loaded. tidemark explain CODE explains the code.",
		`max by (alertname, alertstate, severity, code, job_name, job_id, task_name, split) (ALERTS{alertname=~"Tidemark.+",$jobs})`),
	list("Jobs without a watermark", "No source or operator has ever had one: no event-time window fires. Normal for a job that does not use event time.",
		neverStarted, "TidemarkNeverEmitted"),
	graph("Event-time lag of the slowest subtask",
		"Clock minus watermark, per task behind the sources. No line where there is no watermark, at the end of input, and where the unit is wrong.",
		"s", lagOfTask, legendTask, theLag, "TidemarkEventTimeLag"),
	graph("Subtasks without event time",
		"Subtasks whose watermark is Long.MIN_VALUE: nothing has been emitted. Normal for a subtask that is idle or was just started.",
		"short", `count by ($task) (`+reached+` <isNone>)`, legendTask, nil, "TidemarkNeverEmitted", "TidemarkTaskWithoutEventTime", "TidemarkExcessParallelism"),
	graph("Event time of sources",
		"Output watermark of every subtask of a source. A flat line holds back what is downstream, unless the subtask is idle.",
		"dateTimeAsIso", `max by ($subtask) (<opOutput>{$jobs} <sane> and on ($subtask, operator_name) <sourceIdle>{$jobs})`, legendSubtask, nil,
		"TidemarkSourceSubtaskSilent", "TidemarkQuietInput"),
	graph("Event time of splits (Flink 2.1 and later)",
		"Watermark of every split, a Kafka partition. A flat line while the others rise: this split holds its source back.",
		"dateTimeAsIso", `max by ($subtask, split) (<splitMark>{$jobs} <sane>)`, legendSplit, nil, "TidemarkSplitHoldsEventTime"),
	graph("Records per second out of sources",
		"A subtask at 0 while the others send records holds the watermark back, or is idle.",
		"short", `sum by ($subtask) (rate(<opOut>{$jobs}[$window]) and on ($subtask, operator_name) <sourceIdle>{$jobs})`, legendSubtask, nil, "TidemarkAllSourcesQuiet"),
	graph("Late records, share of the operator's input",
		"Dropped by windows, CEP and OVER. Interval joins and temporal joins drop late rows without a counter.",
		"percentunit", `(sum by ($task, operator_name) (increase(<late>{$jobs}[$window])) or sum by ($task, operator_name) (increase(<lateLeft>{$jobs}[$window])) + sum by ($task, operator_name) (increase(<lateRight>{$jobs}[$window]))) / sum by ($task, operator_name) (increase(<opIn>{$jobs}[$window]))`,
		legendJob+" {{operator_name}}", theShare, "TidemarkLateRecords"),
	graph("Watermark alignment: time above the maximum drift",
		"Above 0 the subtask is paused. The value should fall to 0 again.",
		"ms", `max by ($subtask) (<sourceDrift>{$jobs})`, legendSubtask, nil, "TidemarkAlignmentStall"),
	graph("Subtasks at end of input",
		"Watermark Long.MAX_VALUE. If the job still reads records, every record that arrives there is late.",
		"short", `count by ($task) (<taskInput>{$jobs} <isEnd>)`, legendTask, nil, "TidemarkEndOfInput"),
	graph("Splits paused or idle (Flink 2.1 and later)",
		"Share of the last minute in which a split was paused by alignment or idle by withIdleness.",
		"percentunit", `max by ($subtask, split) ((<splitPaused>{$jobs} + <splitIdle>{$jobs}) / 1000)`, legendSplit, nil),
	graph("Restarts in 15 minutes",
		"After each restart there is no watermark at first.",
		"short", restarts, legendJob, theRestarts, "TidemarkRestartLoop"),
}
