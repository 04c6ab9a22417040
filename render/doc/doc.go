// Package doc is the form of a report for people: a document of blocks, and one writer each for a terminal, Markdown and
// a page. Strings of a document may hold foreign text; the writers make it harmless.
package doc

import (
	"html/template"
	"strings"
)

// Document is a report in the order in which it is read.
type Document struct {
	Title  string // what kind of document it is; not shown on a terminal, which has the command
	Blocks []Block
	Foot   string // the last line, such as counts; "" = none
	Made   string // what made it, on pages only
}

// Block is a Heading, Paragraph, List, Pairs, Table, Code, Figure, Cards or Folded.
type Block interface{ block() }

// Tone is the colour of a word: a verdict or severity of package analyze, or "" for none. Colour only repeats what the
// word says.
type Tone string

// The tones.
const (
	Critical   Tone = "critical"
	Warning    Tone = "warning"
	Info       Tone = "info"
	Healthy    Tone = "healthy"
	Incomplete Tone = "incomplete"
)

// Label is a word before a text, written in capitals.
type Label struct {
	Word string
	Tone Tone
}

// Heading begins a part: level 1 the document, 2 a subject, 3 one statement about it. Lead is the answer in one
// sentence; at level 3 a terminal shows it instead of the text.
type Heading struct {
	Level      int
	Label      Label
	Text, Lead string
	Facts      []string // next to it: what was read, and when
	Mark       string   // the words of the lead that name the place, to be highlighted; "" = none
	ID         string   // by which links find it, "" = none
}

// Paragraph is prose. Dim is for what is additional, such as where and when a report was read.
type Paragraph struct {
	Label Label
	Text  string
	Dim   bool
	ID    string // by which links find it, "" = none
	More  string // address of a page that says more, for formats that link; "" = none
}

// List has one item per line.
type List []string

// Pairs are named facts.
type Pairs []Pair

// Pair is a fact with its name; each value begins a line. Strong marks the fact that people look for.
type Pair struct {
	Name   string
	Values []string
	Strong bool
}

// Table has as many cells per row as columns.
type Table struct {
	Title   string
	Columns []Column
	Rows    []Row
	More    string // what is left out, "" = nothing
}

// Column is a column's head and how its cells are fitted: names (Cut) are shortened in the middle, all others wrap.
type Column struct {
	Name   string
	Number bool // set to the right
	Cut    bool
}

// Row is one row; notes stand below it.
type Row struct {
	Cells []Cell
	Notes []string
}

// Cell is a text, and the number that it was made from. Leading spaces indent it.
type Cell struct {
	Text  string
	Value string // "" = the text itself
	Tone  Tone
	Link  string // ID of a heading
}

// Code is text to be copied.
type Code struct {
	Title    string
	Language string // java, sql or ""
	Text     string
}

// Figure is a picture and the words that replace it. SVG is a drawing for a wide page and, if there are two, one for a
// phone; the package that makes them escapes the names in them. Text draws the picture with characters, at most width
// cells per line; nil: only pages show it.
type Figure struct {
	ID, Title string
	SVG       []template.HTML
	Keys      []Key
	Text      func(width int) []string
	Note      string // how to read it, or why there is nothing to draw
}

// Key explains one mark of a figure: a drawing of the mark and its name.
type Key struct {
	Mark template.HTML
	Text string
}

// Cards are things to do, next to each other on a page.
type Cards []Card

// Card is one thing to do: in a word, how, and what to copy.
type Card struct {
	Title  string
	Blocks []Block
}

// Folded is shown on request: by a terminal with -v, by a page when it is unfolded. Open: a page shows it at once. Of is
// what the title is about, where several have the same title; Label and Note are before and after it.
type Folded struct {
	ID, Title string
	Of, Note  string
	Label     Label
	Open      bool
	Blocks    []Block
}

func (Heading) block()   {}
func (Paragraph) block() {}
func (List) block()      {}
func (Pairs) block()     {}
func (Table) block()     {}
func (Code) block()      {}
func (Figure) block()    {}
func (Cards) block()     {}
func (Folded) block()    {}

// heading is the title with what it is about.
func (f Folded) heading() string {
	if f.Of == "" {
		return f.Title
	}
	return f.Of + ": " + f.Title
}

// name is the document in one line: its subject and lead, or else what kind of document it is.
func (d *Document) name() string {
	for _, b := range d.Blocks {
		h, ok := b.(Heading)
		switch {
		case !ok || h.Level != 1:
			continue
		case h.Lead != "":
			return h.Text + ": " + h.Lead
		case h.Text != d.Title:
			return d.Title + ": " + strings.TrimSpace(strings.ToUpper(h.Label.Word)+" "+h.Text)
		}
	}
	return d.Title
}

// Add appends blocks.
func (d *Document) Add(blocks ...Block) { d.Blocks = append(d.Blocks, blocks...) }

// Cells are cells that have only a text.
func Cells(texts ...string) []Cell {
	cells := make([]Cell, len(texts))
	for i, t := range texts {
		cells[i].Text = t
	}
	return cells
}

// Columns are columns that wrap.
func Columns(names ...string) []Column {
	columns := make([]Column, len(names))
	for i, n := range names {
		columns[i].Name = n
	}
	return columns
}
