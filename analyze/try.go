package analyze

import (
	"strings"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
)

// tries gives each finding whose fix is a setting of one source what whatif is asked to try it. Only a
// source that shows Kafka offsets can be played again.
func tries(j *model.Job, findings []catalog.Finding) {
	for i := range findings {
		f := &findings[i]
		c, ok := catalog.FindCheck(f.Code)
		if v := sourceOf(j.Vertex(vertexID(*f))); ok && c.Try != "" && v != nil && showsOffsets(v) {
			f.Try = []string{strings.Trim(model.SourceLabel(v), `"`) + "." + c.Try}
		}
	}
}

// sourceOf is a source, or the only one that feeds a vertex.
func sourceOf(v *model.Vertex) *model.Vertex {
	for v != nil && !v.IsSource() {
		if len(v.In) != 1 {
			return nil
		}
		v = v.In[0].From
	}
	return v
}

func showsOffsets(v *model.Vertex) bool {
	for _, t := range v.Subtasks {
		for _, sp := range t.ActiveSplits() {
			if _, ok := sp.Offset.Value(); ok {
				return true
			}
		}
	}
	return false
}
