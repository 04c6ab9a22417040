package checks

import (
	"fmt"
	"slices"
	"strings"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM703", Cause: "not-running", Title: "The job does not run",
	Severity: catalog.Info, Needs: catalog.Needs(catalog.JobState),
	Ended: true,
	Batch: true,
	Means: "The job is not RUNNING. The JobManager still answers with the last metrics it cached, which say nothing about now; they are not judged.",
	Why:   "The metric store keeps the last value of every metric until the job leaves the overview. A CANCELED job looks alive in every watermark view.",
	Fix:   catalog.Fix{Text: "Start the job, if it is meant to run."},
	Run:   runNotRunning,
})

// drained is an operator of event time that was at end of input when its job was stopped, nil where none was seen
// there: the last metrics may be from before.
func drained(j *model.Job) *model.Vertex {
	for _, v := range j.Vertices {
		if !v.IsSource() && v.EventTimeUse() == model.UseYes && slices.Contains(lastSeen(j, v, ".currentInputWatermark"), endOfInput) {
			return v
		}
	}
	return nil
}

// endOfInput is Long.MAX_VALUE as a metric answer has it.
const endOfInput = "9223372036854775807"

// lastSeen are the values of a metric in all subtasks of a vertex, as they were cached last: for jobs that have
// ended, whose gauges are judged as history only.
func lastSeen(j *model.Job, v *model.Vertex, suffix string) []string {
	var out []string
	if s := j.Now.Vertices[v.ID]; s != nil {
		for id, value := range s.Metrics {
			if strings.HasSuffix(id, suffix) {
				out = append(out, value)
			}
		}
	}
	return out
}

func runNotRunning(j *model.Job) []catalog.Finding {
	if j.Running() || j.State == "RESTARTING" || j.State == "FAILING" {
		return nil
	}
	f := catalog.NewFinding("TM703", nil)
	f.Title = "The job is " + j.State
	f.Summary = fmt.Sprintf("The job is %s: its cached metrics are not judged", j.State)
	if j.State == "FAILED" {
		f.Severity = catalog.Critical
		f.Fix.Text = "Fix the exception, then restart the job from its last checkpoint."
		if x := j.Now.Exceptions; x != nil && len(x.History.Entries) > 0 {
			failure := telling(x.History.Entries)
			cause := causeOf(failure)
			f.Summary = "The job has FAILED: " + cause
			blameMerge(j, &f)
			f.Prove(nil, model.FailedTask(failure.TaskName), "exception", cause)
		}
	}
	if s := j.Now.Checkpoints.Stopping(); j.State == "FINISHED" && s != nil && s.Status == "COMPLETED" {
		f.Summary = "The job was stopped with a savepoint: its cached metrics are not judged"
		if at := drained(j); at != nil {
			f.Summary += fmt.Sprintf(". %s was at end of input then, so it was drained: all windows have fired, and a job that is restored from this savepoint gives a second, partial result for windows that were open", model.QuoteName(at.Name))
			f.Prove(at, model.QuoteName(at.Name), "currentInputWatermark, last seen", "end of input")
		} else {
			f.Summary += ". If it was drained (--drain), which is not shown, all windows have fired, and a job that is restored from this savepoint gives a second, partial result for windows that were open"
		}
		f.Prove(nil, "savepoint", "checkpoint_type", s.Type)
	}
	if t := j.Now.Job.Timestamps[j.State]; t > 0 {
		f.Began(t, j.NowMs)
	}
	f.Prove(nil, "job", "state", j.State)
	return []catalog.Finding{f}
}
