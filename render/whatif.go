package render

import (
	"fmt"
	"slices"
	"strings"

	"tidemark/analyze"
	"tidemark/analyze/model"
	"tidemark/analyze/whatif"
	"tidemark/internal/units"
	"tidemark/render/doc"
	"tidemark/render/figure"
	"tidemark/render/safe"
	"tidemark/render/words"
)

// SchemaWhatIf names the JSON form of a what-if.
const SchemaWhatIf = "tidemark.whatif/v1"

// WhatIfData is a job's twin without and with each change.
type WhatIfData struct {
	Schema  string          `json:"schema"`
	Tool    analyze.Tool    `json:"tool"`
	Cluster analyze.Cluster `json:"cluster"`
	*whatif.Result
}

// WhatIf is what a change of a job would do.
func WhatIf(d *WhatIfData) Result {
	return Result{Data: d, Document: func() *doc.Document { return d.document() }}
}

func (w *WhatIfData) document() *doc.Document {
	d := &doc.Document{Title: "What if"}
	d.Add(doc.Heading{Level: 1, Label: w.verdict(), Text: "What if: " + safe.Name(model.JobLabel(w.Job.Name, w.ShortID), 60), Lead: w.lead()}, doc.Paragraph{Text: w.title(), Dim: true})
	switch {
	case w.NotReady != "":
		d.Add(doc.Paragraph{Text: "Nothing is predicted: " + w.NotReady + "."})
	case !w.Reproduces():
		d.Add(doc.Paragraph{Text: "Nothing is predicted: the twin does not reproduce the cluster, so it cannot predict a change."}, w.differences())
	}
	for _, e := range w.Expected {
		if !e.Met {
			d.Add(doc.Paragraph{Label: doc.Label{Word: "not met", Tone: doc.Critical}, Text: e.Reason()})
		}
	}
	d.Add(w.inForce())
	if w.Reproduces() {
		w.compare(d)
	}
	d.Add(w.notModelled())
	if w.Fit != nil {
		d.Add(doc.Folded{Title: "how the twin was compared with the cluster", Blocks: []doc.Block{w.tolerances()}})
	}
	for _, n := range w.Notes {
		d.Add(doc.Paragraph{Text: "Note: " + n, Dim: true})
	}
	return d
}

func (w *WhatIfData) verdict() doc.Label {
	if !w.Reproduces() {
		return doc.Label{Word: "could not tell", Tone: doc.Incomplete}
	}
	return doc.Label{}
}

// lead is the answer in a sentence.
func (w *WhatIfData) lead() string {
	switch {
	case w.NotReady != "":
		return w.NotReady
	case !w.Reproduces():
		return fmt.Sprintf("the twin differs from the cluster in %d of %d gauges: %s", w.Fit.Differ, w.Fit.Compared, w.Fit.Unfit())
	case len(w.Columns) < 2:
		return fmt.Sprintf("the twin shows what the cluster shows in all %d gauges; add --set to change something", w.Fit.Compared)
	}
	return fmt.Sprintf("the twin shows what the cluster shows in all %d gauges", w.Fit.Compared)
}

func (w *WhatIfData) title() string {
	text := "Flink " + w.Version
	if j := w.Judged; j.ToMs > 0 {
		text += fmt.Sprintf(", %s judged up to %s, after %s of warm-up, with %s", units.Duration(j.ToMs-j.FromMs), words.Clock(j.ToMs), units.Duration(j.FromMs-j.PlayedFromMs), words.Plural(int(j.Records), "record", "records"))
	}
	return text
}

// mostRows is how many rows a table has at most; the data has them all.
const mostRows = 24

