package figure

import (
	"tidemark/kafkastats/advise"
	"tidemark/render/doc"
)

// figure is one picture of a recommendation with the numbers it shows.
type figure struct {
	ID, Title, Desc string
	Missing         string // why there is nothing to draw; "" = there is
	Note            string // how to read it
	Drawings        []*Canvas
	Legend          []key
	Head            []string
	Rows            [][]cell
	More            string      // what the table leaves out
	Tables          []doc.Table // instead of one of Head and Rows
	Text            func(width int) []string
}

// cell is one cell of a figure's table: a text, and the number that it was made from.
type cell struct{ Text, Value string }

// key explains one mark of a figure.
type key struct{ Class, Text string }

// draw calls paint for each width; heights may differ.
func (f *figure) draw(wide, narrow float64, paint func(*Canvas)) {
	f.Drawings = canvases(f.ID, wide, narrow, paint)
}

// Recommendation draws what was measured: the cost of each delay, disorder, latency of results, age against disorder,
// partitions, hours.
func Recommendation(r advise.Recommendation) []doc.Block {
	var out []doc.Block
	for _, f := range figuresOf(r) {
		out = append(out, f.blocks()...)
	}
	return out
}

func figuresOf(r advise.Recommendation) []figure {
	return []figure{curveFigure(r), distributionFigure(r), latencyFigure(r), jointFigure(r), partitionsFigure(r), hoursFigure(r), weekFigure(r)}
}

// blocks are the picture and, folded, its numbers.
func (f figure) blocks() []doc.Block {
	picture := doc.Figure{ID: f.ID, Title: f.Title, Note: f.Note, Text: f.Text}
	if f.Missing != "" {
		picture.Note = f.Missing
		return []doc.Block{picture}
	}
	for _, c := range f.Drawings {
		picture.SVG = append(picture.SVG, c.HTML(f.Title, f.Desc+" The numbers are in the table below."))
	}
	for _, k := range f.Legend {
		picture.Keys = append(picture.Keys, doc.Key{Mark: Mark(k.Class), Text: k.Text})
	}
	numbers := doc.Folded{ID: f.ID + "-numbers", Title: "numbers of the figure", Of: f.Title}
	for _, t := range f.Tables {
		numbers.Blocks = append(numbers.Blocks, t)
	}
	if f.Tables == nil {
		numbers.Blocks = []doc.Block{f.table()}
	}
	return []doc.Block{picture, numbers}
}

func (f figure) table() doc.Table {
	t := doc.Table{Columns: doc.Columns(f.Head...), More: f.More}
	for i := range t.Columns {
		t.Columns[i].Number = i < len(t.Columns)-1
	}
	for _, row := range f.Rows {
		r := doc.Row{Cells: make([]doc.Cell, len(f.Head))}
		for i, c := range row {
			r.Cells[i] = doc.Cell{Text: c.Text, Value: c.Value}
		}
		t.Rows = append(t.Rows, r)
	}
	return t
}
