package rest

import (
	"math"

	"tidemark/engine/twin/job"
)

// state is the JobStatus at the moment of the snapshot.
func (w *writer) state() string {
	at, j := w.snapshot.AtMs, w.job
	if j.EndMs > 0 && at >= j.EndMs {
		return j.State
	}
	if n := w.failures(); n > 0 && at < j.StartsMs[n] {
		return "RESTARTING"
	}
	return "RUNNING"
}

// failures counts the failures before the snapshot.
func (w *writer) failures() int {
	n := 0
	for _, f := range w.job.Failures {
		if f.AtMs <= w.snapshot.AtMs {
			n++
		}
	}
	return n
}

// timestamps says when the job last entered each state.
func (w *writer) timestamps(state string) object {
	start := w.job.StartsMs[0]
	t := object{"INITIALIZING": start - submitMs, "CREATED": start - submitMs/2, "RUNNING": w.snapshot.StartMs, "RESTARTING": 0, "FAILING": 0, "FAILED": 0, "CANCELED": 0, "FINISHED": 0}
	if n := w.failures(); n > 0 {
		t["RESTARTING"] = w.job.Failures[n-1].AtMs
	}
	if w.job.EndMs > 0 && state == w.job.State {
		t[state] = w.job.EndMs
	}
	return t
}

func (w *writer) jobMetrics(state string) []object {
	up := w.snapshot.AtMs - w.snapshot.StartMs
	if state != "RUNNING" {
		up = 0
	}
	m := []object{{"id": "numRestarts", "value": number(int64(w.failures()))}, {"id": "uptime", "value": number(up)}}
	if !w.job.Flink.AtLeast(2, 0, 0) {
		m = append(m, object{"id": "fullRestarts", "value": number(int64(w.failures()))})
	}
	return m
}

// exceptions are the newest five failures, newest first.
func (w *writer) exceptions() object {
	entries := []object{}
	for n := w.failures() - 1; n >= 0 && len(entries) < 5; n-- {
		f := w.job.Failures[n]
		entries = append(entries, object{"exceptionName": exceptionClass(f), "stacktrace": f.Exception + "\n" + f.Stack, "timestamp": f.AtMs, "taskName": f.Task, "taskManagerId": taskManager, "concurrentExceptions": []object{}})
	}
	out := object{"exceptionHistory": object{"entries": entries, "truncated": w.failures() > 5}}
	if !w.job.Flink.AtLeast(2, 0, 0) {
		out["root-exception"], out["timestamp"], out["all-exceptions"], out["truncated"] = nil, nil, []object{}, false
		if n := w.failures(); n > 0 {
			out["root-exception"], out["timestamp"] = w.job.Failures[n-1].Exception+"\n"+w.job.Failures[n-1].Stack, w.job.Failures[n-1].AtMs
		}
	}
	return out
}

func exceptionClass(f job.Failure) string {
	for i, c := range f.Exception {
		if c == ':' {
			return f.Exception[:i]
		}
	}
	return f.Exception
}

func (w *writer) checkpointConfig() object {
	c := object{"mode": "exactly_once", "interval": w.job.CheckpointMs, "timeout": 600000, "min_pause": 0, "max_concurrent": 1, "unaligned_checkpoints": false}
	if w.job.CheckpointMs == 0 {
		c["mode"], c["interval"] = "at_least_once", int64(math.MaxInt64)
	}
	return c
}

func (w *writer) checkpoints() object {
	restored, completed := 0, int64(0)
	latest := object{"completed": nil, "savepoint": nil, "failed": nil, "restored": nil}
	if n := w.failures(); w.job.CheckpointMs > 0 {
		completed = (w.snapshot.AtMs - w.job.StartsMs[0]) / w.job.CheckpointMs
		if n > 0 {
			restored = n
			latest["restored"] = object{"id": completed, "restore_timestamp": w.snapshot.StartMs, "is_savepoint": false}
		}
	}
	if restored == 0 && w.job.Restored {
		restored = 1
		latest["restored"] = object{"id": 1, "restore_timestamp": w.job.StartsMs[0] - submitMs/2, "is_savepoint": true}
	}
	return object{"counts": object{"restored": restored, "total": completed, "in_progress": 0, "completed": completed, "failed": 0}, "latest": latest, "history": []object{}}
}
