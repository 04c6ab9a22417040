package progress

import (
	"cmp"
	"errors"
	"slices"

	"tidemark/analyze"
	"tidemark/analyze/catalog"
	"tidemark/analyze/triage"
	"tidemark/render/safe"
)

// Lacks is what keeps a reading from being healthy, "" where nothing does.
func Lacks(res triage.Result, err error) string {
	if err != nil {
		return err.Error()
	}
	for _, j := range res.Report.Jobs {
		if j.State != "RUNNING" {
			return "job " + safe.Short(j.Label(), 60) + " is " + safe.Short(j.State, 20)
		}
	}
	switch err := res.Err(); {
	case errors.Is(err, triage.ErrFindings):
		return worst(res.Report)
	case err != nil:
		return err.Error()
	}
	return ""
}

// worst is the job with the worst verdict, in a line.
func worst(r *analyze.Report) string {
	job := slices.MaxFunc(r.Jobs, func(a, b analyze.JobReport) int {
		return cmp.Compare(catalog.Severity(a.Verdict).Rank(), catalog.Severity(b.Verdict).Rank())
	})
	return Headline(job)
}
