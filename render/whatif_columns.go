package render

import (
	"fmt"

	"tidemark/analyze/whatif"
	"tidemark/flinkapi"
	"tidemark/internal/units"
	"tidemark/render/doc"
	"tidemark/render/safe"
	"tidemark/render/words"
)

// compare adds what each column does.
func (w *WhatIfData) compare(d *doc.Document) {
	if len(w.Columns) > 1 {
		t := doc.Table{Title: "Changes", Columns: doc.Columns("column", "settings")}
		for _, c := range w.Columns[1:] {
			for i, s := range c.Settings {
				name := ""
				if i == 0 {
					name = c.Name
				}
				t.Rows = append(t.Rows, doc.Row{Cells: doc.Cells(name, safe.Clean(s))})
			}
		}
		d.Add(t)
	}
	for _, c := range w.Columns {
		for _, s := range w.stillWaits(c) {
			d.Add(s)
		}
	}
	d.Add(w.operators(false), w.vertices(false))
	d.Add(w.timelines()...)
	for _, t := range []doc.Table{w.operators(true), w.vertices(true)} {
		if len(t.Rows) > 0 {
			d.Add(t)
		}
	}
	t := doc.Table{Title: "Expectations", Columns: doc.Columns("", "expected", "column", "operator", "found")}
	for _, e := range w.Expected {
		met := doc.Cell{Text: "met"}
		if !e.Met {
			met = doc.Cell{Text: "NOT MET", Tone: doc.Critical}
		}
		t.Rows = append(t.Rows, doc.Row{Cells: append([]doc.Cell{met}, doc.Cells(e.Text, e.Column, safe.Name(e.Operator, 40), e.Actual)...)})
	}
	if len(t.Rows) > 0 {
		d.Add(t)
	}
}

// stillWaits says what still waits at the end of a column, and for what.
func (w *WhatIfData) stillWaits(c whatif.Column) []doc.Block {
	var out []doc.Block
	for i, v := range c.Vertices {
		if !v.Uses {
			continue
		}
		was := w.Columns[0].Vertices[i]
		switch {
		case v.HeldBy != nil:
			out = append(out, doc.Paragraph{Label: doc.Label{Word: c.Name, Tone: doc.Warning}, Text: fmt.Sprintf("%s %s: it waits for %s%s.", quoted(v.Vertex.Name), stands(v), v.HeldBy.Point, holds(v.HeldBy.Watermark))})
		case c.Name != w.Columns[0].Name && was.HeldBy != nil && v.Advanced:
			out = append(out, doc.Paragraph{Label: doc.Label{Word: c.Name, Tone: doc.Healthy}, Text: fmt.Sprintf("%s advances%s.", quoted(v.Vertex.Name), w.fires(c, v))})
		}
	}
	return out
}

func quoted(name string) string { return `"` + safe.Name(name, 40) + `"` }

func stands(v whatif.VertexOutcome) string {
	if v.Watermark.State() == flinkapi.None {
		return "never has a watermark"
	}
	return "stands still for " + units.Duration(v.StandsMs)
}

func holds(m flinkapi.Watermark) string {
	if m.State() == flinkapi.None {
		return ", which has no watermark"
	}
	return ", at " + m.String()
}

// fires says when the windows of a vertex would have begun to fire.
func (w *WhatIfData) fires(c whatif.Column, v whatif.VertexOutcome) string {
	for _, o := range c.Operators {
		if o.Vertex.ID == v.Vertex.ID && o.Fires && o.FirstMs > 0 {
			return fmt.Sprintf(": its first window fires at %s, %s in all", words.Clock(o.FirstMs), words.Plural(int(o.Windows.Twin), "window", "windows"))
		}
	}
	return ""
}

// operators compares what the operators do; rough ones, whose numbers are estimates, have their own table.
func (w *WhatIfData) operators(rough bool) doc.Table {
	title := "Windows and losses"
	if rough {
		title = "Estimates"
	}
	numbers := []string{"windows", "rows", "late dropped", "latency p50", "latency p99", "open", "at most"}
	t := table(title, numbers, append([]string{"operator", "column"}, numbers...)...)
	for i := range w.Columns[0].Operators {
		for _, c := range w.Columns {
			o := c.Operators[i]
			why := o.Roughly
			if why == "" && len(c.Estimates) > 0 {
				why = c.Estimates[0]
			}
			if rough != (why != "") {
				continue
			}
			row := doc.Row{Cells: doc.Cells(safe.Name(o.Operator, 40), c.Name, "-", "-", spanText(o.Dropped), spreadText(o.Latency, o.Latency.P50), spreadText(o.Latency, o.Latency.P99), countText(o.Open), countText(o.Peak))}
			switch {
			case o.Unknown:
				for k := 2; k < len(row.Cells); k++ {
					row.Cells[k].Text = "-"
				}
			case o.Fires:
				row.Cells[2].Text, row.Cells[3].Text = spanText(o.Windows), spanText(o.Rows)
			}
			switch {
			case o.Unknown:
				row.Notes = []string{"not known: " + why}
			case why != "":
				row.Notes = []string{"estimate: " + why}
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// countText is a number that is not counted everywhere.
func countText(n *int) string {
	if n == nil {
		return "-"
	}
	return units.Count(int64(*n))
}

// spanText is a number, with its range where timing could change it.
func spanText(r whatif.Range) string {
	if r.Exact() {
		return units.Count(r.Twin)
	}
	return fmt.Sprintf("%s (%s to %s)", units.Count(r.Twin), units.Count(r.Low), units.Count(r.High))
}

// vertices compares the watermarks at the end; columns whose numbers are estimates have their own table, with ranges.
func (w *WhatIfData) vertices(rough bool) doc.Table {
	title := "Event time at the end"
	if rough {
		title = "Estimates of event time at the end"
	}
	t := table(title, []string{"lag", "stands for", "longest standstill"}, "vertex", "column", "watermark", "lag", "stands for", "longest standstill")
	for i := range w.Columns[0].Vertices {
		for _, c := range w.Columns {
			if rough != (len(c.Estimates) > 0) {
				continue
			}
			v := c.Vertices[i]
			mark := watermarkText(v.Watermark, w.Judged.ToMs)
			if low, high := watermarkText(v.Low, w.Judged.ToMs), watermarkText(v.High, w.Judged.ToMs); rough && low != high {
				mark = low + " to " + high
			}
			lag := "-"
			if ms, ok := v.Watermark.Lag(w.Judged.ToMs); ok {
				lag = units.Duration(ms)
			}
			t.Rows = append(t.Rows, doc.Row{Cells: doc.Cells(safe.Name(v.Vertex.Name, 40), c.Name, mark, lag, units.Duration(v.StandsMs), units.Duration(v.LongestMs))})
		}
	}
	return t
}
