package prom

// placeAlerts name the place that holds the watermark back. They fire only while a task downstream is stuck: an idle
// source holds nothing back.
var placeAlerts = []alert{
	{name: "TidemarkSplitHoldsEventTime", codes: []string{"TM102"}, wait: waitStill,
		// In a source without per-split watermarks the watermark of every split stays none forever.
		expr: `max by ($subtask, operator_name, split) (changes(<splitMark>{$jobs}[$window])) == 0
and on ($subtask, operator_name, split) <splitMark>{$jobs} <notEnd>
and on ($task, operator_name) max by ($task, operator_name) (changes(<splitMark>{$jobs}[$window])) > 0
unless on ($subtask, operator_name, split) <splitIdle>{$jobs} > 0
unless on ($subtask, operator_name, split) <splitPaused>{$jobs} > 0
` + frozenSource + `
and on ($job) ` + recStuck,
		summary: `Split {{ $labels.split }} (subtask {{ $labels.subtask_index }} of {{ $labels.task_name }}) holds back the watermark of job {{ $labels.job_name }} ({{ printf "%.8s" $labels.job_id }}) while other splits advance.`,
		means:   `The watermark of this split has not changed while others of its source have; it is neither idle nor paused; its subtask's watermark has not changed either, and a task of the job gets records while its event time stands. The rule cannot distinguish a split without records from one that is not read.`},
	{name: "TidemarkExcessParallelism", codes: []string{"TM104"}, wait: waitStill,
		expr: `count by ($task) (
  ` + recSplitless + `
  and on ($subtask) <opOutput>{$jobs} <isNone>
)
and on ($job) ` + recStuck,
		summary: `{{ $value }} subtasks of {{ $labels.task_name }} have no split and hold back the watermark of job {{ $labels.job_name }} ({{ printf "%.8s" $labels.job_id }}).`,
		means:   `These subtasks have neither a split nor a watermark while others of the source have splits, and a task of the job gets records while its event time stands or is missing.`},
	{name: "TidemarkSourceSubtaskSilent", codes: []string{"TM103", "TM102"}, wait: waitStill,
		expr: recSourceOut + ` == 0
and on ($task) max by ($task) (` + recSourceOut + `) > 0
` + frozenSource + `
unless on ($subtask) ` + sourcePaused + `
unless on ($subtask) ` + recSplitless + `
and on ($job) ` + recStuck,
		summary: `Subtask {{ $labels.subtask_index }} of {{ $labels.task_name }} sends no records and holds back the watermark of job {{ $labels.job_name }} ({{ printf "%.8s" $labels.job_id }}) while other subtasks advance.`,
		means:   `This subtask has sent no record while others of its source have; its watermark has not changed, alignment does not pause it, and a task of the job gets records while its event time stands. The rule does not show which of its splits is silent.`},
	{name: "TidemarkQuietInput", codes: []string{"TM105"}, wait: waitStill,
		expr: `sum by ($task) (` + recSourceOut + `) == 0
and on ($job) max by ($job) (` + recSourceOut + `) > 0
unless on ($task) max by ($task) (changes(<opOutput>{$jobs}[$window])) > 0
unless on ($task) ` + sourcePaused + `
and on ($job) ` + recStuck,
		summary: `Source {{ $labels.task_name }} is silent and holds back the watermark of job {{ $labels.job_name }} ({{ printf "%.8s" $labels.job_id }}) while its other sources advance.`,
		means:   `No subtask of this source has sent a record while other sources of the job have; its watermark has not changed, alignment does not pause it, and a task of the job gets records while its event time stands.`},
	{name: "TidemarkAlignmentStall", codes: []string{"TM501"}, wait: waitStill,
		expr: `count by ($task) (
  min by ($subtask) (min_over_time(<sourceDrift>{$jobs}[$window])) > 0
  and on ($subtask) ` + recSourceOut + ` == 0
)`,
		summary: `{{ $value }} subtasks of {{ $labels.task_name }} of job {{ $labels.job_name }} ({{ printf "%.8s" $labels.job_id }}) are paused by watermark alignment and do not resume.`,
		means:   `These subtasks have been further ahead than watermark alignment allows the whole time, and have sent no record. The rule does not show which member of the group does not advance.`},
}

// sourcePaused are subtasks that alignment pauses.
const sourcePaused = `(<sourceDrift>{$jobs} > 0)`