func (w *WhatIfData) differences() doc.Table {
	t := table("Where they differ", []string{"subtask", "sample"}, "operator", "subtask", "gauge", "sample", "cluster", "twin from", "to", "off by")
	for _, r := range w.Fit.Rows {
		if r.Fits {
			continue
		}
		if len(t.Rows) == mostRows {
			t.More = fmt.Sprintf("and %d more", w.Fit.Differ-mostRows)
			break
		}
		shown, from, to, off := watermarkText(r.Shown, w.Judged.ToMs), watermarkText(r.From, w.Judged.ToMs), watermarkText(r.To, w.Judged.ToMs), ""
		if r.DiffMs != 0 {
			off = signed(r.DiffMs)
		}
		if o := r.Records; o != nil {
			shown, from, to = units.Count(o.Shown), units.Count(o.From), units.Count(o.To)
		}
		name, subtask := safe.Name(r.Operator, 40), fmt.Sprint(r.Subtask)
		if r.Split != "" {
			name = safe.Name(r.Split, 40)
		}
		if r.Subtask < 0 {
			subtask = "all"
		}
		t.Rows = append(t.Rows, doc.Row{Cells: doc.Cells(name, subtask, r.Gauge, fmt.Sprint(r.Sample), shown, from, to, off)})
	}
	return t
}

func signed(ms int64) string {
	if ms < 0 {
		return "-" + units.Duration(-ms)
	}
	return "+" + units.Duration(ms)
}

func (w *WhatIfData) inForce() doc.Table {
	t := table("In force", []string{"parallelism", "splits"}, "source", "delay", "idle timeout", "emits", "alignment", "parallelism", "splits")
	for _, s := range w.InForce {
		delay := units.Duration(s.DelayMs)
		if s.Kind == "none" {
			delay = "no watermarks"
		}
		emits := "every " + units.Duration(s.IntervalMs)
		if s.Emit == "on-event" {
			emits = "on event"
		}
		if s.Place == "downstream" {
			emits += ", after the source"
		}
		row := doc.Row{Cells: doc.Cells(safe.Name(s.Name, 40), delay, idleText(s.IdleMs), emits, orDash(s.Alignment), fmt.Sprint(s.Parallelism), fmt.Sprint(s.Splits))}
		var notes []string
		for _, k := range []string{"delay", "idle-timeout", "alignment"} {
			if o, ok := s.Origin[k]; ok {
				notes = append(notes, k+": "+string(o))
			}
		}
		if s.Field != "" && s.Field != "as given" {
			notes = append(notes, "the job reads the field "+s.Field)
		}
		if s.ShiftMs != 0 {
			notes = append(notes, "the job's event time is the field's "+signed(s.ShiftMs))
		}
		row.Notes = []string{strings.Join(notes, "; ")}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func (w *WhatIfData) notModelled() doc.Block {
	var list doc.List
	for _, n := range w.NotModelled {
		list = append(list, "Not modelled: "+safe.Name(n.Operator, 40)+": "+n.Why)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func (w *WhatIfData) tolerances() doc.Pairs {
	var p doc.Pairs
	sum := int64(0)
	for _, one := range w.Fit.Tolerate {
		p = append(p, doc.Pair{Name: one.Part, Values: []string{units.Duration(one.Ms)}})
		sum += one.Ms
	}
	return append(p, doc.Pair{Name: "together, of wall clock", Values: []string{units.Duration(sum)}},
		doc.Pair{Name: "furthest from the twin's own value", Values: []string{units.Duration(w.Fit.Furthest)}},
		doc.Pair{Name: "gauges compared", Values: []string{units.Count(int64(w.Fit.Compared))}})
}

// timelines are one figure per vertex that uses event time, with one line per column.
func (w *WhatIfData) timelines() []doc.Block {
	var out []doc.Block
	for i, v := range w.Columns[0].Vertices {
		if !v.Uses {
			continue
		}
		var lines []figure.Line
		for _, c := range w.Columns {
			l := figure.Line{Name: c.Name, Class: "global"}
			for _, p := range c.Vertices[i].Points {
				l.Points = append(l.Points, figure.Point(p))
			}
			lines = append(lines, l)
		}
		out = append(out, figure.Lags(fmt.Sprintf("lag-%d", i), "Watermark lag at "+safe.Name(v.Vertex.Name, 40), w.Judged.FromMs, w.Judged.ToMs, lines))
	}
	return out
}
