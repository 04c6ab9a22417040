package catalog

import (
	"fmt"
	"regexp"
	"strings"

	"tidemark/analyze/model"
)

// Headline is the title of a finding with its place in it: that of its check, unless it was given one of its own.
func (f *Finding) Headline() string {
	if f.Vertex == nil {
		return f.Title
	}
	text := f.Title
	if c, ok := FindCheck(f.Code); ok && text == c.Title && c.Headline != "" {
		text = c.Headline
	}
	behind := "nothing"
	if len(f.HeldBack) > 0 {
		behind = model.QuoteName(HeadOf(f.HeldBack[0].Name))
	}
	return strings.NewReplacer("{place}", f.placeText(), "{vertex}", f.subject(), "{behind}", behind).Replace(text)
}

// subject names the operator, or the head of the vertex.
func (f *Finding) subject() string {
	if f.Operator != "" {
		return model.QuoteName(HeadOf(f.Operator))
	}
	return model.QuoteName(HeadOf(f.Vertex.Name))
}

// partition is a split whose name ends as those of Kafka and Kinesis do.
var partition = regexp.MustCompile(`^[^ ]+-\d+$`)

// placeText is the narrowest place: a split, the only subtask, or the vertex.
func (f *Finding) placeText() string {
	switch {
	case f.Split != "":
		return SplitName(f.Split)
	case len(f.Subtasks) == 1:
		return fmt.Sprintf("%s subtask %d", f.subject(), f.Subtasks[0])
	}
	return f.subject()
}

// SplitName is a split with what it is called: a partition where its name is one's.
func SplitName(id string) string {
	if partition.MatchString(id) {
		return "Partition " + id
	}
	return "Split " + id
}

// HeadOf is a vertex without what is chained to it, Flink's prefix and the default path of SQL.
func HeadOf(name string) string {
	name, _, _ = strings.Cut(name, " -> ")
	return strings.ReplaceAll(strings.TrimPrefix(name, "Source: "), model.DefaultPath, "")
}
