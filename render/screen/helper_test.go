package screen

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"

	"tidemark/analyze"
	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/flinkapi"
	"tidemark/render/doc"
)

var start = time.Date(2026, 11, 30, 12, 3, 11, 0, time.UTC)

// cluster is a made-up cluster whose readings follow each other.
type cluster struct {
	jobs  []job
	round int64
}

type job struct {
	name  string
	stuck bool
}

func (c *cluster) at() time.Time { return start.Add(time.Duration(c.round) * 10 * time.Second) }

// next is the reading of the next round; a job that is stuck waits for its second split.
func (c *cluster) next() Reading {
	c.round++
	now := c.at().UnixMilli()
	capture := &flinkapi.Capture{ReadAt: now, Overview: flinkapi.Overview{FlinkVersion: "2.3.0"}}
	report := &analyze.Report{CapturedMs: now, Cluster: analyze.Cluster{FlinkVersion: "2.3.0"}}
	for i, j := range c.jobs {
		id := fmt.Sprintf("%032x", i+1)
		sample := &flinkapi.Sample{HasJob: true, Job: flinkapi.JobDetails{ID: id, Name: j.name, State: "RUNNING", Now: now}, Vertices: map[string]*flinkapi.VertexSample{}}
		capture.Jobs = append(capture.Jobs, flinkapi.JobCapture{ID: id, Name: j.name, Samples: []*flinkapi.Sample{sample}})
		source, window := model.Ref{ID: "v1", Name: "Source: " + j.name}, model.Ref{ID: "v2", Name: "Window"}
		moving, lag, w, sub := true, int64(2100), flinkapi.KnownWatermark(now-2100), 0
		r := analyze.JobReport{ID: id, Name: j.name, State: "RUNNING", Verdict: analyze.VerdictHealthy, Headline: "event time advances everywhere", Samples: 2}
		second := w
		var holder *analyze.Holder
		if j.stuck {
			moving, second = false, flinkapi.NoWatermark()
			w = second
			holder = &analyze.Holder{Point: model.Point{Vertex: &source, Subtask: &sub, Split: "orders-1"}, Code: "TM102"}
			r.Verdict, r.Headline = analyze.VerdictCritical, "Partition orders-1 is silent"
			r.Findings = []catalog.Finding{{Code: "TM102", Severity: catalog.Critical, Summary: "Partition orders-1 is silent", Place: model.Place{Vertex: &source, Split: "orders-1"},
				Fix: catalog.Fix{Text: "Set an idle timeout", DataStream: ".withIdleness(Duration.ofMinutes(1))"}}}
		}
		v := analyze.VertexReport{Kind: "source", ID: "v1", Name: source.Name, Parallelism: 2, Min: w, Moving: &moving, Holder: holder, HeldBy: "", Inputs: []string{},
			Subtasks: []analyze.SubtaskReport{{Index: 0, Out: w, Splits: []analyze.SplitReport{{ID: "orders-0", Watermark: flinkapi.KnownWatermark(now - 2100)}, {ID: "orders-1", Watermark: second}}}}}
		o := analyze.VertexReport{Kind: "operator", ID: "v2", Name: window.Name, Parallelism: 2, Min: w, Moving: &moving, Holder: holder, Inputs: []string{"v1"}}
		if j.stuck {
			v.HeldBy, o.HeldBy = "[TM102]", "partition orders-1"
		} else {
			v.LagMs, o.LagMs = &lag, &lag
		}
		r.Vertices = []analyze.VertexReport{v, o}
		report.Jobs = append(report.Jobs, r)
	}
	for i := range report.Jobs {
		j := &report.Jobs[i]
		j.ShortID = capture.ShortID(j.ID, j.Name)
	}
	return Reading{At: c.at(), Capture: capture, Report: report}
}

func newModel(c *cluster) *Model {
	return New(Options{Cluster: "http://flink:8081", Every: 10 * time.Second, Now: c.at, Copy: func(string) {}}, doc.NewTheme(io.Discard, true))
}

func press(m *Model, keys ...string) {
	for _, k := range keys {
		msg := tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(k)}
		for name, t := range map[string]tea.KeyType{"enter": tea.KeyEnter, "esc": tea.KeyEsc, "down": tea.KeyDown, "up": tea.KeyUp, "end": tea.KeyEnd, "ctrl+c": tea.KeyCtrlC} {
			if k == name {
				msg = tea.KeyMsg{Type: t}
			}
		}
		m.Update(msg)
	}
}

func refresh(m *Model, c *cluster) { m.Update(readMsg(c.next())) }

// sized draws at a size and holds the drawing to it.
func sized(t *testing.T, m *Model, w, h int) string {
	t.Helper()
	m.Update(tea.WindowSizeMsg{Width: w, Height: h})
	view := m.View()
	lines := strings.Split(view, "\n")
	if len(lines) != h {
		t.Errorf("%d lines at %dx%d", len(lines), w, h)
	}
	for i, l := range lines {
		if n := lipgloss.Width(l); n > w {
			t.Errorf("line %d has %d cells at %dx%d: %q", i, n, w, h, l)
		}
	}
	return view
}
