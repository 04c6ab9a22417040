package rest

import (
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
)

// recordMs is the least cost of a record, ms.
const recordMs = 0.3

func (w *writer) vertex(i int, base string) {
	v := &w.vertices[i]
	list := w.gauges(v)
	w.answer(base+"/watermarks", w.watermarks(v))
	w.answer(base+"/backpressure", w.backpressure(v))
	w.answer(base, w.subtasks(v))
	w.answer(base+"/metrics", list.ids())
	w.batches(base+"/metrics?get=", list)
	w.answer(base+"/subtasks/metrics", list.aggregateIDs())
	if w.job.Flink.AtLeast(1, 20, 0) {
		w.answer(base+"/jm-operator-metrics", json.RawMessage("[]"))
	}
}

// watermarks are the task-level input watermarks; a source has none (JobVertexWatermarksHandler).
func (w *writer) watermarks(v *vertex) any {
	var list metrics
	if len(v.inputs) > 0 {
		for k := range v.parallelism {
			if w.fetched(v, k) {
				list.add(strconv.Itoa(k)+".currentInputWatermark", number(w.head(v, k).In))
			}
		}
	}
	return list.values(0, len(list))
}

// fetched reports whether the JobManager ever got metrics of a subtask.
func (w *writer) fetched(v *vertex, k int) bool {
	at := w.head(v, k).FinishedMs
	return at == 0 || at > w.seen
}

// load is how a subtask's task spends its time, ms per second, averaged over 60 s.
func (w *writer) load(v *vertex, k int) (busy, pressed, idle float64) {
	for _, op := range v.ops {
		s := &w.snapshot.Operators[op].Subtasks[k]
		busy += s.Busy + recordMs*s.ReceivedRate
		pressed += s.Pressed
	}
	pressed = min(max(pressed, w.passedOn(v, k)), 1000)
	busy = min(busy, 1000-pressed)
	return busy, pressed, 1000 - busy - pressed
}

// passedOn is the back pressure of a task that only forwards, between a back-pressured source and the slow task.
func (w *writer) passedOn(v *vertex, k int) float64 {
	if len(v.inputs) == 0 || w.job.Operators[v.ops[0]].CostMs > 0 || !w.beforeSlow(v) {
		return 0
	}
	most := 0.0
	for _, e := range v.inputs {
		u := &w.vertices[e.from]
		for n := range u.parallelism {
			if e.ship != "FORWARD" || n == k {
				_, pressed, _ := w.load(u, n)
				most = max(most, pressed)
			}
		}
	}
	return most
}

// beforeSlow reports a task whose records reach one that takes time.
func (w *writer) beforeSlow(v *vertex) bool {
	for i := range w.vertices {
		u := &w.vertices[i]
		for _, e := range u.inputs {
			if &w.vertices[e.from] == v && (w.job.Operators[u.ops[0]].CostMs > 0 || w.beforeSlow(u)) {
				return true
			}
		}
	}
	return false
}

func (w *writer) backpressure(v *vertex) object {
	var all []object
	for k := range v.parallelism {
		if !w.fetched(v, k) || w.finished(v, k) {
			continue
		}
		busy, pressed, idle := w.load(v, k)
		l := level(pressed / 1000)
		all = append(all, object{"subtask": k, "backpressureLevel": l, "backpressure-level": l, "ratio": pressed / 1000, "idleRatio": idle / 1000, "busyRatio": busy / 1000})
	}
	if all == nil {
		return object{"status": "deprecated"}
	}
	worst := 0.0
	for k := range v.parallelism {
		_, pressed, _ := w.load(v, k)
		worst = max(worst, pressed/1000)
	}
	return object{"status": "ok", "backpressureLevel": level(worst), "backpressure-level": level(worst), "end-timestamp": w.snapshot.AtMs - fetchMs, "subtasks": all}
}

// level is the word of JobVertexBackPressureHandler.
func level(ratio float64) string {
	switch {
	case ratio <= 0.1:
		return "ok"
	case ratio <= 0.5:
		return "low"
	}
	return "high"
}

func (w *writer) subtasks(v *vertex) object {
	var all []object
	state := w.state()
	for k := range v.parallelism {
		status := "RUNNING"
		switch {
		case state == "RESTARTING":
			status = "CANCELED"
		case state != "RUNNING":
			status = state
		case w.finished(v, k):
			status = "FINISHED"
		}
		s := object{"subtask": k, "status": status, "attempt": w.attempt(), "start-time": w.snapshot.StartMs, "start_time": w.snapshot.StartMs, "end-time": -1,
			"duration": w.now - w.snapshot.StartMs, "taskmanager-id": taskManager, "metrics": w.totals(v, k)}
		if w.job.Flink.AtLeast(1, 19, 0) {
			s["endpoint"] = "10.0.0.7:6121"
		}
		if !w.job.Flink.AtLeast(2, 0, 0) {
			s["host"] = "10.0.0.7"
		}
		all = append(all, s)
	}
	return object{"id": v.id, "name": v.name, "parallelism": v.parallelism, "maxParallelism": 128, "now": w.now, "subtasks": all}
}

// attempt is the number of earlier starts of the tasks.
func (w *writer) attempt() int {
	n := 0
	for _, s := range w.job.StartsMs[1:] {
		if s <= w.snapshot.AtMs {
			n++
		}
	}
	return n
}

// batches requests all values in requests that Flink accepts (4,096 bytes).
func (w *writer) batches(path string, list metrics) {
	const most = 3500
	var query strings.Builder
	from := 0
	for i := range list {
		id := url.QueryEscape(list[i].id)
		if query.Len() > 0 && query.Len()+len(id) > most {
			w.answer(path+query.String(), list.values(from, i))
			query.Reset()
			from = i
		}
		if query.Len() > 0 {
			query.WriteByte(',')
		}
		query.WriteString(id)
	}
	if from < len(list) {
		w.answer(path+query.String(), list.values(from, len(list)))
	}
}
