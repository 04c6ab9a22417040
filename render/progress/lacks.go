package progress

import (
	"errors"

	"tidemark/analyze/triage"
	"tidemark/render/safe"
)

// Lacks says why a reading is not healthy, "" where it is.
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
		j, _ := worst(res.Report)
		return Headline(j)
	case err != nil:
		return err.Error()
	}
	return ""
}
