package screen

import (
	"fmt"
	"strings"

	"tidemark/analyze"
	"tidemark/analyze/catalog"
	"tidemark/flinkapi"
	"tidemark/render"
	"tidemark/render/doc"
	"tidemark/render/safe"
)

// mostSplits bounds the splits of a source on the screen; those that hold the watermark come first.
const mostSplits = 24

// columns are the widths of the drawing of a job.
type columns struct{ name, time, lag, state, strip int }

func (m *Model) columns() columns {
	c := columns{time: 13, lag: lagCells, state: 16, strip: max(10, min(60, m.width/8))}
	c.name = max(10, m.width-2-c.time-c.lag-c.state-c.strip-4)
	return c
}

// row is a place of a job: a vertex, or a split below it.
type row struct {
	mark, name, time, lag, state string
	tone                         doc.Tone
	vertex, split                string
}

// jobBody draws the graph as a tree, then the findings with their fixes, then what was not checked.
func (m *Model) jobBody(j *analyze.JobReport) []string {
	c := m.columns()
	cell := func(s string, n int) string { return safe.Pad(safe.Short(s, n), n) }
	out := []string{m.t.Dim.Render(m.fit("  " + cell("vertex, split", c.name) + " " + cell("event time", c.time) + " " + cell("lag", c.lag) + " " + cell("moves", c.state) + " lag so far"))}
	_, silent := m.s.Silent(m.o.Now(), m.o.Every)
	for _, r := range m.rows(j) {
		state := cell(r.state, c.state)
		if !silent {
			state = m.t.Paint(r.tone, state)
		}
		out = append(out, safe.Pad(r.mark, 2)+cell(r.name, c.name)+" "+cell(r.time, c.time)+" "+cell(r.lag, c.lag)+" "+state+" "+m.paintStrip(m.went.strip(j.ID, r.vertex, r.split, c.strip), c.strip))
	}
	for i := range j.Findings {
		out = append(out, m.findingLines(&j.Findings[i], i == min(m.finding, len(j.Findings)-1), silent)...)
	}
	if len(j.Acknowledged) > 0 {
		out = append(out, "", m.t.Strong.Render("Acknowledged"))
	}
	for _, a := range j.Acknowledged {
		out = append(out, doc.Wrap("  "+safe.Short(a.Code, 12)+"  ", safe.Clean(a.Summary)+". Until "+safe.Short(a.Until, 20)+": "+safe.Clean(a.Reason), m.width)...)
	}
	if n := len(j.NotChecked); n > 0 {
		out = append(out, "", m.t.Strong.Render("Not checked"))
		for _, x := range j.NotChecked[:min(n, 20)] {
			out = append(out, doc.Wrap("  "+safe.Short(x.Code, 12)+"  ", safe.Clean(x.Reason), m.width)...)
		}
	}
	return out
}

func (m *Model) findingLines(f *catalog.Finding, selected, silent bool) []string {
	mark := "  "
	if selected {
		mark = "> "
	}
	word := strings.ToUpper(string(f.Severity))
	tone := doc.Tone(f.Severity)
	if silent {
		tone = ""
	}
	out := []string{""}
	for i, l := range doc.Wrap(mark, word+" "+safe.Clean(f.Summary)+". ["+safe.Short(f.Code, 12)+"]", m.width) {
		if i == 0 {
			l = strings.Replace(l, word, m.t.Paint(tone, word), 1)
		}
		out = append(out, l)
	}
	out = append(out, doc.Wrap("  To do: ", safe.Clean(f.Fix.Text), m.width)...)
	for _, code := range []string{f.Fix.DataStream, f.Fix.SQL} {
		if strings.TrimSpace(code) == "" {
			continue
		}
		for _, l := range safe.Lines(strings.TrimRight(code, "\n")) {
			out = append(out, m.t.Strong.Render(m.fit("    "+l)))
		}
	}
	return out
}

