package render

import (
	"fmt"
	"strings"

	"tidemark/analyze"
	"tidemark/analyze/catalog"
	"tidemark/flinkapi"
	"tidemark/render/doc"
	"tidemark/render/safe"
)

// SchemaWatermarks names the JSON form of Watermarks.
const SchemaWatermarks = "tidemark.watermarks/v1"

type watermarksData struct {
	Schema     string               `json:"schema"`
	Tool       analyze.Tool         `json:"tool"`
	CapturedAt string               `json:"captured_at"`
	CapturedMs int64                `json:"captured_ms"`
	Cluster    analyze.Cluster      `json:"cluster"`
	Jobs       []watermarksOfJob    `json:"jobs"`
	NotChecked []catalog.NotChecked `json:"not_checked"`
}

type watermarksOfJob struct {
	ID       string                 `json:"id"`
	Name     string                 `json:"name"`
	State    string                 `json:"state"`
	Samples  int                    `json:"samples"`
	Vertices []analyze.VertexReport `json:"vertices"`
}

// Watermarks lists the watermark of every vertex, operator, subtask and split, without a judgement.
func Watermarks(r *analyze.Report) Result {
	data := watermarksData{SchemaWatermarks, r.Tool, r.CapturedAt, r.CapturedMs, r.Cluster, []watermarksOfJob{}, list(r.NotChecked)}
	for _, j := range r.Jobs {
		data.Jobs = append(data.Jobs, watermarksOfJob{j.ID, j.Name, j.State, j.Samples, filledVertices(j.Vertices)})
	}
	return Result{Data: data, Document: func() *doc.Document {
		d := &doc.Document{Title: "Event-time watermarks"}
		d.Add(doc.Paragraph{Text: readLine(r), Dim: true})
		for i := range r.Jobs {
			watermarksOf(d, &r.Jobs[i], r.CapturedMs)
		}
		notChecked(d, 2, "Not checked of the cluster", r.NotChecked)
		return d
	}}
}

// watermarksOf adds a job's rows: vertex, then its operators, subtasks and splits, indented.
func watermarksOf(d *doc.Document, j *analyze.JobReport, now int64) {
	d.Add(doc.Heading{Level: 2, Text: j.Label()}, doc.Paragraph{Text: sampleText(j), Dim: true})
	t := doc.Table{Columns: []doc.Column{{Name: "vertex, operator, subtask, split", Cut: true}, {Name: "event time (UTC)"}, {Name: "lag"}, {Name: "moves"}, {Name: "state"}}}
	row := func(label string, w flinkapi.Watermark, lag, moves, state string) {
		t.Rows = append(t.Rows, doc.Row{Cells: doc.Cells(label, watermarkText(w, now), lag, moves, state)})
	}
	for _, n := range ordered(j) {
		clock := n.now(now)
		row(vertexLabel(n.VertexReport), n.Min, lagText(n.LagMs), movingText(n.Moving), "")
		reading := func(label string, w flinkapi.Watermark, state string) {
			if w.State() == flinkapi.Absent { // else gauges that the cluster does not have fill the screen
				return
			}
			lag := "-"
			if ms, ok := w.Lag(clock); ok && clock != 0 {
				lag = lagText(&ms)
			}
			row(label, w, lag, "", state)
		}
		for _, o := range n.Operators {
			reading("  "+safe.Name(o.Name, 60)+" in", o.In, "")
			reading("  "+safe.Name(o.Name, 60)+" out", o.Out, "")
		}
		for _, s := range n.Subtasks {
			reading(fmt.Sprintf("  subtask %d in", s.Index), s.In, "")
			reading(fmt.Sprintf("  subtask %d out", s.Index), s.Out, "")
			for _, sp := range s.Splits {
				reading("    split "+safe.Short(sp.ID, 60), sp.Watermark, splitText(sp))
			}
		}
	}
	d.Add(t)
	notChecked(d, 3, "Not checked", j.NotChecked)
}

func splitText(s analyze.SplitReport) string {
	var parts []string
	if s.Idle != nil && *s.Idle {
		parts = append(parts, "idle")
	}
	if s.Paused != nil && *s.Paused {
		parts = append(parts, "paused")
	}
	return strings.Join(parts, " ")
}
