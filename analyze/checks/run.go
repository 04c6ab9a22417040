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
		if c.Run == nil || !Applies(j, c.Code) {
			continue
		}
		out = append(out, c.Run(j)...)
	}
	return out
}

func Applies(j *model.Job, code string) bool {
	switch {
	case j.Batch:
		return code == "TM701" || code == "TM703" || code == "TM704"
	case j.Running():
		return true
	}
	return code == "TM101" || code == "TM650" || code == "TM701" || code == "TM703" // these read the exceptions
}