// rows are the vertices in the order of the data flow, the splits of a source below it.
func (m *Model) rows(j *analyze.JobReport) []row {
	onPath := pathOf(j)
	var out []row
	for _, b := range render.Tree(j) {
		r := row{vertex: b.ID, lag: render.LagText(b.LagMs), time: timeText(b.Min, m.s.Report.CapturedMs)}
		r.mark = mark(onPath[b.ID], m.s.changed[j.ID+" "+b.ID])
		r.name = b.Label(6)
		switch {
		case b.HeldBy != "" && b.WaitsFor() != nil:
			r.state, r.tone = "held", doc.Critical
		case b.Moving == nil:
			r.state = "not known yet"
		case *b.Moving:
			r.state, r.tone = "advancing", doc.Healthy
		case b.HeldBy != "" || len(b.Codes) > 0:
			r.state, r.tone = "stands", doc.Critical
		default:
			r.state = "stands"
		}
		out = append(out, r)
		if b.Kind == "source" {
			out = append(out, m.splitRows(j, b, onPath)...)
		}
	}
	return out
}

func (m *Model) splitRows(j *analyze.JobReport, b render.Branch, onPath map[string]bool) (out []row) {
	var holding, others []row
	all := 0
	for _, s := range b.Subtasks {
		for _, sp := range s.Splits {
			all++
			r := row{vertex: b.ID, split: sp.ID, name: "│ " + safe.Short(sp.ID, 60), time: timeText(sp.Watermark, m.s.Report.CapturedMs), lag: "-"}
			if ms, ok := sp.Watermark.Lag(m.s.Report.CapturedMs); ok {
				r.lag = render.LagText(&ms)
			}
			r.state, r.tone = m.splitState(j.ID, b.ID, sp)
			if onPath[b.ID+" "+sp.ID] {
				r.mark, r.state, r.tone = "X", r.state+", holds", doc.Critical
				holding = append(holding, r)
				continue
			}
			others = append(others, r)
		}
	}
	out = append(holding, others...)
	if len(out) > mostSplits {
		out = append(out[:mostSplits], row{name: fmt.Sprintf("│ and %d more splits", all-mostSplits)})
	}
	return out
}

// splitState is the state of a split by its track, or by its gauges where there is no track yet.
func (m *Model) splitState(job, vertex string, sp analyze.SplitReport) (string, doc.Tone) {
	if sp.Paused != nil && *sp.Paused {
		return "paused", ""
	}
	if t, track := m.went.track(job, vertex, sp.ID); track != nil && !t.Gone(track) {
		return stateWord(track.State)
	}
	return "", ""
}

func stateWord(s catalog.State) (string, doc.Tone) {
	switch s {
	case "":
		return "not known yet", ""
	case catalog.Advancing:
		return "advancing", doc.Healthy
	case catalog.Never:
		return "no record", ""
	case catalog.Standing:
		return "stands", doc.Warning
	}
	return strings.ReplaceAll(string(s), "-", " "), ""
}

func mark(onPath, changed bool) string {
	s := " "
	if onPath {
		s = "X"
	}
	if changed {
		s += "*"
	}
	return s
}

// pathOf is what waits and what it waits for: ids of vertices; for a split, the ids of vertex and split with a blank
// between.
func pathOf(j *analyze.JobReport) map[string]bool {
	on := map[string]bool{}
	for _, v := range j.Vertices {
		if v.Holder == nil {
			continue
		}
		on[v.ID] = true
		if h := v.Holder; h.Vertex != nil {
			on[h.Vertex.ID] = true
			if h.Split != "" {
				on[h.Vertex.ID+" "+h.Split] = true
			}
		}
	}
	return on
}

// timeText is a watermark for a narrow column.
func timeText(w flinkapi.Watermark, now int64) string {
	if w.State() == flinkapi.None {
		return "none"
	}
	return render.WatermarkText(w, now)
}
