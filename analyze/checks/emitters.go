package checks

import (
	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
)

// eachEmitter gathers what judge finds at the emitters of a job.
func eachEmitter(j *model.Job, judge func(*model.Job, model.Emitter) (catalog.Finding, bool)) []catalog.Finding {
	var out []catalog.Finding
	for _, e := range j.Emitters() {
		if f, ok := judge(j, e); ok {
			out = append(out, f)
		}
	}
	return out
}
