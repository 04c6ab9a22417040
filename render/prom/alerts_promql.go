package prom

import (
	"strconv"
	"strings"
	"time"
)

// Names of Flink's Prometheus reporter, which joins the logical scope with "_" whatever metrics.scope.* says.
// Counters are exported as gauges and start again at 0, as new series, with every attempt of a task.
const (
	taskInput     = "flink_taskmanager_job_task_currentInputWatermark"            // every task but a source
	taskIn        = "flink_taskmanager_job_task_numRecordsIn"                     // 0 for sources before 2.0
	opOutput      = "flink_taskmanager_job_task_operator_currentOutputWatermark"  // every operator
	opIn          = "flink_taskmanager_job_task_operator_numRecordsIn"            // every operator
	opOut         = "flink_taskmanager_job_task_operator_numRecordsOut"           // every operator
	sourceIdle    = "flink_taskmanager_job_task_operator_sourceIdleTime"          // FLIP-27 sources only: tells which operators are sources
	sourceDrift   = "flink_taskmanager_job_task_operator_watermarkAlignmentDrift" // ms above what alignment allows; lazily registered
	late          = "flink_taskmanager_job_task_operator_numLateRecordsDropped"
	lateLeft      = "flink_taskmanager_job_task_operator_leftNumLateRecordsDropped" // SQL window join
	lateRight     = "flink_taskmanager_job_task_operator_rightNumLateRecordsDropped"
	splitMark     = "flink_taskmanager_job_task_operator_split_watermark_currentWatermark" // label split, since 2.1
	splitIdle     = "flink_taskmanager_job_task_operator_split_watermark_idleTimeMsPerSecond"
	splitPaused   = "flink_taskmanager_job_task_operator_split_watermark_pausedTimeMsPerSecond"
	kafkaOffset   = "flink_taskmanager_job_task_operator_KafkaSourceReader_topic_partition_currentOffset" // labels topic, partition
	jobRestarts   = "flink_jobmanager_job_numRestarts"
	jobUptime     = "flink_jobmanager_job_uptime"      // ms in this run; deprecated, and still there in 2.3
	jobRunning    = "flink_jobmanager_job_runningTime" // ms in state RUNNING this time
	clusterJobs   = "flink_jobmanager_numRunningJobs"
	seriesOfTasks = taskIn
)

// The sentinels are doubles in Prometheus: Long.MIN_VALUE is -9.223372036854776e18. A SQL interval join
// passes on Long.MAX_VALUE minus its own delay, so the end is recognised from 9.2e18 on.
const (
	isNone = "< -9.2e18"
	notEnd = "< 9.2e18"
	isEnd  = "> 9.2e18"
	sane   = "> 1e11 < 1e14" // ms from 1973 to 5138: what is outside is a sentinel, a wrong unit or time 0
)

// promql fills a template: $job, $task and $subtask become lists of labels, $jobs the filter,
// $window and $grace durations, and the names of constants above in angle brackets their values.
func (o AlertOptions) promql(template string) string {
	return o.replacer(o.filter()).Replace(template)
}

func (o AlertOptions) replacer(filter string) *strings.Replacer {
	job := strings.Join(append(append([]string{}, o.By...), "job_name", "job_id"), ", ")
	return strings.NewReplacer(
		"$jobs", filter,
		"$job", job, "$task", job+", task_name", "$subtask", job+", task_name, subtask_index",
		"$window", promDuration(o.Window), "$grace", seconds(o.Grace),
		"$maxlag", seconds(o.MaxLag), "$maxahead", seconds(o.MaxAhead),
		"$lateshare", formatFloat(o.LateShare), "$restarts", strconv.Itoa(o.MaxRestarts),
		"<taskInput>", taskInput, "<taskIn>", taskIn, "<opOutput>", opOutput, "<opIn>", opIn, "<opOut>", opOut,
		"<sourceIdle>", sourceIdle, "<sourceDrift>", sourceDrift,
		"<late>", late, "<lateLeft>", lateLeft, "<lateRight>", lateRight,
		"<splitMark>", splitMark, "<splitIdle>", splitIdle, "<splitPaused>", splitPaused, "<kafkaOffset>", kafkaOffset,
		"<jobRestarts>", jobRestarts, "<jobUptime>", jobUptime, "<jobRunning>", jobRunning,
		"<clusterJobs>", clusterJobs, "<seriesOfTasks>", seriesOfTasks,
		"<isNone>", isNone, "<notEnd>", notEnd, "<isEnd>", isEnd, "<sane>", sane,
	)
}

// filter is the label matcher of the watched jobs, without braces.
func (o AlertOptions) filter() string {
	jobs := o.Jobs
	if jobs == "" {
		jobs = ".+"
	}
	m := "job_name=~" + strconv.Quote(jobs)
	if o.Exclude != "" {
		m += ",job_name!~" + strconv.Quote(o.Exclude)
	}
	return m
}

func seconds(d time.Duration) string { return strconv.FormatInt(int64(d/time.Second), 10) }
