package prom

// placeAlerts name the place that holds event time. They fire only while a task downstream is stuck: a source that is
// silent by declaration holds nothing.
var placeAlerts = []alert{
	{name: "TidemarkSplitHoldsEventTime", codes: []string{"TM102"}, wait: waitStill,
		// Splits of sources that do not use per-split watermarks are none for ever, siblings included.
		expr: `max by ($subtask, operator_name, split) (changes(<splitMark>{$jobs}[$window])) == 0
and on ($subtask, operator_name, split) <splitMark>{$jobs} <notEnd>
and on ($task, operator_name) max by ($task, operator_name) (changes(<splitMark>{$jobs}[$window])) > 0
unless on ($subtask, operator_name, split) <splitIdle>{$jobs} > 0
unless on ($subtask, operator_name, split) <splitPaused>{$jobs} > 0
` + frozenSource + `
and on ($job) ` + recStuck,
		summary: `Split {{ $labels.split }} (subtask {{ $labels.subtask_index }} of {{ $labels.task_name }}) holds event time of job {{ $labels.job_name }} while its siblings move.`},
	{name: "TidemarkExcessParallelism", codes: []string{"TM104"}, wait: waitStill,
		expr: `count by ($task) (
  ` + recSplitless + `
  and on ($subtask) <opOutput>{$jobs} <isNone>
)
and on ($job) ` + recStuck,
		summary: `{{ $value }} subtasks of {{ $labels.task_name }} have no split and hold event time of job {{ $labels.job_name }}.`},
	{name: "TidemarkSourceSubtaskSilent", codes: []string{"TM103", "TM102"}, wait: waitStill,
		expr: recSourceOut + ` == 0
and on ($task) max by ($task) (` + recSourceOut + `) > 0
` + frozenSource + `
unless on ($subtask) ` + sourcePaused + `
unless on ($subtask) ` + recSplitless + `
and on ($job) ` + recStuck,
		summary: `Subtask {{ $labels.subtask_index }} of {{ $labels.task_name }} gives no records and holds event time of job {{ $labels.job_name }} while its siblings go on.`},
	{name: "TidemarkQuietInput", codes: []string{"TM105"}, wait: waitStill,
		expr: `sum by ($task) (` + recSourceOut + `) == 0
and on ($job) max by ($job) (` + recSourceOut + `) > 0
unless on ($task) max by ($task) (changes(<opOutput>{$jobs}[$window])) > 0
unless on ($task) ` + sourcePaused + `
and on ($job) ` + recStuck,
		summary: `Source {{ $labels.task_name }} is silent and holds event time of job {{ $labels.job_name }} while its other sources go on.`},
	{name: "TidemarkAlignmentStall", codes: []string{"TM501"}, wait: waitStill,
		expr: `count by ($task) (
  min by ($subtask) (min_over_time(<sourceDrift>{$jobs}[$window])) > 0
  and on ($subtask) ` + recSourceOut + ` == 0
)`,
		summary: `{{ $value }} subtasks of {{ $labels.task_name }} of job {{ $labels.job_name }} are paused by watermark alignment and do not go on.`},
}

// sourcePaused are subtasks that alignment does not let read.
const sourcePaused = `(<sourceDrift>{$jobs} > 0)`
