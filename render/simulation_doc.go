package render

import (
	"fmt"

	"tidemark/engine/simulate"
	"tidemark/flinkapi"
	"tidemark/internal/units"
	"tidemark/render/doc"
	"tidemark/render/figure"
	"tidemark/render/safe"
	"tidemark/render/words"
)

// Simulation is what strategies would have done with the same records.
func Simulation(d *SimulationData) Result {
	return Result{Data: d, Document: func() *doc.Document { return simulation(d) }}
}

func simulation(s *SimulationData) *doc.Document {
	d := &doc.Document{Title: "Watermark simulation"}
	d.Add(doc.Heading{Level: 1, Text: "Watermark simulation"}, doc.Paragraph{Text: s.title(), Dim: true})
	for _, e := range s.Expectations {
		if !e.Met {
			d.Add(doc.Paragraph{Label: doc.Label{Word: "not met", Tone: doc.Critical}, Text: e.Reason()})
		}
	}
	d.Add(s.strategies())
	if s.Input.EndMs > s.Input.StartMs {
		d.Add(s.lags())
	}
	d.Add(figure.Windows(&s.Result)...)
	d.Add(s.windows(), s.lateRecords(), s.splits(), s.firings(), s.expectations())
	for _, one := range s.Strategies {
		if s.Input.EndMs > s.Input.StartMs {
			d.Add(doc.Folded{Title: "lag of " + one.Name + ", by partition and subtask", Blocks: []doc.Block{s.lagsOf(one)}})
		}
	}
	for _, n := range s.Notes {
		d.Add(doc.Paragraph{Text: "Note: " + n, Dim: true})
	}
	return d
}

func (s *SimulationData) title() string {
	text := words.Plural(int(s.Input.Records), "record", "records") + " of " + words.Plural(len(s.Input.Partitions), "partition", "partitions")
	if s.Input.Records > 0 {
		text += " over " + units.Duration(s.Input.EndMs-s.Input.StartMs) + " from " + words.Clock(s.Input.StartMs)
	}
	return text + ", read from " + s.Input.Source
}

// table makes a table; columns that are numbers are set to the right.
func table(title string, numbers []string, columns ...string) doc.Table {
	t := doc.Table{Title: title, Columns: doc.Columns(columns...)}
	t.Columns[0].Cut = true
	for i, c := range t.Columns {
		for _, n := range numbers {
			t.Columns[i].Number = t.Columns[i].Number || c.Name == n
		}
	}
	return t
}

func (s *SimulationData) strategies() doc.Table {
	t := table("Strategies", []string{"late", "lag p50", "lag max"}, "strategy", "delay", "dialect", "emits", "idle", "late", "lag p50", "lag max", "watermark")
	for _, one := range s.Strategies {
		t.Rows = append(t.Rows, doc.Row{Cells: doc.Cells(one.Name, delayText(one), one.Dialect, emitText(one), idleText(one.IdleMs),
			shareText(one.Late, s.Input.Records), spreadText(one.Lag, one.Lag.P50), spreadText(one.Lag, one.Lag.Max), watermarkText(one.Watermark, s.Input.EndMs))})
	}
	return t
}

func (s *SimulationData) windows() doc.Table {
	numbers := []string{"fired", "again", "dropped", "open", "added p50", "added p99", "added max"}
	t := table("Windows", numbers, append([]string{"strategy", "window"}, numbers...)...)
	for _, one := range s.Strategies {
		for _, w := range one.Windows {
			t.Rows = append(t.Rows, doc.Row{Cells: doc.Cells(one.Name, w.Window, units.Count(w.Fired), units.Count(w.Again), shareText(w.Dropped, s.Input.Records), units.Count(int64(w.Open)),
				spreadText(w.Added, w.Added.P50), spreadText(w.Added, w.Added.P99), spreadText(w.Added, w.Added.Max))})
		}
	}
	return t
}

// lateRecords says what happened to late records at each window, and how far behind the watermark they were.
func (s *SimulationData) lateRecords() doc.Table {
	t := table("Late records", []string{"records", "furthest behind"}, "strategy", "window", "what happened", "records", "furthest behind")
	for _, one := range s.Strategies {
		for _, w := range one.Windows {
			for _, k := range simulate.Kinds {
				if n, behind := w.LateOf(k); n > 0 {
					t.Rows = append(t.Rows, doc.Row{Cells: doc.Cells(one.Name, w.Window, figure.KindText(k), shareText(n, s.Input.Records), units.Duration(behind))})
				}
			}
		}
	}
	return t
}

// The largest number of rows of a strategy and of a window in the tables; the data has all.
const (
	mostSplits  = 24
	mostFirings = 10
)

