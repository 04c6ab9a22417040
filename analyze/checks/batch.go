package checks

import (
	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM704", Cause: "batch", Title: "Batch job: watermarks do not apply",
	Severity: catalog.Info, Needs: catalog.Needs(catalog.JobType),
	Batch: true,
	Means: "In batch execution event time advances once, to the end of input, when all records were read. Stuck or missing watermarks mean nothing here.",
	Why:   "The runtime mode is BATCH (job-type of GET /jobs/:jobid since 1.20, the plan's type before).",
	Fix:   catalog.Fix{Text: "Nothing to do."},
	Run:   runBatch,
})

func runBatch(j *model.Job) []catalog.Finding {
	if !j.Batch {
		return nil
	}
	f := catalog.NewFinding("TM704", nil)
	f.Summary = "This is a batch job: event time is the end of input, and watermarks are not judged"
	f.Prove(nil, "job", "job-type", "BATCH")
	return []catalog.Finding{f}
}
