package figure

import (
	"fmt"
	"math"

	"tidemark/engine/simulate"
	"tidemark/internal/units"
	"tidemark/render/safe"
)

// Heights of a panel: its two lines of text, the dots, the bars with the room below them.
const (
	panelText = 36.0
	panelDots = 78.0
	panelBars = 28.0
	panelRoom = 14.0
)

// mostDots is how many late records of a panel have their own dot; of more, each slice shows the furthest of a kind.
const mostDots = 400

func (p panel) height() float64 {
	if len(p.w.LateRecords) == 0 {
		return panelText + panelBars + panelRoom
	}
	return panelText + panelDots + panelBars + panelRoom
}

func drawWindows(c *Canvas, all []panel, from, to int64) {
	left, right, top := 62.0, c.W-12, 0.0
	at := func(ms int64) float64 {
		return left + (right-left)*min(1, max(0, float64(ms-from)/float64(to-from)))
	}
	far := furthest(all)
	for _, p := range all {
		c.Text("strong", "start", 4, top+13, safe.Short(p.name, int(c.W/8.4)))
		c.Text("tick", "start", 4, top+29, safe.Short(p.short(), int(c.W/7)))
		bottom := top + p.height() - panelRoom
		if len(p.w.LateRecords) > 0 {
			drawLate(c, p, far, top+panelText+8, bottom-panelBars-8, left, right, at)
		}
		most := p.mostRecords()
		for _, b := range p.w.Bars {
			if b.Fired == 0 {
				continue
			}
			height := max(2, (panelBars-6)*min(1, float64(b.Records)/float64(most)))
			class, text := "win", units.Count(b.Fired)+" fired, "+units.Count(b.Records)+" records in them"
			if b.AtEnd > 0 {
				class, text = "win end", text+", by the end of the input"
			}
			wide := max(1.5, at(b.Until)-at(b.At)-0.5)
			c.Rect(class, min(at(b.At), right-wide), bottom-height, wide, height).Of(b.At, b.Fired).Named(Moment(b.At, false) + ": " + text)
		}
		c.Line("axis", left, bottom, right, bottom)
		c.Text("tick", "end", left-6, bottom-4, "fired")
		top += p.height()
	}
	c.Text("tick", "start", left, c.H-10, "0 s")
	c.Text("tick", "end", right, c.H-10, units.Duration(to-from))
	c.Text("dim", "middle", (left+right)/2, c.H-10, "time")
}

// drawLate draws late records at their arrival, as high as they were behind the watermark; far ms is the top.
func drawLate(c *Canvas, p panel, far int64, top, bottom, left, right float64, at func(int64) float64) {
	y := func(ms int64) float64 { return bottom - (bottom-top)*float64(ms)/max(1, float64(far)) }
	for _, ms := range []int64{0, far} {
		c.Line("axis", left, y(ms), right, y(ms))
		c.Text("tick", "end", left-6, y(ms)+4, units.Duration(ms))
		if far == 0 {
			break
		}
	}
	for _, l := range dotsOf(p.w.LateRecords) {
		r := 2 + min(3.5, math.Log10(float64(l.Records))*1.2)
		dot := c.Dot("lr "+string(l.Kind), min(right-r, (at(l.At)+at(l.Until))/2), y(l.BehindMs), r)
		if !c.Narrow { // no tooltips on a phone
			dot.Of(l.At, l.Records).Named(fmt.Sprintf("%s: %s %s, up to %s behind", Moment(l.At, false), units.Count(l.Records), KindText(l.Kind), units.Duration(l.BehindMs)))
		}
	}
}

// dotsOf are the dots to draw: all, or the furthest of each kind in each slice, which represents the others. Worse kinds
// are drawn on top.
func dotsOf(late []simulate.LateRecords) (out []simulate.LateRecords) {
	for _, k := range simulate.Kinds {
		for _, l := range late {
			n := len(out)
			switch {
			case l.Kind != k:
			case len(late) > mostDots && n > 0 && out[n-1].Kind == k && out[n-1].At == l.At:
				out[n-1].Records, out[n-1].BehindMs = out[n-1].Records+l.Records, max(out[n-1].BehindMs, l.BehindMs)
			default:
				out = append(out, l)
			}
		}
	}
	return out
}
