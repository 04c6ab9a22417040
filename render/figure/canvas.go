// Package figure draws figures: SVG for pages, with every name escaped, and characters for a terminal.
package figure

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"sync"

	"tidemark/render/safe"
)

// Canvas collects the shapes of one drawing, in SVG units. Classes are those of the page's style.
type Canvas struct {
	ID, Class string
	W, H      float64
	Narrow    bool // for a phone, where a scaled-down picture has text too small to read
	Shapes    []Shape
}

// Shape is one SVG element. Ms and Value are the numbers that its place represents, for tests and scripts that read the
// picture.
type Shape struct {
	Kind, Class, Points, Text, Anchor, Title string
	X, Y, W, H, R                            float64
	Opacity                                  string
	Ms, Value                                string
}

// Place is a point of a path.
type Place struct{ X, Y float64 }

//go:embed svg.tmpl
var svgSource string

var svg = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("svg").Funcs(template.FuncMap{
		"clean": safe.Clean,
		"n":     func(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) },
	}).Parse(svgSource))
})

// Draw paints a picture twice, for a page and for a phone; heights may differ. Screen readers read title and description.
func Draw(id, title, description string, wide, narrow float64, paint func(*Canvas)) []template.HTML {
	var out []template.HTML
	for _, c := range canvases(id, wide, narrow, paint) {
		out = append(out, c.HTML(title, description))
	}
	return out
}

func canvases(id string, wide, narrow float64, paint func(*Canvas)) []*Canvas {
	all := []*Canvas{{Class: "wide", W: 720, H: wide}, {Class: "narrow", W: 340, H: narrow, Narrow: true}}
	for _, c := range all {
		c.ID = id + "-" + c.Class
		paint(c)
	}
	return all
}

// HTML is the drawing; screen readers read title and description.
func (c *Canvas) HTML(title, description string) template.HTML {
	return execute("drawing", struct {
		*Canvas
		Title, Description string
	}{c, title, description})
}

// Mark draws what a legend explains.
func Mark(class string) template.HTML { return execute("mark", class) }

// execute runs a part of the template, which escapes its data: the result is safe in a page.
func execute(name string, data any) template.HTML {
	var b bytes.Buffer
	if err := svg().ExecuteTemplate(&b, name, data); err != nil {
		panic(fmt.Sprintf("figure: %v", err)) // both the template and the types of its data are in this package
	}
	return template.HTML(b.String())
}

func (c *Canvas) add(s Shape) *Shape {
	c.Shapes = append(c.Shapes, s)
	return &c.Shapes[len(c.Shapes)-1]
}

// Rect is a rectangle by its corner and size.
func (c *Canvas) Rect(class string, x, y, w, h float64) *Shape {
	return c.add(Shape{Kind: "rect", Class: class, X: x, Y: y, W: max(0, w), H: max(0, h)})
}

// Line goes from one point to another.
func (c *Canvas) Line(class string, x1, y1, x2, y2 float64) *Shape {
	return c.add(Shape{Kind: "line", Class: class, X: x1, Y: y1, W: x2, H: y2})
}

// Dot is a circle.
func (c *Canvas) Dot(class string, x, y, r float64) *Shape {
	return c.add(Shape{Kind: "dot", Class: class, X: x, Y: y, W: r})
}

// Path is a polyline (kind poly) or a filled area (kind area).
func (c *Canvas) Path(kind, class string, at []Place) *Shape {
	var b strings.Builder
	for _, p := range at {
		fmt.Fprintf(&b, "%.1f,%.1f ", p.X, p.Y)
	}
	return c.add(Shape{Kind: kind, Class: class, Points: strings.TrimSpace(b.String())})
}

// Curve is a path by its SVG data.
func (c *Canvas) Curve(class, data string) *Shape {
	return c.add(Shape{Kind: "curve", Class: class, Points: data})
}

// Text writes at a baseline; anchor is start, middle or end.
func (c *Canvas) Text(class, anchor string, x, y float64, s string) *Shape {
	return c.add(Shape{Kind: "text", Class: class, Anchor: anchor, X: x, Y: y, Text: s})
}

// textWidth estimates the width of a text in the page's font, in units.
func textWidth(s string) float64 { return 6.4 * float64(len([]rune(s))) }

// Label writes next to a vertical mark, on the side with room.
func (c *Canvas) Label(class string, x, y float64, s string) {
	wide := textWidth(s)
	if x+6+wide > c.W-4 && x-6-wide > 0 {
		c.Text(class, "end", x-6, y, s)
		return
	}
	c.Text(class, "start", min(x+6, max(2, c.W-4-wide)), y, s)
}

// Of sets the numbers that a shape represents.
func (s *Shape) Of(ms any, value any) *Shape {
	s.Ms, s.Value = fmt.Sprint(ms), fmt.Sprint(value)
	return s
}

// Round rounds the corners of a rectangle.
func (s *Shape) Round(r float64) *Shape { s.R = r; return s }

// Named sets the tooltip of a shape.
func (s *Shape) Named(title string) *Shape { s.Title = title; return s }
