package prometheus_test

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tidemark/flinkapi/prometheus"
	"tidemark/internal/promtest"
)

// Two sources read one topic: the first all the time, the second with a pause of a minute. Neither hides what
// the other does.
func TestTwoSourcesOnOneTopicMoveApart(t *testing.T) {
	const scrapes, every = 30, 5000
	from := int64(noon - scrapes*every)
	splits := func(task, operator string, still func(k int) bool) []promtest.Series {
		labels := map[string]string{"job_id": strings.Repeat("a", 32), "job_name": "two", "task_id": task, "subtask_index": "0", "tm_id": "tm"}
		n, read := promtest.Series{Labels: with(labels, "__name__", "flink_taskmanager_job_task_numRecordsIn")},
			promtest.Series{Labels: with(labels, "__name__", "flink_taskmanager_job_task_operator_KafkaSourceReader_topic_partition_currentOffset", "operator_name", operator, "topic", "orders", "partition", "0")}
		offset := 0
		for k := range scrapes {
			if !still(k) {
				offset++
			}
			at := from + int64(k)*every
			n.T, n.V = append(n.T, at), append(n.V, "0")
			read.T, read.V = append(read.T, at), append(read.V, strconv.Itoa(offset))
		}
		return []promtest.Series{n, read}
	}
	server := &promtest.Server{Series: slices.Concat(
		splits("v1", "Source:_A", func(int) bool { return false }),
		splits("v2", "Source:_B", func(k int) bool { return k >= 10 && k < 22 }))}
	moves, _, err := client(t, server, nil).SplitMoves(context.Background(), prometheus.Reading{At: time.UnixMilli(noon)}, strings.Repeat("a", 32), time.UnixMilli(from))
	if err != nil || len(moves) != 2 {
		t.Fatalf("%d splits, %v", len(moves), err)
	}
	for i, want := range []int64{every, 13 * every} {
		longest := int64(0)
		for _, run := range moves[i].Runs {
			for k := 1; k < len(run); k++ {
				longest = max(longest, run[k]-run[k-1])
			}
		}
		if moves[i].Split != "orders-0" || moves[i].EveryMs != every || longest != want {
			t.Errorf("%s of source %d is silent for %d ms, want %d", moves[i].Split, i, longest, want)
		}
	}
}

// A time without scrapes, as while a TaskManager is lost, is no silence.
func TestAGapInTheScrapesIsNoSilence(t *testing.T) {
	labels := map[string]string{"job_id": strings.Repeat("a", 32), "job_name": "one", "task_id": "v1", "subtask_index": "0", "tm_id": "tm"}
	n, read := promtest.Series{Labels: with(labels, "__name__", "flink_taskmanager_job_task_numRecordsIn")},
		promtest.Series{Labels: with(labels, "__name__", "flink_taskmanager_job_task_operator_KafkaSourceReader_topic_partition_currentOffset", "operator_name", "A", "topic", "orders", "partition", "0")}
	for k := range 60 {
		if k >= 20 && k < 26 {
			continue
		}
		at := int64(noon - 300_000 + k*5000)
		n.T, n.V = append(n.T, at), append(n.V, "0")
		read.T, read.V = append(read.T, at), append(read.V, strconv.Itoa(k))
	}
	moves, _, err := client(t, &promtest.Server{Series: []promtest.Series{n, read}}, nil).SplitMoves(context.Background(), prometheus.Reading{At: time.UnixMilli(noon)}, strings.Repeat("a", 32), time.UnixMilli(noon-300_000))
	if err != nil || len(moves) != 1 || len(moves[0].Runs) != 2 {
		t.Fatalf("%+v, %v", moves, err)
	}
	for _, run := range moves[0].Runs {
		for k := 1; k < len(run); k++ {
			if run[k]-run[k-1] != 5000 {
				t.Errorf("a silence of %d ms", run[k]-run[k-1])
			}
		}
	}
}

func with(labels map[string]string, more ...string) map[string]string {
	out := map[string]string{}
	for k, v := range labels {
		out[k] = v
	}
	for i := 0; i < len(more); i += 2 {
		out[more[i]] = more[i+1]
	}
	return out
}

// In a restart loop each attempt is scraped once: how often that is, the JobManager tells, and no move lies between two attempts.
func TestARestartLoopIsReadAtEveryScrape(t *testing.T) {
	job := map[string]string{"job_id": strings.Repeat("a", 32), "job_name": "loop"}
	uptime := promtest.Series{Labels: with(job, "__name__", "flink_jobmanager_job_uptime")}
	server := &promtest.Server{}
	for k := range 40 {
		at := int64(noon - 200_000 + k*5000)
		uptime.T, uptime.V = append(uptime.T, at), append(uptime.V, "0")
		if k%2 == 0 {
			continue
		}
		task := with(job, "task_id", "v1", "subtask_index", "0", "tm_id", "tm", "task_attempt_num", strconv.Itoa(k))
		server.Series = append(server.Series,
			promtest.Series{Labels: with(task, "__name__", "flink_taskmanager_job_task_numRecordsIn"), T: []int64{at}, V: []string{"0"}},
			promtest.Series{Labels: with(task, "__name__", "flink_taskmanager_job_task_operator_KafkaSourceReader_topic_partition_currentOffset", "operator_name", "A", "topic", "orders", "partition", "0"),
				T: []int64{at}, V: []string{strconv.Itoa(k)}})
	}
	server.Series = append(server.Series, uptime)
	moves, _, err := client(t, server, nil).SplitMoves(context.Background(), prometheus.Reading{At: time.UnixMilli(noon)}, job["job_id"], time.UnixMilli(noon-200_000))
	if err != nil || len(moves) != 1 || moves[0].EveryMs != 5000 || len(moves[0].Runs[0]) != 0 {
		t.Errorf("%+v, %v", moves, err)
	}
}
