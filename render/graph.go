package render

import (
	"slices"

	"tidemark/analyze"
	"tidemark/analyze/catalog"
)

// node is a vertex with its place in the drawing.
type node struct {
	analyze.VertexReport
	number int      // 1 is the first
	depth  int      // longest way from a source
	from   []int    // numbers of its inputs
	codes  []string // findings at this vertex, each once

	sameBudget bool // its lag is made of the same parts as that of an input
}

// ordered numbers the vertices so that each comes after its inputs, and as close below them as possible, so that its
// arm starts at the right line. Vertices with unknown inputs, or in a cycle, keep the order of the report.
func ordered(j *analyze.JobReport) []node {
	number := map[string]int{}
	var out []node
	placed := make([]bool, len(j.Vertices))
	known := map[string]bool{}
	for _, v := range j.Vertices {
		known[v.ID] = true
	}
	place := func(i int) {
		placed[i] = true
		number[j.Vertices[i].ID] = len(out) + 1
		out = append(out, node{VertexReport: j.Vertices[i], number: len(out) + 1})
	}
	for len(out) < len(j.Vertices) {
		next, newest := -1, -1
		for i, v := range j.Vertices {
			if at := latest(v, number); !placed[i] && at > newest && ready(v, known, number) {
				next, newest = i, at
			}
		}
		if next >= 0 {
			place(next)
		} else {
			for i := range j.Vertices {
				if !placed[i] {
					place(i)
					break
				}
			}
		}
	}
	codes := map[string][]string{}
	for _, f := range j.Findings {
		if f.Vertex != nil && f.Severity != catalog.Info && !slices.Contains(codes[f.Vertex.ID], f.Code) {
			codes[f.Vertex.ID] = append(codes[f.Vertex.ID], f.Code)
		}
	}
	for i := range out {
		for _, id := range out[i].Inputs {
			if n := number[id]; n != 0 && n <= i {
				out[i].depth = max(out[i].depth, out[n-1].depth+1)
				out[i].from = append(out[i].from, n)
				out[i].sameBudget = out[i].sameBudget || slices.Equal(out[n-1].Budget, out[i].Budget)
			}
		}
		slices.Sort(out[i].from)
		out[i].codes = codes[out[i].ID]
	}
	return out
}

// latest is the number of the input that was placed last, 0 = none was.
func latest(v analyze.VertexReport, number map[string]int) int {
	at := 0
	for _, id := range v.Inputs {
		at = max(at, number[id])
	}
	return at
}

func ready(v analyze.VertexReport, known map[string]bool, number map[string]int) bool {
	for _, id := range v.Inputs {
		if known[id] && number[id] == 0 && id != v.ID {
			return false
		}
	}
	return true
}
