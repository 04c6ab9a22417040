package checks

import (
	"fmt"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/flinkapi"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM703", Cause: "not-running", Title: "The job does not run",
	Severity: catalog.Info, Needs: catalog.Needs(catalog.JobState),
	Ended: true,
	Batch: true,
	Means: "The job is not RUNNING. The JobManager still answers with the last metrics it cached, which say nothing about now; they are not judged.",
	Why:   "The metric store keeps the last value of every metric until the job leaves the overview. A CANCELED job looks alive in every watermark view.",
	Fix:   catalog.Fix{Text: "A FAILED job: fix the exception, then restart it from its last checkpoint. Any other: start it, if it is meant to run."},
	Run:   runNotRunning,
})

func runNotRunning(j *model.Job) []catalog.Finding {
	if j.Running() || j.State == "RESTARTING" || j.State == "FAILING" {
		return nil
	}
	f := catalog.NewFinding("TM703", nil)
	f.Summary = fmt.Sprintf("The job is %s: its cached metrics are not judged", j.State)
	if j.State == "FAILED" {
		f.Severity = catalog.Critical
		if x := j.Now.Exceptions; x != nil && len(x.History.Entries) > 0 {
			cause := model.Shorten(flinkapi.CauseOf(x.History.Entries[0].Stacktrace), 200)
			f.Summary = "The job has FAILED: " + cause
			f.Prove(nil, model.FailedTask(x.History.Entries[0].TaskName), "exception", cause)
		}
	}
	if t := j.Now.Job.Timestamps[j.State]; t > 0 {
		f.Since(j.NowMs - t)
	}
	f.Prove(nil, "job", "state", j.State)
	return []catalog.Finding{f}
}
