package doc

import (
	"strings"

	"tidemark/render/safe"
)

// longestCell bounds the width of one cell.
const longestCell = 72

// table writes columns as wide as they need, together no wider than the line: names are shortened first, then cells
// wrap.
func (x *text) table(t Table) {
	if t.Title != "" {
		x.line(x.t.Strong.Render(safe.Short(t.Title, x.width)))
	}
	const margin = 2
	widths, gap := layout(t, x.width-margin)
	head := Row{Cells: make([]Cell, len(t.Columns))}
	for i, c := range t.Columns {
		head.Cells[i].Text = c.Name
	}
	x.row(t, head, widths, gap, true)
	for _, r := range t.Rows {
		x.row(t, r, widths, gap, false)
		left := strings.Repeat(" ", margin+widths[0]+gap+2)
		if !t.Columns[0].Number {
			left = "    "
		}
		for _, n := range r.Notes {
			for _, l := range wrap(safe.Clean(n), x.width-len(left)) {
				x.line(x.t.Dim.Render(left + l))
			}
		}
	}
	if t.More != "" {
		x.prose("  ", t.More)
	}
}

// row writes one row over as many lines as its tallest cell needs.
func (x *text) row(t Table, r Row, widths []int, gap int, head bool) {
	cells, lines := make([][]string, len(widths)), 1
	for i, c := range r.Cells[:len(widths)] {
		if cells[i] = wrap(safe.Clean(c.Text), widths[i]); t.Columns[i].Cut {
			cells[i] = []string{fit(safe.Clean(c.Text), widths[i])}
		}
		lines = max(lines, len(cells[i]))
	}
	for n := range lines {
		line := "  "
		for i := range widths {
			cell := ""
			if n < len(cells[i]) {
				cell = cells[i][n]
			}
			fill := strings.Repeat(" ", max(0, widths[i]-safe.Width(cell)))
			cell = x.t.Paint(r.Cells[i].Tone, cell)
			if t.Columns[i].Number {
				line += fill + cell
			} else {
				line += cell + fill
			}
			if i < len(widths)-1 {
				line += strings.Repeat(" ", gap)
			}
		}
		if line = strings.TrimRight(line, " "); head {
			line = x.t.Dim.Render(line)
		}
		x.line(line)
	}
}

// column is what a column needs: all of it, its cells without the head, its longest word.
type column struct{ all, cells, least int }

func measure(t Table) []column {
	columns := make([]column, len(t.Columns))
	for i, c := range t.Columns {
		m := &columns[i]
		m.least = longestWord(c.Name)
		for _, r := range t.Rows {
			text := safe.Clean(r.Cells[i].Text)
			m.cells, m.least = max(m.cells, safe.Width(text)), max(m.least, longestWord(text))
		}
		m.cells = min(m.cells, longestCell)
		m.all = max(m.cells, safe.Width(c.Name))
		if c.Cut {
			m.least = min(m.all, 16)
		}
	}
	return columns
}

// layout divides a line of room cells among the columns, with a gap of two cells, or of one where that avoids wrapping or
// cut words.
func layout(t Table, room int) (widths []int, gap int) {
	columns := measure(t)
	sum, least := 0, 0
	for _, c := range columns {
		widths = append(widths, c.all)
		sum, least = sum+c.all, least+c.least
	}
	gaps := len(columns) - 1
	gap = 2
	if wide := sum + gaps*2; wide > room && wide-gaps <= room || least+gaps*2 > room {
		gap = 1
	}
	for sum += gap * gaps; sum > room; sum-- {
		at := giveWay(t, columns, widths)
		if widths[at] <= 2 {
			break
		}
		widths[at]--
	}
	return widths, gap
}

// giveWay chooses the column that becomes a cell narrower: one of names, then one with a long head, then the widest that
// can wrap, and if not even words fit, the widest of all.
func giveWay(t Table, columns []column, widths []int) int {
	best, rank := 0, -1
	for i, c := range columns {
		r := 0
		switch {
		case widths[i] <= c.least:
		case t.Columns[i].Cut:
			r = 3
		case widths[i] > c.cells:
			r = 2
		default:
			r = 1
		}
		if r > rank || r == rank && widths[i] > widths[best] {
			best, rank = i, r
		}
	}
	return best
}

func longestWord(s string) int {
	longest := 0
	for _, w := range unbroken(s) {
		longest = max(longest, safe.Width(w))
	}
	return longest
}

// fit cuts clean text in the middle and keeps the spaces before it.
func fit(s string, max int) string {
	body := strings.TrimLeft(s, " ")
	margin := min(len(s)-len(body), max/2)
	return strings.Repeat(" ", margin) + safe.Short(body, max-margin)
}
