package render

import (
	"fmt"
	"strings"
)

// figure is one picture of a report with the numbers it shows. It is drawn twice, for a page and for
// a phone, since text that shrinks with its picture cannot be read there.
type figure struct {
	ID, Title, Desc string
	Missing         string // why there is nothing to draw; empty: there is
	Note            string // how to read it
	Drawings        []*canvas
	Legend          []key
	Head            []string
	Rows            [][]cell
	More            string // what the table leaves out
}

// cell is one cell of a figure's table: what is read, and the number it was made of.
type cell struct{ Text, Value string }

// key explains one mark of a figure.
type key struct{ Class, Text string }

// canvas collects the shapes of one drawing, in SVG units.
type canvas struct {
	ID, Class string
	W, H      float64
	Narrow    bool
	Shapes    []shape
}

// shape is one SVG element. Ms and Value are the numbers behind its place, for those who read the
// picture back.
type shape struct {
	Kind, Class, Points, Text, Anchor, Title string
	X, Y, W, H                               float64
	Opacity                                  string
	Ms, Value                                string
}

// draw calls paint for each width; heights may differ.
func (f *figure) draw(wide, narrow float64, paint func(*canvas)) {
	for _, c := range []*canvas{{Class: "wide", W: 720, H: wide}, {Class: "narrow", W: 340, H: narrow, Narrow: true}} {
		c.ID = f.ID + "-" + c.Class
		paint(c)
		f.Drawings = append(f.Drawings, c)
	}
}

func (c *canvas) add(s shape) *shape {
	c.Shapes = append(c.Shapes, s)
	return &c.Shapes[len(c.Shapes)-1]
}

func (c *canvas) rect(class string, x, y, w, h float64) *shape {
	return c.add(shape{Kind: "rect", Class: class, X: x, Y: y, W: max(0, w), H: max(0, h)})
}

func (c *canvas) line(class string, x1, y1, x2, y2 float64) *shape {
	return c.add(shape{Kind: "line", Class: class, X: x1, Y: y1, W: x2, H: y2})
}

func (c *canvas) dot(class string, x, y, r float64) *shape {
	return c.add(shape{Kind: "dot", Class: class, X: x, Y: y, W: r})
}

func (c *canvas) path(kind, class string, at []place) {
	var b strings.Builder
	for _, p := range at {
		fmt.Fprintf(&b, "%.1f,%.1f ", p.x, p.y)
	}
	c.add(shape{Kind: kind, Class: class, Points: strings.TrimSpace(b.String())})
}

type place struct{ x, y float64 }

// text writes at a baseline; anchor is start, middle or end.
func (c *canvas) text(class, anchor string, x, y float64, s string) *shape {
	return c.add(shape{Kind: "text", Class: class, Anchor: anchor, X: x, Y: y, Text: s})
}

// label writes beside a vertical mark, on the side that has room.
func (c *canvas) label(class string, x, y float64, s string) {
	// 6.4 units a character is what the page's font takes at this size.
	wide := 6.4 * float64(len([]rune(s)))
	if x+6+wide > c.W-4 && x-6-wide > 0 {
		c.text(class, "end", x-6, y, s)
		return
	}
	c.text(class, "start", min(x+6, max(2, c.W-4-wide)), y, s)
}

// of notes the numbers a shape stands for.
func (s *shape) of(ms any, value any) *shape {
	s.Ms, s.Value = fmt.Sprint(ms), fmt.Sprint(value)
	return s
}

func (s *shape) named(title string) *shape { s.Title = title; return s }
