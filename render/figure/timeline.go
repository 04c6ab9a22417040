package figure

import (
	"fmt"
	"math"

	"tidemark/flinkapi"
	"tidemark/internal/units"
	"tidemark/render/doc"
	"tidemark/render/safe"
	"tidemark/render/words"
)

// Line is a watermark over time. Class is split, subtask or global.
type Line struct {
	Name, Class string
	Points      []Point
}

// Point is the last state of a watermark up to a moment, epoch ms.
type Point struct {
	At        int64
	Watermark flinkapi.Watermark
	Idle      bool
}

// lag is the lag at the end of a slice of time.
type lag struct {
	ms          int64
	known, idle bool
}

// Lags draws how far each watermark is behind the clock between two moments, epoch ms.
func Lags(id, title string, from, to int64, lines []Line) doc.Figure {
	f := doc.Figure{ID: id, Title: title}
	lo, hi := lagRange(from, to, lines)
	if hi < lo {
		f.Note = "No watermark was emitted."
		return f
	}
	f.Text = func(width int) []string { return lagLines(from, to, lo, hi, lines, width) }
	description := fmt.Sprintf("Lag of %d watermarks over time, from %s to %s.", len(lines), units.Duration(lo), units.Duration(hi))
	f.SVG = Draw(id, title, description, 240, 220, func(c *Canvas) { drawLags(c, from, to, lo, hi, lines) })
	for i, l := range lines {
		f.Keys = append(f.Keys, doc.Key{Mark: Mark(lineClass(i, l)), Text: safe.Short(l.Name, 60)})
	}
	f.Note = "From " + words.Clock(from) + " to " + words.Clock(to) + ". A gap: idle, or no watermark yet."
	return f
}

func lineClass(i int, l Line) string { return fmt.Sprintf("l%d %s", i%6, l.Class) }

func lagRange(from, to int64, lines []Line) (lo, hi int64) {
	lo, hi = math.MaxInt64, math.MinInt64
	for _, l := range lines {
		for _, c := range lagsOf(l.Points, from, to, steps) {
			if c.known {
				lo, hi = min(lo, c.ms), max(hi, c.ms)
			}
		}
	}
	return lo, hi
}

// steps is how many slices of time a drawing has.
const steps = 300

func drawLags(c *Canvas, from, to, lo, hi int64, lines []Line) {
	marks := []int64{lo, lo + (hi-lo)/2, hi}
	left, right, top, bottom := 40.0, c.W-12, 14.0, c.H-30
	for _, ms := range marks {
		left = max(left, 12+textWidth(units.Duration(ms)))
	}
	at := func(ms int64) float64 {
		if hi == lo {
			return bottom
		}
		return bottom - (bottom-top)*(float64(ms)-float64(lo))/(float64(hi)-float64(lo))
	}
	for _, ms := range marks {
		c.Line("axis", left, at(ms), right, at(ms))
		c.Text("tick", "end", left-6, at(ms)+4, units.Duration(ms))
	}
	c.Text("tick", "start", left, c.H-10, "0 s")
	c.Text("tick", "end", right, c.H-10, units.Duration(to-from))
	c.Text("dim", "middle", (left+right)/2, c.H-10, "time")
	for i, l := range lines {
		var path []Place
		flush := func() {
			if len(path) > 0 {
				c.Path("poly", lineClass(i, l), path).Named(safe.Short(l.Name, 60))
			}
			path = nil
		}
		for k, cell := range lagsOf(l.Points, from, to, steps) {
			if !cell.known || cell.idle {
				flush()
				continue
			}
			path = append(path, Place{left + (right-left)*float64(k)/(steps-1), at(cell.ms)})
		}
		flush()
	}
}

// lagLines draws one row of characters per watermark.
func lagLines(from, to, lo, hi int64, lines []Line, width int) []string {
	out := []string{fmt.Sprintf("%s is %s, %s is %s, · no watermark yet, - idle", string(blocks[0]), units.Duration(lo), string(blocks[len(blocks)-1]), units.Duration(hi))}
	const name = 22
	for _, l := range lines {
		row := safe.Pad(safe.Short(l.Name, name), name) + "  "
		for _, c := range lagsOf(l.Points, from, to, width-name-2) {
			row += c.mark(lo, hi)
		}
		out = append(out, row)
	}
	return out
}

func (c lag) mark(lo, hi int64) string {
	switch {
	case c.idle:
		return "-"
	case !c.known:
		return "·"
	case hi == lo:
		return string(blocks[0])
	}
	// In floats, as the difference of two lags may exceed an int64; cut, as fewer slices than those of
	// the range may hold a lag beyond it.
	at := (float64(c.ms) - float64(lo)) / (float64(hi) - float64(lo)) * float64(len(blocks)-1)
	return string(blocks[int(math.Round(min(max(at, 0), float64(len(blocks)-1))))])
}

// lagsOf is the lag at the end of each of n slices of the time.
func lagsOf(points []Point, from, to int64, n int) []lag {
	cells := make([]lag, n)
	k := 0
	var last *Point
	for i := range cells {
		until := from + int64(float64(to-from)*float64(i+1)/float64(n))
		for k < len(points) && points[k].At <= until {
			last = &points[k]
			k++
		}
		if last == nil {
			continue
		}
		cells[i].idle = last.Idle
		cells[i].ms, cells[i].known = last.Watermark.Lag(until)
	}
	return cells
}
