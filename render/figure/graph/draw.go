package graph

import (
	"fmt"
	"html/template"
	"strings"

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

func (d drawing) paint(c *figure.Canvas, edges []Edge) {
	tones := map[Link]Tone{}
	for _, e := range edges {
		tones[e.Link] = e.Tone
	}
	for _, loud := range []bool{false, true} { // red lines over grey ones
		for _, w := range d.Ways {
			if tone := tones[w.Link]; (tone == Bad) == loud {
				d.line(c, w, tone)
			}
		}
	}
	for i, w := range d.boxes {
		d.box(c, w, d.Boxes[i])
	}
}

// line draws a link and its arrow.
func (d drawing) line(c *figure.Canvas, w Way, tone Tone) {
	class := "ne " + string(tone)
	if w.Back {
		class += " back"
	}
	p := w.Points
	var path strings.Builder
	fmt.Fprintf(&path, "M%.1f %.1f", p[0].X, p[0].Y)
	for i := 1; i < len(p); i++ {
		a, b := p[i-1], p[i]
		switch {
		case d.Rail:
			fmt.Fprintf(&path, "L%.1f %.1f", b.X, b.Y)
		case d.Across:
			mid := (a.X + b.X) / 2
			fmt.Fprintf(&path, "C%.1f %.1f %.1f %.1f %.1f %.1f", mid, a.Y, mid, b.Y, b.X, b.Y)
		default:
			mid := (a.Y + b.Y) / 2
			fmt.Fprintf(&path, "C%.1f %.1f %.1f %.1f %.1f %.1f", a.X, mid, b.X, mid, b.X, b.Y)
		}
	}
	c.Curve(class, path.String())
	tip, right := p[len(p)-1], d.Across || d.Rail && len(p) > 2
	if w.Back && !d.Rail { // it was drawn from its end
		tip = p[0]
		arrow(c, class, tip, right, -1)
		return
	}
	arrow(c, class, tip, right, 1)
}

func arrow(c *figure.Canvas, class string, tip Point, right bool, sign float64) {
	a, b := figure.Place{X: tip.X - 4, Y: tip.Y - 7*sign}, figure.Place{X: tip.X + 4, Y: tip.Y - 7*sign}
	if right {
		a, b = figure.Place{X: tip.X - 7*sign, Y: tip.Y - 4}, figure.Place{X: tip.X - 7*sign, Y: tip.Y + 4}
	}
	c.Path("area", strings.Replace(class, "ne", "na", 1), []figure.Place{{X: tip.X, Y: tip.Y}, a, b})
}

func (d drawing) box(c *figure.Canvas, w words, b Box) {
	if len(w.Parts) > 0 && !w.chips {
		d.before(c, w, b)
		b.X, b.W = b.X+partWide+partGap, w.w
		b.Y, b.H = b.Y+(b.H-w.h)/2, w.h
	}
	class := "nb " + string(w.Tone)
	if w.Many {
		for _, off := range []float64{6, 3} {
			c.Rect("nb "+string(Plain), b.X+off, b.Y+off, b.W-6, b.H-6).Round(8)
		}
		b.W, b.H = b.W-6, b.H-6
	}
	c.Rect(class, b.X, b.Y, b.W, b.H).Round(8).Named(w.Title)
	y := b.Y + 6
	for _, l := range w.name {
		y += nameLine
		c.Text("nn", "start", b.X+padding, y-2, l)
	}
	for i, l := range w.lines {
		y += lineLine
		c.Text("nl "+string(w.tones[i]), "start", b.X+padding, y-2, l)
	}
	if !w.chips {
		return
	}
	columns := w.columns()
	wideChip := (b.W-2*padding+6)/float64(columns) - 6
	for i, p := range w.Parts {
		x, top := b.X+padding+float64(i%columns)*(wideChip+6), y+8+float64(i/columns)*chipStep
		c.Rect("nb "+string(p.Tone), x, top, wideChip, chipHigh).Round(5).Named(p.Name + ": " + p.Text)
		value := cut(safe.Clean(p.Text), lineSize, wideChip*0.62)
		c.Text("nl "+string(p.Tone), "end", x+wideChip-6, top+15, value)
		c.Text("nl on", "start", x+7, top+15, cut(safe.Clean(p.Name), lineSize, wideChip-20-wide(value, lineSize)))
	}
}

// before draws the parts in a column on the left of their box.
func (d drawing) before(c *figure.Canvas, w words, b Box) {
	high := float64(len(w.Parts))*partStep - (partStep - partHigh)
	y := b.Y + (b.H-high)/2
	left, middle := b.X+partWide, b.Y+b.H/2
	for i, p := range w.Parts {
		end := Point{left + partGap, middle + (float64(i)-float64(len(w.Parts)-1)/2)*min(10, (w.h-20)/float64(len(w.Parts)))}
		d.line(c, Way{Points: []Point{{left, y + float64(i)*partStep + partHigh/2}, end}}, p.Tone)
	}
	for i, p := range w.Parts {
		top := y + float64(i)*partStep
		c.Rect("nb "+string(p.Tone), b.X, top, partWide, partHigh).Round(6).Named(p.Name + ": " + p.Text)
		c.Text("nl on", "start", b.X+10, top+16, cut(safe.Clean(p.Name), lineSize, partWide-20))
		c.Text("nl "+string(p.Tone), "start", b.X+10, top+32, cut(safe.Clean(p.Text), lineSize, partWide-20))
	}
}
