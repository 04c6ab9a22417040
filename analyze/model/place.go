package model

import (
	"fmt"
	"strconv"
)

// DefaultPath is what Flink SQL puts before the name of every table unless a catalog is chosen. It
// tells nothing and pushes out what does.
const DefaultPath = "default_catalog.default_database."

// Place is a vertex, and as far as it is known the operator in its chain, the subtask and the split.
type Place struct {
	Vertex   *Ref   `json:"vertex"`
	Operator string `json:"operator,omitempty"` // where the vertex itself does not say which one is meant
	Subtask  *int   `json:"subtask,omitempty"`
	Split    string `json:"split,omitempty"` // for Kafka topic-partition
}

// Place names where a vertex is held.
func (h Holder) Place() Place {
	p := Place{Vertex: h.Vertex.Ref()}
	if h.Subtask != nil {
		p.Subtask = &h.Subtask.Index
	}
	if h.Split != nil {
		p.Split = h.Split.ID
	}
	return p
}

// String writes the place for a sentence.
func (p Place) String() string {
	if p.Vertex == nil {
		return "the job"
	}
	return QuoteName(p.Vertex.Name) + p.Within()
}

// Within is the subtask and the split of a place, each after a blank; "" where it is a whole vertex.
func (p Place) Within() (s string) {
	if p.Subtask != nil {
		s += " subtask " + strconv.Itoa(*p.Subtask)
	}
	if p.Split != "" {
		s += " split " + p.Split
	}
	return s
}

// Location is a place in a file the user wrote: a policy or a SQL script. Lines and columns count from
// 1, columns in characters; Line 0 = no place.
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
