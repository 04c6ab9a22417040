package render

import (
	"tidemark/contexts"
	"tidemark/render/doc"
)

// ContextData is a context of the configuration file.
type ContextData struct {
	Name    string `json:"name"`
	Current bool   `json:"current"`
	Cluster string `json:"cluster"` // its address, or the program that connects to it; secrets masked
	// Settings are the keys that it sets, by their path in the file; secrets masked.
	Settings map[string]string `json:"settings"`
}

func contextData(f *contexts.File, name string, c *contexts.Context) ContextData {
	d := ContextData{Name: name, Current: name == f.Current, Cluster: c.Where(), Settings: map[string]string{}}
	for _, l := range c.Lines() {
		d.Settings[l.Key] = l.Value
	}
	return d
}

// Contexts is the list of contexts; the current one has a mark.
func Contexts(f *contexts.File) Result {
	data := []ContextData{}
	t := doc.Table{Columns: doc.Columns("", "context", "cluster")}
	for _, name := range f.Names() {
		c := contextData(f, name, f.Contexts[name])
		mark := ""
		if c.Current {
			mark = "*"
		}
		data = append(data, c)
		t.Rows = append(t.Rows, doc.Row{Cells: []doc.Cell{{Text: mark}, {Text: name}, {Text: c.Cluster}}})
	}
	return Result{Data: data, Document: func() *doc.Document {
		return &doc.Document{Title: "Contexts", Blocks: []doc.Block{t}}
	}}
}

// Context is one context, in the order of its keys.
func Context(f *contexts.File, name string, c *contexts.Context) Result {
	pairs := doc.Pairs{{Name: "context", Values: []string{name}}}
	for _, l := range c.Lines() {
		pairs = append(pairs, doc.Pair{Name: l.Key, Values: []string{l.Value}})
	}
	return Result{Data: contextData(f, name, c), Document: func() *doc.Document {
		return &doc.Document{Title: "Context " + name, Blocks: []doc.Block{pairs}}
	}}
}
