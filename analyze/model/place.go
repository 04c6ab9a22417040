package model

import (
	"fmt"
	"strconv"
)

// DefaultPath is the default catalog and database, which Flink SQL puts before every table's name. It is left out of
// texts.
const DefaultPath = "default_catalog.default_database."

// Place is where a cause is: a vertex, and where known the operator in its chain, the subtasks that show it and the
// split.
type Place struct {
	Vertex   *Ref   `json:"vertex"`
	Operator string `json:"operator,omitempty"`
	Subtasks []int  `json:"subtasks,omitempty"`
	Split    string `json:"split,omitempty"`
}

// Point is the narrowest part of a place that has its own watermark.
func (p Place) Point() Point {
	out := Point{Vertex: p.Vertex, Operator: p.Operator, Split: p.Split}
	if len(p.Subtasks) > 0 {
		out.Subtask = &p.Subtasks[0]
	}
	return out
}

// Point is the place of one watermark: of a vertex, or of one operator, subtask or split of it.
type Point struct {
	Vertex   *Ref   `json:"vertex"`
	Operator string `json:"operator,omitempty"` // where the vertex alone does not say which operator is meant
	Subtask  *int   `json:"subtask,omitempty"`
	Split    string `json:"split,omitempty"` // for Kafka topic-partition
}

// Point is the holder as a point.
func (h Holder) Point() Point {
	p := Point{Vertex: h.Vertex.Ref()}
	if h.Subtask != nil {
		p.Subtask = &h.Subtask.Index
	}
	if h.Split != nil {
		p.Split = h.Split.ID
	}
	return p
}

// Place is the point as the place of a finding.
func (p Point) Place() Place {
	out := Place{Vertex: p.Vertex, Operator: p.Operator, Split: p.Split}
	if p.Subtask != nil {
		out.Subtasks = []int{*p.Subtask}
	}
	return out
}

// Subject is the operator, or the vertex as a whole.
func (p Point) Subject() string {
	if p.Operator != "" {
		return QuoteName(p.Operator)
	}
	return QuoteName(p.Vertex.Name)
}

// String writes the point for a sentence.
func (p Point) String() string {
	if p.Vertex == nil {
		return "the job"
	}
	return QuoteName(p.Vertex.Name) + p.Within()
}

// Within is the subtask and the split of a point, each with a leading blank; "" for a whole vertex.
func (p Point) Within() (s string) {
	if p.Subtask != nil {
		s += " subtask " + strconv.Itoa(*p.Subtask)
	}
	if p.Split != "" {
		s += " split " + p.Split
	}
	return s
}

// Location is a place in a file of the user's: a policy or a SQL script. Lines and columns count from 1, columns in
// characters; Line 0 = the whole file.
type Location struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// String writes file:line:column.
func (l Location) String() string {
	if l.Line == 0 {
		return l.File
	}
	return fmt.Sprintf("%s:%d:%d", l.File, l.Line, l.Column)
}
