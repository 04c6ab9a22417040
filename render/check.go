package render

import (
	"tidemark/analyze/policy"
	"tidemark/render/ci"
	"tidemark/render/doc"
)

// Check is a check run. Root is the directory that files are named from, "" = as they were given.
func Check(run *policy.Run, root string) Result {
	o := ci.Options{Root: root}
	return Result{Data: ci.Data(run), Document: func() *doc.Document { return ci.Document(run, o) }, Own: ci.Writers(run, o), Limit: ci.SummaryLimit}
}
