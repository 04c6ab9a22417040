package analyze

import (
	"fmt"

	"tidemark/flinkapi"
	"tidemark/internal/units"
)

var _ = register(Check{
	Code: "TM701", Cause: "restart-loop", Title: "The job keeps restarting",
	Symptom: 1, Severity: Critical, Needs: []string{"numRestarts", "exceptions"},
	Means: "The job restarts again and again: sources rebuild event time from nothing each time, so watermarks are none or start over, and cached metrics are of dead attempts.",
	Why:   "The watermarks of sources are not part of a checkpoint. The exception history says why the job fails; fix that first, and judge event time afterwards.",
	Fix:   Fix{Text: "Fix the root exception; the watermark follows."},
	Run:   runRestartLoop,
})

// recentMs is the window in which failures count as a loop.
const recentMs = 10 * 60_000

func runRestartLoop(j *Job) []Finding {
	rise, compared := j.Restarts.Rise()
	total, counted := j.Restarts.Value()
	failures := j.recentFailures()
	looping := compared && rise > 0 || j.State == "RESTARTING" || j.State == "FAILING" ||
		total >= 3 && failures >= 2 && j.UptimeMs < recentMs
	if !looping {
		return nil
	}
	f := newFinding("TM701", nil)
	if compared && rise == 0 && total < 2 && j.State == "RESTARTING" {
		f.Severity, f.Confidence = Warning, Likely
	}
	f.Summary = fmt.Sprintf("The job is %s", j.State)
	if counted {
		f.Summary += " and has restarted " + units.Number(total) + " times"
	}
	if compared && rise > 0 {
		f.Summary += ", " + units.Number(rise) + " of them while it was watched"
	}
	if x := j.Now.Exceptions; x != nil && len(x.History.Entries) > 0 {
		e := x.History.Entries[0]
		f.Summary += ": " + shorten(flinkapi.CauseOf(e.Stacktrace), 160)
		f.prove(nil, failedTask(e.TaskName), "exception", shorten(flinkapi.CauseOf(e.Stacktrace), 300))
		f.since(j.NowMs - oldest(x.History.Entries, j.NowMs))
		if v := j.vertexNamed(e.TaskName); v != nil {
			f.Vertex = v.Ref()
		}
	}
	f.proveGauge(nil, "job", "numRestarts", j.Restarts)
	return []Finding{f}
}

func (j *Job) recentFailures() int {
	n := 0
	if x := j.Now.Exceptions; x != nil {
		for _, e := range x.History.Entries {
			if j.NowMs-e.Timestamp < recentMs {
				n++
			}
		}
	}
	return n
}

// oldest is when the failures of late began, epoch ms: the history lists the newest first and is cut.
func oldest(entries []flinkapi.ExceptionEntry, now int64) int64 {
	at := entries[0].Timestamp
	for _, e := range entries {
		if now-e.Timestamp < recentMs {
			at = min(at, e.Timestamp)
		}
	}
	return at
}

// failedTask is the subject of an exception; a failure of the whole job names no task.
func failedTask(name string) string {
	if name == "" {
		return "job"
	}
	return quoteName(name)
}
