package render

import (
	"tidemark/analyze"
	"tidemark/analyze/catalog"
)

// filled is r with empty lists where it has none: a list of a report is never null.
func filled(r *analyze.Report) *analyze.Report {
	out := *r
	out.NotChecked = list(r.NotChecked)
	out.Jobs = append([]analyze.JobReport{}, r.Jobs...)
	for i := range out.Jobs {
		j := &out.Jobs[i]
		j.NotChecked = list(j.NotChecked)
		j.Findings = append([]catalog.Finding{}, j.Findings...)
		for k := range j.Findings {
			j.Findings[k].Evidence = list(j.Findings[k].Evidence)
		}
		j.Vertices = filledVertices(j.Vertices)
	}
	return &out
}

func filledVertices(vertices []analyze.VertexReport) []analyze.VertexReport {
	out := append([]analyze.VertexReport{}, vertices...)
	for i := range out {
		v := &out[i]
		v.Inputs, v.Budget, v.Subtasks = list(v.Inputs), list(v.Budget), list(v.Subtasks)
	}
	return out
}

func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
