package render

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"tidemark/analyze"
	"tidemark/analyze/catalog"
	"tidemark/flinkapi"
)

// SchemaWatermarks names the JSON form of Watermarks.
const SchemaWatermarks = "tidemark.watermarks/v1"

type watermarksData struct {
	Schema     string               `json:"schema"`
	Tool       analyze.Tool         `json:"tool"`
	CapturedAt string               `json:"captured_at"`
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

// Watermarks writes the event time of every vertex, operator, subtask and split, without judging it,
// as table, json or yaml.
func Watermarks(w io.Writer, format string, r *analyze.Report, o Options) error {
	if format == JSON || format == YAML {
		d := watermarksData{SchemaWatermarks, r.Tool, r.CapturedAt, r.Cluster, []watermarksOfJob{}, list(r.NotChecked)}
		for _, j := range r.Jobs {
			d.Jobs = append(d.Jobs, watermarksOfJob{j.ID, j.Name, j.State, j.Samples, filledVertices(j.Vertices)})
		}
		return Data(w, format, d)
	}
	var b bytes.Buffer
	x := &text{w: &b, t: newTheme(w, o.Color), width: o.width(), now: epoch(r.CapturedAt)}
	x.dimmed(readLine(r))
	for i := range r.Jobs {
		x.line("")
		x.table(&r.Jobs[i])
	}
	x.notChecked("Not checked of the cluster", r.NotChecked)
	_, err := w.Write(b.Bytes())
	return err
}

// table writes a job's rows: vertex, then its operators, subtasks and splits, indented.
func (x *text) table(j *analyze.JobReport) {
	x.line(x.t.strong.Render(Short(j.Name, x.width)))
	x.dimmed(sampleText(j))
	name := x.nameCells()
	x.row("vertex, operator, subtask, split", "event time (UTC)", "lag", "moves", "")
	for _, n := range ordered(j) {
		x.row(vertexName(n.Name, name-len(fmt.Sprintf(" x%d", n.Parallelism)))+fmt.Sprintf(" x%d", n.Parallelism), watermarkText(n.Min, x.now), lagText(n.LagMs), movingText(n.Moving), "")
		now := x.nowOf(n.VertexReport)
		for _, o := range n.Operators {
			x.reading("  "+vertexName(o.Name, name-6)+" in", o.In, now, "")
			x.reading("  "+vertexName(o.Name, name-6)+" out", o.Out, now, "")
		}
		for _, s := range n.Subtasks {
			x.reading(fmt.Sprintf("  subtask %d in", s.Index), s.In, now, "")
			x.reading(fmt.Sprintf("  subtask %d out", s.Index), s.Out, now, "")
			for _, sp := range s.Splits {
				x.reading("    split "+Short(sp.ID, 60), sp.Watermark, now, splitText(sp))
			}
		}
	}
	x.notChecked("Not checked", j.NotChecked)
}

// nowOf is the wall clock that the vertex's lag was taken against, epoch ms.
func (x *text) nowOf(v analyze.VertexReport) int64 {
	if ms, ok := v.Min.Millis(); ok && v.LagMs != nil {
		return ms + *v.LagMs
	}
	return x.now
}

// reading writes a row for a gauge the cluster has; absent ones would only fill the screen.
func (x *text) reading(label string, w flinkapi.Watermark, now int64, state string) {
	if w.State() == flinkapi.Absent {
		return
	}
	lag := "-"
	if ms, ok := w.Lag(now); ok && now != 0 {
		lag = lagText(&ms)
	}
	x.row(label, watermarkText(w, x.now), lag, "", state)
}

// stateCells hold what a split is, all of it at once.
const stateCells = len("idle paused")

// nameCells is what the other columns leave.
func (x *text) nameCells() int { return x.width - timeCells - lagCells - stateCells - 3 }

func (x *text) row(label, when, lag, moves, state string) {
	name := x.nameCells()
	x.line(strings.TrimRight(pad(fit(label, name), name)+" "+pad(when, timeCells)+" "+pad(Short(lag, lagCells), lagCells)+" "+moves+state, " "))
}

// fit cuts a label that is indented and clean.
func fit(label string, max int) string {
	body := strings.TrimLeft(label, " ")
	margin := len(label) - len(body)
	return strings.Repeat(" ", margin) + Short(body, max-margin)
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
