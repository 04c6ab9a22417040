package render

import (
	"bytes"
	"fmt"
	"math"
	"strings"

	"github.com/charmbracelet/lipgloss"
)

// writeSimulationText writes tables and a chart of the event-time lag for a terminal.
func writeSimulationText(b *bytes.Buffer, t theme, d *SimulationData, width int) {
	x := &text{w: b, t: t, width: width}
	for _, e := range d.failed() {
		x.labelled("critical", e.Reason())
	}
	x.dimmed(Clean(simulationTitle(d)))
	for i, g := range simulationGrids(d) {
		x.line("")
		x.grid(g)
		if i == 0 {
			x.chart(d)
		}
	}
	if len(d.Notes) > 0 {
		x.line("")
	}
	for _, n := range d.Notes {
		x.dimmed("Note: " + Clean(n))
	}
}

// grid writes a table with columns as wide as they need; the last one takes what is left of the line.
func (x *text) grid(g grid) {
	x.line(x.t.strong.Render(g.title))
	const most = 28
	widths := make([]int, len(g.head))
	rows := append([][]string{g.head}, g.rows...)
	left := x.width
	for i := range g.head {
		room := most
		if i == len(g.head)-1 {
			room = max(most, left-2)
		}
		for r, row := range rows {
			if i == 0 {
				rows[r] = append([]string{}, row...)
			}
			rows[r][i] = Short(row[i], room)
			widths[i] = max(widths[i], lipgloss.Width(rows[r][i]))
		}
		left -= widths[i] + 2
	}
	for r, row := range rows {
		line := " "
		for i, cell := range row {
			line += " " + pad(cell, widths[i]) + " "
		}
		line = strings.TrimRight(line, " ")
		if r == 0 {
			line = x.t.dim.Render(line)
		}
		x.line(line)
	}
}

// chart draws the event-time lag of each strategy over the clock: what a result waits for.
func (x *text) chart(d *SimulationData) {
	span := d.Input.EndMs - d.Input.StartMs
	if span <= 0 {
		return
	}
	cells := x.width - 28
	lines := make([][]lagCell, len(d.Strategies))
	lo, hi := int64(math.MaxInt64), int64(math.MinInt64)
	for i, s := range d.Strategies {
		lines[i] = lagsOf(s.Global(), d.Input.StartMs, d.Input.EndMs, cells)
		for _, c := range lines[i] {
			if c.known {
				lo, hi = min(lo, c.lag), max(hi, c.lag)
			}
		}
	}
	x.line("")
	x.line(x.t.strong.Render("Event-time lag over time"))
	if hi < lo {
		x.dimmed("  no strategy emitted a watermark")
		return
	}
	x.line(x.t.dim.Render(fmt.Sprintf("  %s is %s, %s is %s, · no watermark yet, - idle", "▁", Duration(lo), "█", Duration(hi))))
	for i, s := range d.Strategies {
		var row strings.Builder
		for _, c := range lines[i] {
			row.WriteString(c.mark(lo, hi))
		}
		x.line("  " + pad(Short(s.Name, 22), 22) + "  " + row.String())
	}
}

// lagCell is a slice of the clock in a chart.
type lagCell struct {
	lag         int64
	known, idle bool
}

func (c lagCell) mark(lo, hi int64) string {
	bars := []rune("▁▂▃▄▅▆▇█")
	switch {
	case c.idle:
		return "-"
	case !c.known:
		return "·"
	case hi == lo:
		return string(bars[0])
	}
	// In floats, as the difference of two lags may exceed an int64.
	at := (float64(c.lag) - float64(lo)) / (float64(hi) - float64(lo)) * float64(len(bars)-1)
	return string(bars[int(math.Round(at))])
}

// lagsOf is the lag at the end of each of n slices of [start, end].
func lagsOf(points []Point, start, end int64, n int) []lagCell {
	cells := make([]lagCell, n)
	k := 0
	var last *Point
	for i := range cells {
		until := start + int64(float64(end-start)*float64(i+1)/float64(n))
		for k < len(points) && points[k].At <= until {
			last = &points[k]
			k++
		}
		if last == nil {
			continue
		}
		cells[i].idle = last.Idle
		cells[i].lag, cells[i].known = last.Watermark.Lag(until)
	}
	return cells
}
