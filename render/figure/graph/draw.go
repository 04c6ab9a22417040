package graph

import (
	"html/template"

	"tidemark/render/figure"
	"tidemark/render/safe"
)

// Tone is the colour of a box, a line or words; the words say the same.
type Tone string

// The tones. Held is for what only waits for something else.
const (
	Plain  Tone = "plain"
	Bad    Tone = "bad"
	Warn   Tone = "warn"
	Held   Tone = "held"
	Unsure Tone = "unsure"
	Good   Tone = "good"
)

// Node is a box: its name, and words below it. Parts are drawn before it, as inputs of this box only, such as the splits
// of a source. Many: the box represents several vertices. Title is the tooltip.
type Node struct {
	Name  string
	Title string
	Tone  Tone
	Many  bool
	Lines []Line
	Parts []Part
}

// Line is words in a box.
type Line struct {
	Text string
	Tone Tone
}

// Part is a small box with a name and a value.
type Part struct {
	Name, Text string
	Tone       Tone
}

// Edge is the line of a link.
type Edge struct {
	Link
	Tone Tone
}

// The widths of a page and of a phone, and how wide a box gets.
const (
	pageWidth, phoneWidth = 980.0, 340.0
	widest, narrowest     = 290.0, 150.0
	tallest               = 1700.0
	padding               = 12.0
	partWide, partGap     = 148.0, 38.0
	partHigh, partStep    = 40.0, 46.0
	chipHigh, chipStep    = 22.0, 27.0
)

// Draw draws a graph twice, for a page and for a phone. Screen readers read title and description.
func Draw(id, title, description string, nodes []Node, edges []Edge) []template.HTML {
	clean := make([]Node, len(nodes))
	for i, n := range nodes {
		n.Name = safe.Clean(n.Name)
		clean[i] = n
	}
	var out []template.HTML
	for _, d := range []drawing{onPage(clean, edges), onRail(clean, edges, phoneWidth)} {
		c := &figure.Canvas{ID: id + "-" + d.class, Class: d.class, W: d.W, H: d.H}
		d.paint(c, edges)
		out = append(out, c.HTML(title, description))
	}
	return out
}

// drawing is a layout with the words of its boxes.
type drawing struct {
	Layout
	class string
	boxes []words
}

// words are the words of a box, broken into lines.
type words struct {
	Node
	name, lines []string
	tones       []Tone // of the lines
	chips       bool   // the parts are inside, below the lines
	w, h        float64
}

// onPage draws from left to right where that fits, else downwards, else one box per row.
func onPage(nodes []Node, edges []Edge) drawing {
	for _, across := range []bool{true, false} {
		for most := widest; most >= narrowest; most -= 25 {
			if d := onLayers(nodes, edges, most, across); d.W <= pageWidth && d.H <= tallest {
				d.centre()
				return d
			}
		}
	}
	d := onRail(nodes, edges, pageWidth)
	d.class = "wide"
	return d
}

// centre moves a drawing that is narrower than the page to the middle.
func (d *drawing) centre() {
	aside := (pageWidth - d.W) / 2
	for i := range d.Boxes {
		d.Boxes[i].X += aside
	}
	for i := range d.Ways {
		for k := range d.Ways[i].Points {
			d.Ways[i].Points[k].X += aside
		}
	}
	d.W = pageWidth
}

func onLayers(nodes []Node, edges []Edge, most float64, across bool) drawing {
	d := drawing{class: "wide"}
	boxes := make([]Box, len(nodes))
	for i, n := range nodes {
		w := newWords(n, min(most, max(narrowest, natural(n))), !across)
		d.boxes = append(d.boxes, w)
		boxes[i] = Box{W: w.w, H: w.h}
		if across && len(n.Parts) > 0 {
			boxes[i].W += partWide + partGap
			boxes[i].H = max(w.h, float64(len(n.Parts))*partStep-(partStep-partHigh))
		}
	}
	d.Layout = layered(boxes, linksOf(edges), across, 46)
	return d
}

func onRail(nodes []Node, edges []Edge, width float64) drawing {
	d := drawing{class: "narrow"}
	boxes := make([]Box, len(nodes))
	links := linksOf(edges)
	empty := rail(boxes, links, width, 26)
	for i, n := range nodes {
		w := newWords(n, empty.Boxes[i].W, true)
		d.boxes = append(d.boxes, w)
		boxes[i] = Box{W: w.w, H: w.h}
	}
	d.Layout = rail(boxes, links, width, 26)
	return d
}

func linksOf(edges []Edge) []Link {
	links := make([]Link, len(edges))
	for i, e := range edges {
		links[i] = e.Link
	}
	return links
}

// natural is the width that the words of a box need.
func natural(n Node) float64 {
	w := wide(n.Name, nameSize)
	for _, l := range n.Lines {
		w = max(w, wide(safe.Clean(l.Text), lineSize))
	}
	return w + 2*padding + 2
}

func newWords(n Node, width float64, chips bool) words {
	w := words{Node: n, w: width, chips: chips && len(n.Parts) > 0}
	room := width - 2*padding
	w.name = fold(n.Name, nameSize, room, 2)
	for _, l := range n.Lines {
		for _, part := range fold(safe.Clean(l.Text), lineSize, room, 2) {
			w.lines, w.tones = append(w.lines, part), append(w.tones, l.Tone)
		}
	}
	w.h = 16 + nameLine*float64(len(w.name)) + lineLine*float64(len(w.lines))
	if w.chips {
		w.h += 4 + chipStep*float64((len(n.Parts)+w.columns()-1)/w.columns())
	}
	return w
}

// columns is how many parts are next to each other inside the box: as many as have room for their words.
func (w words) columns() int {
	least := 100.0
	for _, p := range w.Parts {
		least = max(least, wide(safe.Clean(p.Name), lineSize)+wide(safe.Clean(p.Text), lineSize)+26)
	}
	return max(1, int((w.w-2*padding+6)/(least+6)))
}
