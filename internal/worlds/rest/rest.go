// Package rest answers for a described job as the JobManager of its version would.
package rest

import (
	"encoding/json"
	"fmt"
	"strconv"

	"tidemark/engine/twin/job"
	"tidemark/engine/twin/run"
	"tidemark/flinkapi"
)

// Time that a JobManager needs to fetch all metrics, and a client to read them.
const (
	fetchMs = 100  // from the start of a fetch to the values it brings
	readMs  = 1500 // from those values to the answer
)

// Recording plays a job and records the answers of its JobManager at each moment: the wall clock
// (epoch ms) of a metric fetch.
func Recording(j *job.Job, moments ...int64) (*flinkapi.Recording, error) {
	snapshots, err := run.Play(j, run.Watch{}, moments...)
	if err != nil {
		return nil, err
	}
	return &flinkapi.Recording{Name: j.Name, Entries: Entries(j, snapshots)}, nil
}

// Entries are the answers of a JobManager at the moments of the snapshots.
func Entries(j *job.Job, snapshots []run.Snapshot) []flinkapi.Entry {
	w := &writer{job: j, id: j.ID, vertices: layout(j)}
	if w.id == "" {
		w.id = hash(j.Name)
	}
	for _, op := range j.Operators {
		w.metric = append(w.metric, metricName(op.Name, j.Flink.AtLeast(2, 0, 0)))
	}
	for i := range snapshots {
		w.snapshot, w.first = &snapshots[i], i == 0
		w.now = snapshots[i].AtMs + readMs
		w.seen = max(w.seen, snapshots[0].AtMs-10_000)
		w.sample()
	}
	return w.out
}

type writer struct {
	job      *job.Job
	id       string
	vertices []vertex
	metric   []string // by operator
	snapshot *run.Snapshot
	first    bool
	now      int64 // JobManager clock of the answers, the client's too
	seen     int64 // subtasks that finished earlier were never fetched
	out      []flinkapi.Entry
}

type object = map[string]any

func (w *writer) answer(path string, body any) {
	raw, ok := body.(json.RawMessage)
	if !ok {
		var err error
		if raw, err = json.Marshal(body); err != nil {
			panic(fmt.Sprintf("answer of %s: %v", path, err)) // maps of strings and numbers always encode
		}
	}
	w.out = append(w.out, flinkapi.Entry{T: w.now, Path: path, Status: 200, Body: raw})
}

func (w *writer) sample() {
	v := w.job.Flink.String()
	if w.first {
		w.answer("/overview", object{"taskmanagers": 1, "slots-total": 64, "slots-available": 8, "jobs-running": 1, "flink-version": v, "flink-commit": "DeadD0d0"})
		w.answer("/config", object{"refresh-interval": 3000, "timezone-name": "Coordinated Universal Time", "timezone-offset": 0, "flink-version": v})
		config := []object{{"key": "rest.address", "value": "jobmanager"}, {"key": "parallelism.default", "value": "1"}}
		for k, val := range w.job.Config {
			config = append(config, object{"key": k, "value": val})
		}
		w.answer("/jobmanager/config", config)
		w.answer("/taskmanagers", object{"taskmanagers": []object{{"id": taskManager, "slotsNumber": 64, "freeSlots": 8}}})
	}
	state := w.state()
	w.answer("/jobs/overview", object{"jobs": []object{{"jid": w.id, "name": w.job.Name, "state": state, "start-time": w.job.StartsMs[0] - submitMs,
		"end-time": -1, "duration": w.now - w.job.StartsMs[0] + submitMs, "last-modification": w.job.StartsMs[0]}}})
	base := "/jobs/" + w.id
	w.answer(base, w.details(state))
	if w.first {
		w.answer(base+"/plan", object{"plan": w.plan()})
		w.answer(base+"/config", object{"jid": w.id, "name": w.job.Name, "execution-config": object{"restart-strategy": "Cluster level default restart strategy", "job-parallelism": 1, "object-reuse-mode": false, "user-config": object{}}})
		w.answer(base+"/checkpoints/config", w.checkpointConfig())
	}
	w.answer(base+"/exceptions?maxExceptions=5", w.exceptions())
	w.answer(base+"/checkpoints", w.checkpoints())
	w.answer(base+"/metrics?get=numRestarts,uptime", w.jobMetrics(state))
	for i := range w.vertices {
		w.vertex(i, base+"/vertices/"+w.vertices[i].id)
	}
}

const (
	taskManager = "10.0.0.7:6122-a1b2c3"
	submitMs    = 500 // from submission to running
)

func number(n int64) string { return strconv.FormatInt(n, 10) }

// double is a Java double as Flink prints it.
func double(x float64) string {
	if x == float64(int64(x)) {
		return strconv.FormatInt(int64(x), 10) + ".0"
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}
