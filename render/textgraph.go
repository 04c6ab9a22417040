package render

import (
	"fmt"
	"strings"

	"tidemark/analyze"
)

// graphRows bounds the drawing; a job of hundreds of vertices is shown by those that matter.
const graphRows = 40

// Columns of the drawing beside the name of a vertex: event time, lag, moves.
const (
	timeCells = 20
	lagCells  = 14
	moveCells = 5
)

// graph draws the vertices in the order events pass them, with event time, lag and who holds them.
func (x *text) graph(j *analyze.JobReport) {
	nodes := ordered(j)
	shown, hiddenCount := pick(nodes)
	digits := len(fmt.Sprint(len(nodes)))
	name := x.width - digits - 2 - timeCells - lagCells - moveCells - 3
	head := strings.Repeat(" ", digits+2) + pad("vertex", name) + " " + pad("event time (UTC)", timeCells) + " " + pad("lag", lagCells) + " moves"
	x.line(x.t.strong.Render(head))
	for _, n := range shown {
		x.vertex(n, digits, name)
	}
	if hiddenCount > 0 {
		x.linef("%s%s whose event time moves and that no finding names", strings.Repeat(" ", digits+2), plural(hiddenCount, "more vertex", "more vertices"))
	}
}

func (x *text) vertex(n node, digits, name int) {
	label := fmt.Sprintf(" x%d", n.Parallelism)
	edge := n.edge()
	label = edge + vertexName(n.Name, name-width(edge)-len(label)) + label
	when := pad(watermarkText(n.Min, x.now), timeCells)
	if !n.Min.IsKnown() {
		when = x.t.warning.Render(strings.TrimRight(when, " ")) + strings.Repeat(" ", timeCells-len(strings.TrimRight(when, " ")))
	}
	row := fmt.Sprintf("%*d  %s %s %s %s", digits, n.number, pad(label, name), when, pad(Short(lagText(n.LagMs), lagCells), lagCells), movingText(n.Moving))
	x.line(strings.TrimRight(row, " "))
	margin := strings.Repeat(" ", digits+2) + "  "
	for _, note := range n.notes() {
		for _, l := range wrap(note, x.width-len(margin)) {
			x.line(x.t.dim.Render(margin + l))
		}
	}
}

// edge is the arm that hangs a vertex below its inputs; deep chains stop moving to the right.
func (n node) edge() string {
	if n.depth == 0 {
		return ""
	}
	return strings.Repeat("  ", min(n.depth, 5)-1) + "└ "
}

// notes are the lines under a vertex: what it reads, who holds it, what its lag is made of.
func (n node) notes() []string {
	var notes []string
	var line []string
	if from := n.fromText(); from != "" {
		line = append(line, "reads "+from)
	}
	switch {
	case strings.HasPrefix(n.HeldBy, "[") && len(n.codes) == 0: // a finding at this very vertex
		line = append(line, "see "+strings.Trim(clip(Clean(n.HeldBy), 40), "[]"))
	case n.HeldBy != "" && !strings.HasPrefix(n.HeldBy, "["):
		line = append(line, "held by "+clip(Clean(strings.ReplaceAll(n.HeldBy, defaultPath, "")), 160))
	case len(n.codes) > 0:
		line = append(line, "see "+Clean(strings.Join(n.codes, ", ")))
	}
	if len(line) > 0 {
		notes = append(notes, strings.Join(line, "; "))
	}
	if b := n.budgetText(); b != "" && !n.sameBudget {
		notes = append(notes, "lag "+b)
	}
	return notes
}

// pick keeps the vertices that matter when there are too many to draw.
func pick(nodes []node) (shown []node, left int) {
	if len(nodes) <= graphRows {
		return nodes, 0
	}
	for _, n := range nodes {
		matters := len(n.codes) > 0 || n.HeldBy != "" || n.Moving != nil && !*n.Moving
		if matters && len(shown) < graphRows {
			shown = append(shown, n)
		}
	}
	return shown, len(nodes) - len(shown)
}