func (s *SimulationData) splits() doc.Table {
	t := table("Partitions", []string{"partition", "subtask", "records", "late"}, "strategy", "partition", "subtask", "records", "late", "newest event", "watermark", "state")
	for _, one := range s.Strategies {
		for i, p := range one.Splits {
			if i == mostSplits {
				t.Rows = append(t.Rows, doc.Row{Cells: doc.Cells(one.Name, fmt.Sprintf("%d more", len(one.Splits)-i), "", "", "", "", "", "")})
				break
			}
			state, newest := "active", "no record"
			if p.Idle {
				state = "idle"
			}
			if p.Newest.IsKnown() {
				newest = watermarkText(p.Newest, s.Input.EndMs)
			}
			t.Rows = append(t.Rows, doc.Row{Cells: doc.Cells(one.Name, fmt.Sprint(p.Partition), fmt.Sprint(p.Subtask), units.Count(p.Records), units.Count(p.Late), newest, watermarkText(p.Watermark, s.Input.EndMs), state)})
		}
	}
	return t
}

func (s *SimulationData) firings() doc.Table {
	t := table("Firings", []string{"records", "late"}, "strategy", "window", "start", "end", "fired at", "records", "late", "")
	at := func(ms int64) string { return watermarkText(flinkapi.KnownWatermark(ms), s.Input.EndMs) }
	for _, one := range s.Strategies {
		for _, w := range one.Windows {
			for i, f := range w.Firings {
				if i == mostFirings {
					t.Rows = append(t.Rows, doc.Row{Cells: doc.Cells(one.Name, w.Window, fmt.Sprintf("%d more", int64(len(w.Firings)-i)+w.More), "", "", "", "", "")})
					break
				}
				again := ""
				if f.Again {
					again = "again"
				}
				t.Rows = append(t.Rows, doc.Row{Cells: doc.Cells(one.Name, w.Window, at(f.Start), at(f.End), at(f.At), units.Count(f.Records), units.Count(f.Late), again)})
			}
		}
	}
	return t
}

func (s *SimulationData) expectations() doc.Table {
	t := doc.Table{Title: "Expectations", Columns: doc.Columns("", "expected", "strategy", "window", "found")}
	for _, e := range s.Expectations {
		met := doc.Cell{Text: "met"}
		if !e.Met {
			met = doc.Cell{Text: "NOT MET", Tone: doc.Critical}
		}
		t.Rows = append(t.Rows, doc.Row{Cells: append([]doc.Cell{met}, doc.Cells(e.Text, e.Strategy, e.Window, e.Actual)...)})
	}
	return t
}

// lags compares the strategies by the watermark that the operator behind the exchange receives.
func (s *SimulationData) lags() doc.Figure {
	var lines []figure.Line
	for _, one := range s.Strategies {
		for _, series := range one.Timeline {
			if series.Scope == "global" {
				lines = append(lines, line(one.Name, series))
				break
			}
		}
	}
	return figure.Lags("lags", "Watermark lag at the window operator", s.Input.StartMs, s.Input.EndMs, lines)
}

// lagsOf is one strategy, by split and subtask.
func (s *SimulationData) lagsOf(one SimulatedStrategy) doc.Figure {
	var lines []figure.Line
	for _, series := range one.Timeline[:min(len(one.Timeline), mostSplits)] {
		name := "window operator"
		if series.Scope != "global" {
			name = fmt.Sprintf("%s %d", series.Scope, series.Index)
		}
		lines = append(lines, line(name, series))
	}
	return figure.Lags("", "Watermark lag of "+safe.Short(one.Name, 60), s.Input.StartMs, s.Input.EndMs, lines)
}

func line(name string, s Series) figure.Line {
	l := figure.Line{Name: name, Class: s.Scope}
	for _, p := range s.Points {
		l.Points = append(l.Points, figure.Point(p))
	}
	return l
}

func delayText(s SimulatedStrategy) string {
	if s.Kind == "none" {
		return "no watermarks"
	}
	return units.Duration(s.DelayMs)
}

func emitText(s SimulatedStrategy) string {
	text := "every " + units.Duration(s.IntervalMs)
	switch {
	case s.Emit == "on-event":
		text = "on event"
	case s.IntervalMs == 0:
		text = "never"
	}
	if s.Place == "downstream" {
		text += ", after the source"
	}
	return text
}

func idleText(ms int64) string {
	if ms == 0 {
		return "-"
	}
	return units.Duration(ms)
}

func spreadText(s Spread, ms int64) string {
	if s.N == 0 {
		return "-"
	}
	return units.Duration(ms)
}

// shareText is a count and its share.
func shareText(n, of int64) string {
	if n == 0 || of == 0 {
		return units.Count(n)
	}
	return units.Count(n) + " (" + units.Share(float64(n)/float64(of)) + ")"
}
