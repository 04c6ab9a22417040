package checks

import (
	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
)

// Run calls the checks that the job's state allows: without live tasks only the state is judged,
// since the metrics are those of the past.
func Run(j *model.Job) []catalog.Finding {
	out := []catalog.Finding{}
	for _, c := range catalog.Checks() {
		if c.Run == nil || !Applies(j, c) {
			continue
		}
		out = append(out, c.Run(j)...)
	}
	return out
}

// Applies reports whether a check judges a job in this state.
func Applies(j *model.Job, c catalog.Check) bool {
	switch {
	case j.Batch:
		return c.Batch
	case j.Running():
		return true
	}
	return c.Ended
}
