package jobtest

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"tidemark/flinkapi"
)

// jobID represents the job in the paths of a recording: Flink's ids are 32 hex digits.
var jobID = strings.Repeat("0", 31) + "a"

// Record writes the job as JSON lines, as snapshot would have recorded it: for each vertex and
// sample /watermarks, /backpressure, its subtasks, and the values of its metrics.
func (m *Job) Record(w io.Writer) error {
	r := recorder{w: w}
	for _, s := range m.Samples() {
		r.t = s.ReadAt
		job := "/jobs/" + jobID
		r.answer("/overview", map[string]any{"flink-version": m.C.FlinkVersion()})
		r.answer("/jobmanager/config", []any{})
		r.answer("/jobs/overview", map[string]any{"jobs": []any{map[string]any{"jid": jobID, "name": s.Job.Name, "state": s.Job.State}}})
		r.answer(job, map[string]any{"jid": jobID, "name": s.Job.Name, "state": s.Job.State, "job-type": "STREAMING", "now": s.Job.Now,
			"vertices": verticesOf(s), "plan": planOf(s)})
		if s.Exceptions != nil {
			r.answer(job+"/exceptions?maxExceptions=5", map[string]any{"exceptionHistory": map[string]any{"entries": s.Exceptions.History.Entries, "truncated": false}})
		}
		r.answer(job+"/metrics?get=numRestarts,uptime", valuesOf(s.JobMetrics, slices.Sorted(maps.Keys(s.JobMetrics))))
		for _, v := range s.Job.Vertices {
			r.vertex(job+"/vertices/"+v.ID, v, s.Vertices[v.ID])
		}
	}
	return r.err
}

type recorder struct {
	w   io.Writer
	t   int64
	err error
}

func (r *recorder) answer(path string, body any) {
	text, err := json.Marshal(body)
	if err == nil {
		err = flinkapi.WriteEntry(r.w, flinkapi.Entry{T: r.t, Path: path, Status: 200, Body: text})
	}
	if r.err == nil {
		r.err = err
	}
}

func (r *recorder) vertex(path string, jv flinkapi.JobVertex, v *flinkapi.VertexSample) {
	var marks, others []string
	for _, id := range slices.Sorted(maps.Keys(v.Metrics)) {
		if strings.HasSuffix(id, ".currentInputWatermark") && strings.Count(id, ".") == 1 {
			marks = append(marks, id)
		} else {
			others = append(others, id)
		}
	}
	subtasks, pressure := []any{}, []any{}
	for i := range jv.Parallelism {
		subtasks = append(subtasks, map[string]any{"subtask": i, "status": statusOf(v, i), "attempt": 0, "endpoint": "tm:1", "start-time": At0 - 3_600_000, "metrics": map[string]any{}})
		pressure = append(pressure, map[string]any{"subtask": i, "ratio": share(v, i, "backPressuredTimeMsPerSecond", 0), "idleRatio": share(v, i, "idleTimeMsPerSecond", 0.9), "busyRatio": share(v, i, "busyTimeMsPerSecond", 0.1)})
	}
	r.answer(path+"/watermarks", valuesOf(v.Metrics, marks))
	r.answer(path+"/backpressure", map[string]any{"status": "ok", "backpressureLevel": "ok", "end-timestamp": v.Backpressure.EndTimestamp.V, "subtasks": pressure})
	r.answer(path, map[string]any{"id": jv.ID, "name": jv.Name, "now": r.t, "subtasks": subtasks})
	r.answer(path+"/metrics?get="+strings.Join(others, ","), valuesOf(v.Metrics, others))
}

func statusOf(v *flinkapi.VertexSample, subtask int) string {
	if v.Details != nil {
		for _, s := range v.Details.Subtasks {
			if s.Index == subtask {
				return s.Status
			}
		}
	}
	return "RUNNING"
}

// share converts ms per second to a share of the second, or returns otherwise if the metric is
// missing.
func share(v *flinkapi.VertexSample, subtask int, metric string, otherwise float64) float64 {
	if ms, err := strconv.ParseFloat(v.Metrics[fmt.Sprintf("%d.%s", subtask, metric)], 64); err == nil {
		return ms / 1000
	}
	return otherwise
}

func valuesOf(metrics map[string]string, ids []string) []any {
	out := []any{}
	for _, id := range ids {
		out = append(out, map[string]any{"id": id, "value": metrics[id]})
	}
	return out
}

func verticesOf(s *flinkapi.Sample) []any {
	out := []any{}
	for _, v := range s.Job.Vertices {
		out = append(out, map[string]any{"id": v.ID, "name": v.Name, "parallelism": v.Parallelism, "status": v.Status,
			"tasks": map[string]any{"RUNNING": v.Parallelism}, "metrics": map[string]any{"read-records": s.ReadAt / 1000, "read-records-complete": true, "write-records": s.ReadAt / 1000, "write-records-complete": true}})
	}
	return out
}

func planOf(s *flinkapi.Sample) any {
	nodes := []any{}
	for _, n := range s.Plan.Nodes {
		inputs := []any{}
		for _, in := range n.Inputs {
			inputs = append(inputs, map[string]any{"num": in.Num, "id": in.ID, "ship_strategy": in.ShipStrategy})
		}
		nodes = append(nodes, map[string]any{"id": n.ID, "parallelism": n.Parallelism, "description": n.Description, "inputs": inputs})
	}
	return map[string]any{"type": "STREAMING", "nodes": nodes}
}

// State is how the watermark behaves in a Web.
type State string

// The states of a Web: the watermark is two seconds behind; a split of the first source never had a record; every record
// is forty minutes old; the watermark stands still although records flow, without a known cause.
const (
	WebRuns   State = "runs"
	WebHeld   State = "held"
	WebLate   State = "late"
	WebStands State = "stands"
)

// Web is a job of many vertices, each fed by the few before it, with a window at the end. Every
// second vertex has no state, the others are user functions.
func Web(vertices, inputs int, state State) *Job {
	m := New("2.3.0")
	var names []string
	before, now := At0-2000, At1-2000
	switch state {
	case WebHeld:
		before, now = NoMark, NoMark
	case WebLate:
		before, now = At0-2_400_000, At1-2_400_000
	case WebStands:
		now = before
	}
	for v := range vertices {
		name := fmt.Sprintf("Calc[%d]", v)
		if v%2 == 0 {
			name = fmt.Sprintf("Step%d", v)
		}
		switch {
		case v == 0:
			m.Vertex("Source: Orders", "Source: Orders<br/>", 2)
			for i := range 2 {
				m.Emits("Orders", i, before, now).Reads("Orders", i, 1000, 2000)
				m.Split("Orders", i, fmt.Sprintf("o-%d", i), before, now).Offset("Orders", i, "o", i, 1000, 2000)
			}
			if state == WebHeld {
				m.Emits("Orders", 0, At0-2000, At1-2000).Split("Orders", 0, "o-0", At0-2000, At1-2000)
				m.Reads("Orders", 1, 0, 0).Offset("Orders", 1, "o", 1, -1, -1)
			}
			names = append(names, "Source: Orders")
		case v == vertices-1:
			m.Window(1, before, now, names[max(0, len(names)-inputs):]...)
		default:
			m.Relay(name, 1, before, now, names[max(0, len(names)-inputs):]...)
			names = append(names, name)
		}
	}
	return m
}
