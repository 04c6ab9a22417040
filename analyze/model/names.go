package model

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"tidemark/flinkapi"
)

// QuoteName quotes a name of the user's for a sentence, cut to 60 characters.
func QuoteName(name string) string {
	const most = 60
	if utf8.RuneCountInString(name) > most {
		r := []rune(name)
		name = string(r[:most-20]) + "…" + string(r[len(r)-19:])
	}
	return `"` + name + `"`
}

// SourceName is the name that the user gave a source: without "Source: " and without chained operators.
func SourceName(v *Vertex) string {
	name := v.Name
	if h := v.Head(); h != nil && h.Name != "" {
		name = h.Name
	}
	return strings.TrimPrefix(name, "Source: ")
}

// SourceLabel is SourceName, quoted.
func SourceLabel(v *Vertex) string { return QuoteName(SourceName(v)) }

// SubtaskLabel names a source subtask in a sentence.
func SubtaskLabel(s *Subtask) string {
	return SourceLabel(s.Vertex) + " subtask " + strconv.Itoa(s.Index)
}

// HeadName is the name of a vertex's first operator, "" where it is not known.
func HeadName(v *Vertex) string {
	if h := v.Head(); h != nil {
		return h.Name
	}
	return ""
}

// OperatorName is the name of the operator with this metric name.
func (v *Vertex) OperatorName(metric string) string {
	for _, op := range v.Chain {
		if op.Metric == metric {
			return op.Name
		}
	}
	return metric
}

// Shorten cuts s to at most so many characters.
func Shorten(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}

// VertexNamed finds the vertex of a task name such as "Window10s -> Sink: Writer (1/2) - execution #3".
func (j *Job) VertexNamed(task string) *Vertex {
	for _, v := range j.Vertices {
		if v.Name != "" && strings.HasPrefix(task, v.Name) {
			return v
		}
	}
	return nil
}

// Describe writes a watermark for a sentence.
func Describe(w flinkapi.Watermark) string {
	switch w.State() {
	case flinkapi.None:
		return "none"
	case flinkapi.End:
		return "end of input"
	}
	return w.String()
}

// FailedTask is what failed, for a sentence: the task, or where the exception names none the job.
func FailedTask(name string) string {
	if name == "" {
		return "job"
	}
	return QuoteName(name)
}
