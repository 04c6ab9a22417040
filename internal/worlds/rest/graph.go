package rest

import "tidemark/engine/twin/run"

func (w *writer) details(state string) object {
	var vertices []object
	for i := range w.vertices {
		v := &w.vertices[i]
		status, tasks := w.vertexState(v, state)
		vertices = append(vertices, object{"id": v.id, "name": v.name, "maxParallelism": 128, "parallelism": v.parallelism, "status": status,
			"start-time": w.snapshot.StartMs, "end-time": -1, "duration": w.now - w.snapshot.StartMs, "tasks": tasks, "metrics": w.totals(v, -1)})
	}
	return object{"jid": w.id, "name": w.job.Name, "isStoppable": false, "state": state, "job-type": "STREAMING", "start-time": w.job.StartsMs[0] - submitMs,
		"end-time": -1, "duration": w.now - w.job.StartsMs[0] + submitMs, "maxParallelism": -1, "now": w.now, "timestamps": w.timestamps(state), "vertices": vertices, "plan": w.plan()}
}

// vertexState is the vertex's state and the number of subtasks in each state.
func (w *writer) vertexState(v *vertex, state string) (string, object) {
	done := 0
	for k := range v.parallelism {
		if w.finished(v, k) {
			done++
		}
	}
	running := v.parallelism - done
	tasks := object{"RUNNING": running, "FINISHED": done, "CANCELED": 0, "FAILED": 0, "CREATED": 0}
	switch {
	case state == "FAILED" || state == "CANCELED" || state == "FINISHED":
		return state, object{state: v.parallelism}
	case state == "RESTARTING":
		return "CANCELED", object{"CANCELED": v.parallelism}
	case running == 0:
		return "FINISHED", tasks
	}
	return "RUNNING", tasks
}

func (w *writer) finished(v *vertex, k int) bool {
	at := w.snapshot.Operators[v.ops[0]].Subtasks[k].FinishedMs
	return at > 0 && at <= w.snapshot.AtMs
}

// totals is IOMetricsInfo of a subtask, or of all with -1. Records read by a source are not
// counted before 2.0.
func (w *writer) totals(v *vertex, subtask int) object {
	var read, written int64
	var busy, pressed, up float64
	for k := range v.parallelism {
		if subtask >= 0 && k != subtask {
			continue
		}
		head := w.head(v, k)
		if head.Source == nil || w.job.Flink.AtLeast(2, 0, 0) {
			read += head.Received
		}
		for _, tail := range w.tails(v) {
			written += w.snapshot.Operators[tail].Subtasks[k].Sent
		}
		for _, op := range v.ops {
			busy += w.snapshot.Operators[op].Subtasks[k].BusyMs
		}
		pressed += head.PressedMs
		up += float64(w.snapshot.AtMs - w.snapshot.StartMs)
	}
	return object{"read-bytes": read * 30, "read-bytes-complete": true, "write-bytes": written * 30, "write-bytes-complete": true,
		"read-records": read, "read-records-complete": true, "write-records": written, "write-records-complete": true,
		"accumulated-backpressured-time": int64(pressed), "accumulated-idle-time": int64(max(up-busy-pressed, 0)), "accumulated-busy-time": busy}
}

func (w *writer) head(v *vertex, k int) *run.Subtask {
	return &w.snapshot.Operators[v.ops[0]].Subtasks[k]
}

// tails are the operators of a vertex whose records leave it: the ends of its chain, except
// sinks, which send nothing.
func (w *writer) tails(v *vertex) []int {
	var out []int
	for _, i := range v.ops {
		leaf := true
		for _, k := range v.ops {
			op := w.job.Operators[k]
			leaf = leaf && !(op.Chained && op.Inputs[0].From[0] == i)
		}
		if leaf {
			out = append(out, i)
		}
	}
	return out
}

func (w *writer) plan() object {
	var nodes []object
	for i := range w.vertices {
		v := &w.vertices[len(w.vertices)-1-i] // consumers come first in a real plan
		node := object{"id": v.id, "parallelism": v.parallelism, "operator": "", "operator_strategy": "", "description": v.description, "optimizer_properties": object{}}
		var inputs []object
		for n, e := range v.inputs {
			inputs = append(inputs, object{"num": n, "id": w.vertices[e.from].id, "ship_strategy": e.ship, "exchange": "pipelined_bounded"})
		}
		if inputs != nil {
			node["inputs"] = inputs
		}
		nodes = append(nodes, node)
	}
	return object{"jid": w.id, "name": w.job.Name, "type": "STREAMING", "nodes": nodes}
}
