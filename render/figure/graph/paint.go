package graph

import (
	"fmt"
	"strings"

	"tidemark/render/figure"
	"tidemark/render/safe"
)

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
