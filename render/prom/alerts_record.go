package prom

// recording is a recording rule: a name and a template for promql.
type recording struct{ name, expr string }

// The recorded series.
const (
	recEventTime  = "tidemark:subtask_event_time:ms"
	recRecordsIn  = "tidemark:subtask_records_in:increase"
	recSourceOut  = "tidemark:source_records_out:increase"
	recSourceTime = "tidemark:job_source_event_time:ms"
	recRunning    = "tidemark:job_running:seconds"
	recNone       = "tidemark:subtask_none:records"
	recFrozen     = "tidemark:subtask_frozen:records"
	recStuck      = "tidemark:job_stuck:subtasks"
	recSplitless  = "tidemark:source_subtask_without_split:bool"
	recLag        = "tidemark:task_event_time_lag:seconds"
)

// recordings are in the order of evaluation.
var recordings = []recording{
	// The watermark of a subtask. The task's input alone would be wrong for two inputs: it is their plain minimum, also
	// where one of them is idle and the operators' output has advanced.
	{recEventTime, `max by ($subtask) (
  (<opOutput>{$jobs} <notEnd>)
  or
  (<taskInput>{$jobs} <notEnd>)
)`},
	// Records that reach a task that is not a source.
	{recRecordsIn, `sum by ($subtask) (increase(<taskIn>{$jobs}[$window]))
and on ($subtask) <taskInput>{$jobs}`},
	{recSourceOut, `sum by ($subtask) (
  increase(<opOut>{$jobs}[$window])
  and on ($subtask, operator_name) <sourceIdle>{$jobs}
)`},
	// The newest watermark that any source has emitted. Where an operator behind the source assigns it, tasks before that
	// operator have none, which is correct.
	{recSourceTime, `max by ($job) (
  (<opOutput>{$jobs} <notEnd> and on ($subtask, operator_name) <sourceIdle>{$jobs})
  or
  (<splitMark>{$jobs} <notEnd>)
)`},
	{recRunning, `max by ($job) (<jobUptime>{$jobs} or <jobRunning>{$jobs}) / 1000`},
	// Subtasks that get records and have never had a watermark. A job that has just started is left out.
	{recNone, `(` + recRecordsIn + ` > 0 and on ($subtask) ` + recEventTime + ` <isNone>)
unless on ($job) ` + recRunning + ` < $grace`},
	// Subtasks that get records while neither their input watermark nor that of any operator advances. A subtask without
	// records may be idle: its gauge stands still and nothing waits for it.
	{recFrozen, `(
  ` + recRecordsIn + ` > 0
  and on ($subtask) ` + recEventTime + ` > -9.2e18
  and on ($subtask) max by ($subtask) (changes(<taskInput>{$jobs}[$window])) == 0
  unless on ($subtask) max by ($subtask) (changes(<opOutput>{$jobs}[$window])) > 0
)
unless on ($job) ` + recRunning + ` < $grace`},
	{recStuck, `count by ($job) (` + recNone + ` or ` + recFrozen + `)`},
	// A source subtask without a split has neither split metrics (2.1+) nor offsets of Kafka partitions, while others have.
	{recSplitless, `group by ($subtask) (
  <sourceIdle>{$jobs}
  unless on ($subtask) (<splitMark>{$jobs} or <kafkaOffset>{$jobs})
  and on ($task) (<splitMark>{$jobs} or <kafkaOffset>{$jobs})
)`},
	// The lag of the slowest subtask that gets records; absent where there is no sane watermark.
	{recLag, `max by ($task) (
  time() - (` + recEventTime + ` <sane>) / 1000
  and on ($subtask) ` + recRecordsIn + ` > 0
)`},
}
