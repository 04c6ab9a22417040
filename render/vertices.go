package render

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tidemark/analyze"
	"tidemark/analyze/account"
	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/internal/units"
	"tidemark/render/doc"
	"tidemark/render/safe"
	"tidemark/render/words"
)

// mostVertices bounds the table of a job; of more, pick chooses.
const mostVertices = 40

// vertices adds the vertices in the order of the data flow, with watermark, lag and holder.
// now is the clock of the report, epoch ms.
func vertices(d *doc.Document, j *analyze.JobReport, now int64) {
	nodes := ordered(j)
	if len(nodes) == 0 {
		return
	}
	shown, left := pick(nodes)
	t := vertexTable(shown, now)
	if left > 0 {
		t.More = words.Plural(left, "more vertex", "more vertices") + " whose watermark advances and that no finding names"
	}
	d.Add(t)
	if left > 0 {
		d.Add(doc.Folded{Title: fmt.Sprintf("all %d vertices", len(nodes)), Blocks: []doc.Block{vertexTable(nodes, now)}})
	}
	if p := sums(nodes); len(p) > 0 {
		d.Add(doc.Folded{Title: "what each lag is made of", Blocks: []doc.Block{p}})
	}
}

func vertexTable(nodes []node, now int64) doc.Table {
	t := doc.Table{Columns: []doc.Column{{Name: "#", Number: true}, {Name: "vertex", Cut: true}, {Name: "watermark (UTC)"}, {Name: "lag"}, {Name: "advances"}}}
	for _, n := range nodes {
		when := doc.Cell{Text: watermarkText(n.Min, now)}
		if !n.Min.IsKnown() {
			when.Tone = doc.Warning
		}
		t.Rows = append(t.Rows, doc.Row{Notes: n.notes(), Cells: []doc.Cell{{Text: strconv.Itoa(n.number)}, {Text: n.edge() + vertexLabel(n.VertexReport)},
			when, {Text: lagText(n.LagMs)}, {Text: movingText(n.Moving)}}})
	}
	return t
}

// vertexLabel is a vertex with its parallelism.
func vertexLabel(v analyze.VertexReport) string {
	return fmt.Sprintf("%s x%d", safe.Name(v.Name, 60), v.Parallelism)
}

// now is the wall clock from which the vertex's lag was computed, epoch ms; that of the report where it has no lag.
func (n node) now(report int64) int64 {
	if ms, ok := n.Min.Millis(); ok && n.LagMs != nil {
		return ms + *n.LagMs
	}
	return report
}

// edge is the arm of a vertex in the table.
func (n node) edge() string { return arm(n.depth, 5) }

// arm draws a vertex below its inputs; chains deeper than most are not indented further.
func arm(depth, most int) string {
	if depth == 0 {
		return ""
	}
	return strings.Repeat("  ", min(depth, most)-1) + "└ "
}

// notes are the lines under a vertex: what it reads, its holder, the largest part of its lag.
func (n node) notes() []string {
	var notes, line []string
	if from := n.fromText(); from != "" {
		line = append(line, "reads "+from)
	}
	switch {
	case len(n.codes) > 0 && (n.HeldBy == "" || n.Holder != nil && n.Holder.Vertex.ID == n.ID):
		line = append(line, "see "+strings.Join(n.codes, ", "))
	case n.Holder != nil && n.Holder.Vertex.ID == n.ID: // its finding, if any, names another vertex
		if n.Holder.Code != "" {
			line = append(line, "see "+safe.Short(n.Holder.Code, 12))
		}
	case n.HeldBy != "":
		line = append(line, "waits for "+safe.Name(n.HeldBy, 160))
	}
	if len(line) > 0 {
		notes = append(notes, strings.Join(line, "; "))
	}
	if text := n.mostly(); text != "" && !n.sameBudget {
		notes = append(notes, text)
	}
	return notes
}

// tellingLag is the lag from which the table names its largest part, ms.
const tellingLag = 5000

// mostly is the largest part of a lag in words; the sum is shown with -v.
func (n node) mostly() string {
	if n.LagMs == nil || *n.LagMs < tellingLag || len(n.Budget) == 0 {
		return ""
	}
	worst := n.Budget[0]
	for _, p := range n.Budget {
		if p.Ms > worst.Ms {
			worst = p
		}
	}
	lag := "lag " + units.Duration(*n.LagMs) + ": "
	switch worst.Kind {
	case model.PartAge:
		return lag + "records are already old when they are read"
	case model.PartNone:
		return lag + "no record came for a while"
	case model.PartQueue:
		return lag + "watermarks wait in a queue"
	case model.PartRest:
		if n.explained() {
			return ""
		}
		return lag + "cause not found"
	}
	return lag + "mostly " + safe.Short(worst.Part, 90)
}

// explained reports whether a finding accounts for a watermark that stands or is late here.
func (n node) explained() bool {
	return slices.ContainsFunc(n.Account, func(c account.Claim) bool {
		return (c.Claim == catalog.Movement || c.Claim == catalog.Lag) && c.By != ""
	})
}

// sums are the parts of every lag; a vertex with the same parts as its input is left out.
func sums(nodes []node) doc.Pairs {
	var p doc.Pairs
	for _, n := range nodes {
		if b := n.budgetText(); b != "" && !n.sameBudget {
			p = append(p, doc.Pair{Name: strconv.Itoa(n.number) + " " + safe.Name(n.Name, 40), Values: []string{b}})
		}
	}
	return p
}

// fromText is the numbers of a vertex's inputs, "" where its only input is the line above.
func (n node) fromText() string {
	if len(n.from) == 1 && n.from[0] == n.number-1 {
		return ""
	}
	var s []string
	for _, f := range n.from {
		s = append(s, strconv.Itoa(f))
	}
	return strings.Join(s, ", ")
}

// budgetText writes a lag as the sum it is made of.
func (n node) budgetText() string {
	if len(n.Budget) == 0 || n.LagMs == nil || *n.LagMs < 0 { // ahead of the clock: nothing to add up
		return ""
	}
	if len(n.Budget) == 1 && n.Budget[0].Kind == model.PartRest {
		return units.Duration(*n.LagMs) + ", unexplained"
	}
	var parts []string
	less := ""
	for _, p := range n.Budget {
		mark := "~"
		if p.Certain {
			mark = ""
		}
		switch {
		case p.Ms > 0:
			parts = append(parts, safe.Short(p.Part, 60)+" "+mark+units.Duration(p.Ms))
		case p.Ms < 0: // the age of the last record and a split's distance may count the same time
			less += " - counted twice " + mark + units.Duration(-p.Ms)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return units.Duration(*n.LagMs) + " = " + strings.Join(parts, " + ") + less
}

// pick keeps the vertices that matter when there are too many to show.
func pick(nodes []node) (shown []node, left int) {
	if len(nodes) <= mostVertices {
		return nodes, 0
	}
	for _, n := range nodes {
		matters := len(n.codes) > 0 || n.HeldBy != "" || n.Moving != nil && !*n.Moving
		if matters && len(shown) < mostVertices {
			shown = append(shown, n)
		}
	}
	return shown, len(nodes) - len(shown)
}
