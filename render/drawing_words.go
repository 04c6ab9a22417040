package render

import (
	"fmt"
	"slices"
	"strings"

	"tidemark/analyze"
	"tidemark/analyze/catalog"
	"tidemark/flinkapi"
	"tidemark/internal/units"
	"tidemark/render/figure/graph"
	"tidemark/render/safe"
	"tidemark/render/words"
)

func (g *drawing) node(b *drawnBox) graph.Node {
	v := b.vertices[0]
	if len(b.vertices) > 1 {
		return g.several(b)
	}
	n := graph.Node{Name: fmt.Sprintf("%s ×%d", safe.Name(v.Name, 90), v.Parallelism), Title: safe.Short(v.Name, 300), Tone: b.tone}
	said := n.Tone
	if said == graph.Plain && v.Moving != nil && *v.Moving {
		said = graph.Good
	}
	n.Lines = append(n.Lines, graph.Line{Text: g.eventTime(v), Tone: said})
	for _, f := range b.findings[:min(2, len(b.findings))] {
		n.Lines = append(n.Lines, graph.Line{Text: findingLine(f), Tone: toneOfSeverity(f.Severity)})
	}
	if more := len(b.findings) - 2; more > 0 {
		n.Lines = append(n.Lines, graph.Line{Text: "and " + words.Plural(more, "more finding", "more findings"), Tone: graph.Warn})
	}
	if len(b.findings) == 0 {
		n.Lines = append(n.Lines, graph.Line{Text: movementLine(v), Tone: said})
	}
	n.Parts = g.splits(b)
	return n
}

// eventTime is the watermark of a vertex with its lag.
func (g *drawing) eventTime(v analyze.VertexReport) string {
	text := shortWatermark(v.Min, g.now)
	switch {
	case v.LagMs == nil:
		return text
	case *v.LagMs <= -1000:
		return text + ", " + lagText(v.LagMs)
	}
	return text + ", lag " + lagText(v.LagMs)
}

// shortWatermark is watermarkText for a box: without milliseconds and in fewer words.
func shortWatermark(w flinkapi.Watermark, now int64) string {
	text := watermarkText(w, now)
	switch {
	case w.State() == flinkapi.None:
		return "no watermark yet"
	case w.IsKnown() && len(text) == len("04:01:52.345"):
		return text[:len("04:01:52")]
	}
	return text
}

func movementLine(v analyze.VertexReport) string {
	if holder := v.WaitsFor(); holder != nil {
		return "waits for " + safe.Name(strings.TrimPrefix(holder.Name, "Source: "), 40)
	}
	switch {
	case v.Moving == nil:
		return "not known whether it advances"
	case *v.Moving:
		return "advancing"
	}
	return "not advancing"
}

// findingLine is a finding in a box: its code, its cause and the place inside the vertex.
func findingLine(f *catalog.Finding) string {
	s := safe.Short(f.Code, 12) + " " + safe.Short(f.Cause, 40)
	switch {
	case f.Split != "":
		s += ": " + safe.Short(f.Split, 60)
	case len(f.Subtasks) == 1:
		s += fmt.Sprintf(": subtask %d", f.Subtasks[0])
	case len(f.Subtasks) > 1:
		s += fmt.Sprintf(": %d subtasks", len(f.Subtasks))
	}
	return s
}

func toneOfSeverity(s catalog.Severity) graph.Tone {
	if s == catalog.Critical {
		return graph.Bad
	}
	return graph.Warn
}

// note explains the colours of the picture.
func (g *drawing) note() string {
	var parts []string
	tones := map[graph.Tone]bool{}
	for _, b := range g.boxes {
		tones[b.tone] = true
	}
	if len(g.red) > 0 {
		parts = append(parts, "Red: from the holder of the watermark to what waits for it.")
	}
	if tones[graph.Held] {
		parts = append(parts, "Grey and dashed: waits, too.")
	}
	many := slices.ContainsFunc(g.boxes, func(b *drawnBox) bool { return len(b.vertices) > 1 })
	if many {
		parts = append(parts, "A stack represents several vertices; the table has each.")
	}
	return strings.Join(append(parts, "Times are UTC, lags against the JobManager's clock at "+clockOf(g.now)+"."), " ")
}

func clockOf(ms int64) string {
	if ms == 0 {
		return words.Clock(ms)
	}
	return units.Clock(ms) + " UTC"
}

// describe is the picture in words, for a screen reader.
func (g *drawing) describe() string {
	var parts []string
	for _, b := range g.boxes {
		if b.tone == graph.Plain && len(g.boxes) > 6 {
			continue
		}
		n := g.node(b)
		var lines []string
		for _, l := range n.Lines {
			lines = append(lines, l.Text)
		}
		parts = append(parts, n.Name+": "+strings.Join(lines, ", "))
	}
	return safe.Clip(safe.Clean(strings.Join(parts, "; ")), 800) + "."
}

// span is a range of lags.
func span(lo, hi int64) string {
	if a, b := units.Duration(lo), units.Duration(hi); a != b {
		return a + " to " + b
	}
	return units.Duration(hi)
}
