package prom

// placeAlerts name the place that holds event time. They fire only while a task downstream is stuck: a source that is
// silent by declaration holds nothing.
var placeAlerts = []alert{
	{name: "TidemarkSplitHoldsEventTime", codes: []string{"TM102"}, wait: waitStill,
		// Splits of sources that do not use per-split watermarks are none forever, siblings included.
		expr: `max by ($subtask, operator_name, split) (changes(<splitMark>{$jobs}[$window])) == 0
and on ($subtask, operator_name, split) <splitMark>{$jobs} <notEnd>
and on ($task, operator_name) max by ($task, operator_name) (changes(<splitMark>{$jobs}[$window])) > 0
unless on ($subtask, operator_name, split) <splitIdle>{$jobs} > 0
unless on ($subtask, operator_name, split) <splitPaused>{$jobs} > 0
` + frozenSource + `
and on ($job) ` + recStuck,
		summary: `Split {{ $labels.split }} (subtask {{ $labels.subtask_index }} of {{ $labels.task_name }}) holds event time of job {{ $labels.job_name }} ({{ printf "%.8s" $labels.job_id }}) while its siblings move.`,
		means:   `The watermark of this split has not changed while others of its source have; it is neither idle nor paused; its subtask's watermark has not changed either, and a task of the job gets records while its event time stands. The rule does not tell whether the split has no records or is not read.`},
	{name: "TidemarkExcessParallelism", codes: []string{"TM104"}, wait: waitStill,
		expr: `count by ($task) (
  ` + recSplitless + `
  and on ($subtask) <opOutput>{$jobs} <isNone>
)
and on ($job) ` + recStuck,
		summary: `{{ $value }} subtasks of {{ $labels.task_name }} have no split and hold event time of job {{ $labels.job_name }} ({{ printf "%.8s" $labels.job_id }}).`,
		means:   `These subtasks have neither a split nor a watermark while others of the source have splits, and a task of the job gets records while its event time stands or is missing.`},
	{name: "TidemarkSourceSubtaskSilent", codes: []string{"TM103", "TM102"}, wait: waitStill,
		expr: recSourceOut + ` == 0
and on ($task) max by ($task) (` + recSourceOut + `) > 0
` + frozenSource + `
unless on ($subtask) ` + sourcePaused + `
unless on ($subtask) ` + recSplitless + `
and on ($job) ` + recStuck,
		summary: `Subtask {{ $labels.subtask_index }} of {{ $labels.task_name }} gives no records and holds event time of job {{ $labels.job_name }} ({{ printf "%.8s" $labels.job_id }}) while its siblings advance.`,
		means:   `This subtask has given no record while others of its source have; its watermark has not changed, alignment does not pause it, and a task of the job gets records while its event time stands. The rule does not tell which of its splits is silent.`},
	{name: "TidemarkQuietInput", codes: []string{"TM105"}, wait: waitStill,
		expr: `sum by ($task) (` + recSourceOut + `) == 0
and on ($job) max by ($job) (` + recSourceOut + `) > 0
unless on ($task) max by ($task) (changes(<opOutput>{$jobs}[$window])) > 0
unless on ($task) ` + sourcePaused + `
and on ($job) ` + recStuck,
		summary: `Source {{ $labels.task_name }} is silent and holds event time of job {{ $labels.job_name }} ({{ printf "%.8s" $labels.job_id }}) while its other sources advance.`,
		means:   `No subtask of this source has given a record while other sources of the job have; its watermark has not changed, alignment does not pause it, and a task of the job gets records while its event time stands.`},
	{name: "TidemarkAlignmentStall", codes: []string{"TM501"}, wait: waitStill,
		expr: `count by ($task) (
  min by ($subtask) (min_over_time(<sourceDrift>{$jobs}[$window])) > 0
  and on ($subtask) ` + recSourceOut + ` == 0
)`,
		summary: `{{ $value }} subtasks of {{ $labels.task_name }} of job {{ $labels.job_name }} ({{ printf "%.8s" $labels.job_id }}) are paused by watermark alignment and do not resume.`,
		means:   `These subtasks have been ahead of what watermark alignment allows for the whole time and have given no record. The rule does not tell which member of the group does not advance.`},
}

// sourcePaused are subtasks that alignment does not let read.
const sourcePaused = `(<sourceDrift>{$jobs} > 0)`
