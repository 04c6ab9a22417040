package render

import (
	"fmt"
	"strings"

	"tidemark/flinkapi"
	"tidemark/internal/units"
	"tidemark/render/doc"
)

// tables are the delays of the sources, then the watermarks that follow from them.
func (d *CrosscheckData) tables() []doc.Block {
	sources := doc.Table{Title: "Delay", Columns: doc.Columns("source", "dialect", "declared", "in force", "explains", "field")}
	sources.Columns[0].Cut = true
	rows, down := watermarkTable("Watermarks of splits and source subtasks"), watermarkTable("Watermarks downstream")
	tolerance := doc.Table{Title: "Tolerance, wall clock", Columns: []doc.Column{{Name: "source", Cut: true}, {Name: "ms", Number: true}, {Name: "part"}}}
	for _, s := range d.Sources {
		sources.Rows = append(sources.Rows, doc.Row{Cells: doc.Cells(s.Vertex.Name, s.Dialect, s.declaredText(), s.inForceText(), s.agreeText(), s.fieldText())})
		for _, r := range append(append([]CrosscheckRow{}, s.Splits...), s.Subtasks...) {
			rows.Rows = append(rows.Rows, d.row(r))
		}
		for _, p := range s.Tolerance {
			tolerance.Rows = append(tolerance.Rows, doc.Row{Cells: doc.Cells(s.Vertex.Name, fmt.Sprint(p.Ms), p.Part)})
		}
	}
	for _, r := range d.Downstream {
		down.Rows = append(down.Rows, d.row(r))
	}
	return []doc.Block{sources, rows, down, tolerance}
}

func watermarkTable(title string) doc.Table {
	t := doc.Table{Title: title, Columns: doc.Columns("", "shown", "expected from", "to", "verdict")}
	t.Columns[0].Cut = true
	return t
}

func (d *CrosscheckData) row(r CrosscheckRow) doc.Row {
	now := d.CapturedMs
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
		verdict += " by " + strings.TrimPrefix(units.Duration(r.DiffMs), "-")
	}
	return doc.Row{Cells: doc.Cells(r.Label, watermarkText(r.Shown, now), text(r.From), text(r.To), verdict)}
}

func (s CrosscheckSource) declaredText() string {
	if s.Declared == nil {
		return "nowhere"
	}
	return units.Exact(s.Declared.DelayMs) + " (" + s.Declared.Origin + ")"
}

func (s CrosscheckSource) inForceText() string {
	f := s.InForce
	switch {
	case f == nil:
		return "unknown"
	case f.Exact:
		return units.Exact(f.FromMs)
	}
	return units.Exact(f.FromMs) + " to " + units.Exact(f.ToMs)
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
		text += ", shifted by " + units.Duration(ms)
	}
	if s.InForce.LaterStart {
		text += ", from a later record on"
	}
	return text
}
