package render

import (
	"bytes"
	"fmt"
	"strings"

	"tidemark/flinkapi"
)

// grids are the tables of a crosscheck.
func (d *CrosscheckData) grids() []grid {
	var out []grid
	sources := grid{title: "Delay", head: []string{"source", "dialect", "declared", "in force", "explains", "field"}}
	for _, s := range d.Sources {
		sources.rows = append(sources.rows, []string{s.Vertex.Name, s.Dialect, s.declaredText(), s.inForceText(), s.agreeText(), s.fieldText()})
	}
	if len(sources.rows) > 0 {
		out = append(out, sources)
	}
	rows := grid{title: "Watermarks of splits and source subtasks", head: crosscheckHead}
	tolerance := grid{title: "Tolerance, wall clock", head: []string{"source", "ms", "part"}}
	for _, s := range d.Sources {
		for _, r := range append(append([]CrosscheckRow{}, s.Splits...), s.Subtasks...) {
			rows.rows = append(rows.rows, d.row(r))
		}
		for _, p := range s.Tolerance {
			tolerance.rows = append(tolerance.rows, []string{s.Vertex.Name, fmt.Sprint(p.Ms), p.Part})
		}
	}
	down := grid{title: "Watermarks downstream", head: crosscheckHead}
	for _, r := range d.Downstream {
		down.rows = append(down.rows, d.row(r))
	}
	for _, g := range []grid{rows, down, tolerance} {
		if len(g.rows) > 0 {
			out = append(out, g)
		}
	}
	return out
}

var crosscheckHead = []string{"", "shown", "expected from", "to", "verdict"}

func (d *CrosscheckData) row(r CrosscheckRow) []string {
	now := epoch(d.CapturedAt)
	text := func(w *flinkapi.Watermark) string {
		if w == nil {
			return "-"
		}
		return watermarkText(*w, now)
	}
	verdict := r.Verdict
	switch {
	case r.Reason != "":
		verdict += ": " + r.Reason
	case r.DiffMs != 0:
		verdict += " by " + strings.TrimPrefix(Duration(r.DiffMs), "-")
	}
	return []string{r.Label, watermarkText(r.Shown, now), text(r.From), text(r.To), verdict}
}

func (s CrosscheckSource) declaredText() string {
	if s.Declared == nil {
		return "nowhere"
	}
	return fmt.Sprintf("%d ms (%s)", s.Declared.DelayMs, s.Declared.Origin)
}

func (s CrosscheckSource) inForceText() string {
	f := s.InForce
	switch {
	case f == nil:
		return "unknown"
	case f.Exact:
		return fmt.Sprintf("%d ms", f.FromMs)
	}
	return fmt.Sprintf("%d to %d ms", f.FromMs, f.ToMs)
}

func (s CrosscheckSource) agreeText() string {
	if s.InForce == nil {
		return "-"
	}
	return fmt.Sprintf("%d of %d", s.InForce.Agree, s.InForce.Observations)
}

func (s CrosscheckSource) fieldText() string {
	if s.InForce == nil {
		return "-"
	}
	text := s.InForce.Field
	if ms := s.InForce.ShiftMs; ms != 0 {
		text += ", shifted by " + Duration(ms)
	}
	if s.InForce.LaterStart {
		text += ", from a later record on"
	}
	return text
}

// mdGrid writes a table as Markdown.
func mdGrid(b *bytes.Buffer, g grid) {
	fmt.Fprintf(b, "\n## %s\n\n", md(g.title))
	mdRow(b, g.head)
	b.WriteString("|" + strings.Repeat(" --- |", len(g.head)) + "\n")
	for _, row := range g.rows {
		mdRow(b, row)
	}
}
