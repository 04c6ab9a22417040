package analyze

var _ = register(Check{
	Code: "TM704", Cause: "batch", Title: "Batch job: watermarks do not apply",
	Severity: Info, Needs: []string{"job type"},
	Means: "In batch execution event time advances once, to the end of input, when all records were read. Stuck or missing watermarks mean nothing here.",
	Why:   "The runtime mode is BATCH (job-type of GET /jobs/:jobid since 1.20, the plan's type before).",
	Fix:   Fix{Text: "Nothing to do."},
	Run:   runBatch,
})

func runBatch(j *Job) []Finding {
	if !j.Batch {
		return nil
	}
	f := newFinding("TM704", nil)
	f.Summary = "This is a batch job: event time is the end of input, and watermarks are not judged"
	f.prove(nil, "job", "job-type", "BATCH")
	return []Finding{f}
}
