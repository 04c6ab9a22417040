package model

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"tidemark/flinkapi"
)

// QuoteName puts a foreign name in a sentence, cut to a readable length.
func QuoteName(name string) string {
	const most = 60
	if utf8.RuneCountInString(name) > most {
		r := []rune(name)
		name = string(r[:most-20]) + "…" + string(r[len(r)-19:])
	}
	return `"` + name + `"`
}

// SourceName is the name of a source without Flink's prefix and without what is chained to it, as it was given.
func SourceName(v *Vertex) string {
	name := v.Name
	if h := v.Head(); h != nil && h.Name != "" {
		name = h.Name
	}
	return strings.TrimPrefix(name, "Source: ")
}

// SourceLabel is the name of a source to be read.
func SourceLabel(v *Vertex) string { return QuoteName(SourceName(v)) }

func SubtaskLabel(s *Subtask) string {
	return SourceLabel(s.Vertex) + " subtask " + strconv.Itoa(s.Index)
}

func HeadName(v *Vertex) string {
	if h := v.Head(); h != nil {
		return h.Name
	}
	return ""
}

func (v *Vertex) OperatorName(metric string) string {
	for _, op := range v.Chain {
		if op.Metric == metric {
			return op.Name
		}
	}
	return metric
}

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

func Describe(w flinkapi.Watermark) string {
	switch w.State() {
	case flinkapi.None:
		return "none at all"
	case flinkapi.End:
		return "end of input"
	}
	return w.String()
}

// FailedTask is the subject of an exception; a failure of the whole job names no task.
func FailedTask(name string) string {
	if name == "" {
		return "job"
	}
	return QuoteName(name)
}
