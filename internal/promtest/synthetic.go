package promtest

import (
	"fmt"
	"strconv"
)

// Synthetic is a large job as Prometheus stores it: a chain of vertices behind one source,
// scraped every 15 s for a few minutes before an instant, or for longer.
type Synthetic struct {
	Vertices, Subtasks int
	Until              int64 // epoch ms
	Stuck              int   // subtask of the source whose output stands, -1 = none
	Job, Name          string
	Scrapes            int // 0 = six
}

// VertexID is the id of a vertex, the source first.
func (s Synthetic) VertexID(v int) string { return fmt.Sprintf("%032x", v+1) }

// scrapeMs is the interval between two scrapes of a synthetic job.
const scrapeMs = 15_000

// Series are what was scraped.
func (s Synthetic) Series() []Series {
	scrapes := s.Scrapes
	if scrapes == 0 {
		scrapes = 6
	}
	times := make([]int64, scrapes)
	for i := range times {
		times[i] = s.Until - int64(scrapes-1-i)*scrapeMs
	}
	rising := func(from, perScrape int64) []string {
		out := make([]string, scrapes)
		for i := range out {
			out[i] = strconv.FormatInt(from+int64(i)*perScrape, 10)
		}
		return out
	}
	first := times[0] - 3000
	moving, still := rising(first, scrapeMs), rising(first, 0)
	counts, clock, uptime := rising(1000, 500), rising(100_000, 14_000), rising(600_000, scrapeMs)
	hundred, nothing := rising(100, 0), rising(0, 0)
	var all []Series
	for v := range s.Vertices {
		for i := range s.Subtasks {
			task := map[string]string{"job_id": s.Job, "job_name": s.Name, "task_id": s.VertexID(v), "task_name": "Task" + strconv.Itoa(v), "subtask_index": strconv.Itoa(i),
				"task_attempt_num": "0", "tm_id": "tm-" + strconv.Itoa(i%64), "host": "h" + strconv.Itoa(i%64), "instance": "h" + strconv.Itoa(i%64) + ":9249", "job": "flink"}
			with := func(name string, values []string, more ...string) {
				labels := map[string]string{"__name__": "flink_taskmanager_job_task_" + name}
				for k, l := range task {
					labels[k] = l
				}
				for k := 0; k+1 < len(more); k += 2 {
					labels[more[k]] = more[k+1]
				}
				all = append(all, Series{Labels: labels, T: times, V: values})
			}
			event, records := moving, counts
			if s.Stuck >= 0 && (v > 0 || i == s.Stuck) {
				event = still
			}
			if v == 0 && i == s.Stuck { // its split has fallen silent
				records = rising(1000, 0)
			}
			if v > 0 {
				with("currentInputWatermark", event)
			} else {
				with("operator_sourceIdleTime", nothing, "operator_name", "Task0")
				with("operator_pendingRecords", nothing, "operator_name", "Task0")
				with("operator_currentEmitEventTimeLag", hundred, "operator_name", "Task0")
				with("operator_split_watermark_currentWatermark", event, "operator_name", "Task0", "split", "t_"+strconv.Itoa(i))
				with("operator_numRecordsOut", records, "operator_name", "Task0")
			}
			with("operator_currentOutputWatermark", event, "operator_name", "Task"+strconv.Itoa(v))
			with("numRecordsIn", records)
			with("numRecordsOut", records)
			with("accumulateIdleTimeMs", clock)
		}
	}
	return append(all, Series{Labels: map[string]string{"__name__": "flink_jobmanager_job_uptime", "job_id": s.Job, "job_name": s.Name, "instance": "jm:9249"}, T: times, V: uptime},
		Series{Labels: map[string]string{"__name__": "flink_jobmanager_job_numRestarts", "job_id": s.Job, "job_name": s.Name, "instance": "jm:9249"}, T: times, V: nothing})
}

// Graph is GET /jobs/:jobid of the job.
func (s Synthetic) Graph() map[string]any {
	var vertices, nodes []map[string]any
	for v := range s.Vertices {
		id, name := s.VertexID(v), "Task"+strconv.Itoa(v)
		vertices = append(vertices, map[string]any{"id": id, "name": name, "parallelism": s.Subtasks, "status": "RUNNING"})
		n := map[string]any{"id": id, "parallelism": s.Subtasks, "description": name}
		if v > 0 {
			n["inputs"] = []map[string]any{{"num": 0, "id": s.VertexID(v - 1), "ship_strategy": "HASH"}}
		}
		nodes = append(nodes, n)
	}
	return map[string]any{"jid": s.Job, "name": s.Name, "state": "RUNNING", "job-type": "STREAMING", "now": s.Until, "vertices": vertices,
		"plan": map[string]any{"type": "STREAMING", "nodes": nodes}}
}
