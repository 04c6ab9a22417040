package analyze

import (
	"fmt"

	"tidemark/flinkapi"
)

var _ = register(Check{
	Code: "TM703", Cause: "not-running", Title: "The job does not run",
	Severity: Info, Needs: []string{"job state"},
	Means: "The job is not RUNNING. The JobManager still answers with the last metrics it cached, which say nothing about now; they are not judged.",
	Why:   "The metric store keeps the last value of every metric until the job leaves the overview. A CANCELED job looks alive in every watermark view.",
	Fix:   Fix{Text: "A FAILED job: fix the exception, then restart it from its last checkpoint. Any other: start it, if it is meant to run."},
	Run:   runNotRunning,
})

func runNotRunning(j *Job) []Finding {
	if j.Running() || j.State == "RESTARTING" || j.State == "FAILING" {
		return nil
	}
	f := newFinding("TM703", nil)
	f.Summary = fmt.Sprintf("The job is %s: its cached metrics are not judged", j.State)
	if j.State == "FAILED" {
		f.Severity = Critical
		if x := j.Now.Exceptions; x != nil && len(x.History.Entries) > 0 {
			cause := shorten(flinkapi.CauseOf(x.History.Entries[0].Stacktrace), 200)
			f.Summary = "The job has FAILED: " + cause
			f.prove(nil, failedTask(x.History.Entries[0].TaskName), "exception", cause)
		}
	}
	if t := j.Now.Job.Timestamps[j.State]; t > 0 {
		f.since(j.NowMs - t)
	}
	f.prove(nil, "job", "state", j.State)
	return []Finding{f}
}
