package render

import (
	"tidemark/analyze"
	"tidemark/flinkapi"
)

// Branch is a vertex in the order of the data flow: depth is the longest way from a source, codes are
// the findings at it that are more than info.
type Branch struct {
	analyze.VertexReport
	Depth int
	Codes []string
}

// Label is the vertex with its parallelism on an arm that is at most so many steps long.
func (b Branch) Label(steps int) string { return arm(b.Depth, steps) + vertexLabel(b.VertexReport) }

// Tree orders the vertices of a job.
func Tree(j *analyze.JobReport) []Branch {
	var out []Branch
	for _, n := range ordered(j) {
		out = append(out, Branch{n.VertexReport, n.depth, n.codes})
	}
	return out
}

// ByVerdict lists the jobs of a report, what needs a person first.
func ByVerdict(r *analyze.Report) []*analyze.JobReport { return byVerdict(r) }

// Counts is "26 jobs: 1 critical, 25 healthy".
func Counts(r *analyze.Report) string { return countsText(r) }

// LagText writes a lag in ms, nil for none.
func LagText(ms *int64) string { return lagText(ms) }

// WatermarkText writes what a gauge shows, as a time of the day of now (epoch ms) or in words.
func WatermarkText(w flinkapi.Watermark, now int64) string { return watermarkText(w, now) }
