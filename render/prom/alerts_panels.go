package prom

// panelSpec is a panel of the dashboard; expr is a template for promql. Panels need Flink's metrics alone, so that
// the dashboard works where the rules are not loaded.
type panelSpec struct{ title, text, unit, expr, legend string }

const (
	legendTask    = "{{job_name}} {{task_name}}"
	legendSubtask = "{{job_name}} {{task_name}} [{{subtask_index}}]"
	reached       = `max by ($subtask) ((<opOutput>{$jobs} <notEnd>) or (<taskInput>{$jobs} <notEnd>))`
)

var dashboardPanels = []panelSpec{
	{"Event-time lag of the slowest subtask",
		"Clock minus watermark, per task behind the sources. Absent, not huge, where there is no watermark, at the end of input, and where the unit is wrong.",
		"s", `max by ($task) (time() - (` + reached + ` <sane>) / 1000 and on ($subtask) <taskInput>{$jobs})`, legendTask},
	{"Subtasks without event time",
		"Subtasks whose watermark is Long.MIN_VALUE: nothing has been emitted. Normal for a subtask that is idle or was just started.",
		"short", `count by ($task) (` + reached + ` <isNone>)`, legendTask},
	{"Event time of sources",
		"Output watermark of every subtask of a source. A flat line holds what is downstream, unless the subtask is idle by declaration.",
		"dateTimeAsIso", `max by ($subtask) (<opOutput>{$jobs} <sane> and on ($subtask, operator_name) <sourceIdle>{$jobs})`, legendSubtask},
	{"Event time of splits (Flink 2.1 and later)",
		"Watermark of every split, a Kafka partition. Flat while its siblings rise: it holds its source.",
		"dateTimeAsIso", `max by ($subtask, split) (<splitMark>{$jobs} <sane>)`, "{{job_name}} {{split}}"},
	{"Records per second out of sources",
		"A subtask at 0 while its siblings go on is what holds event time, or is idle.",
		"short", `sum by ($subtask) (rate(<opOut>{$jobs}[$window]) and on ($subtask, operator_name) <sourceIdle>{$jobs})`, legendSubtask},
	{"Late records, share of the operator's input",
		"Dropped by windows, CEP and OVER. Interval joins and temporal joins drop late rows without a counter.",
		"percentunit", `(sum by ($task, operator_name) (increase(<late>{$jobs}[$window])) or sum by ($task, operator_name) (increase(<lateLeft>{$jobs}[$window])) + sum by ($task, operator_name) (increase(<lateRight>{$jobs}[$window]))) / sum by ($task, operator_name) (increase(<opIn>{$jobs}[$window]))`,
		"{{job_name}} {{operator_name}}"},
	{"Watermark alignment: ahead of what is allowed",
		"Above 0 the subtask is paused. It should come down again.",
		"ms", `max by ($subtask) (<sourceDrift>{$jobs})`, legendSubtask},
	{"Subtasks at end of input",
		"Watermark Long.MAX_VALUE. In a job that still reads, everything that arrives there is late.",
		"short", `count by ($task) (<taskInput>{$jobs} <isEnd>)`, legendTask},
	{"Splits paused or idle (Flink 2.1 and later)",
		"Share of the last minute in which a split was paused by alignment or idle by withIdleness.",
		"percentunit", `max by ($subtask, split) ((<splitPaused>{$jobs} + <splitIdle>{$jobs}) / 1000)`, "{{job_name}} {{split}}"},
	{"Restarts in 15 minutes",
		"Event time starts again at none with each.",
		"short", `max by ($job) (increase(<jobRestarts>{$jobs}[15m]))`, "{{job_name}}"},
}
