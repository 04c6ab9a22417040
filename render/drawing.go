package render

import (
	"slices"

	"tidemark/analyze"
	"tidemark/analyze/catalog"
	"tidemark/flinkapi"
	"tidemark/render/doc"
	"tidemark/render/figure/graph"
	"tidemark/render/safe"
)

// jobGraph draws the vertices of a job: which holds the watermark back, which wait for it, and how late each is. A page
// has the table of vertices folded below it; a terminal has only the table.
func jobGraph(j *analyze.JobReport, now int64) doc.Figure {
	g := newDrawing(j, now)
	g.collapse()
	f := doc.Figure{ID: "graph-" + safe.Short(j.ID, 32)}
	f.SVG = graph.Draw(f.ID, "Job graph of "+safe.Short(j.Label(), 80), g.describe(), g.nodes(), g.edges())
	f.Note = g.note()
	return f
}

// drawing is the graph of a job before it is laid out.
type drawing struct {
	job   *analyze.JobReport
	now   int64
	boxes []*drawnBox
	into  map[*drawnBox][]*drawnBox
	red   map[[2]string]bool // links between a waiting vertex and its holder
}

// drawnBox is a vertex, or several that are alike.
type drawnBox struct {
	vertices []analyze.VertexReport
	findings []*catalog.Finding // of its vertex, info aside
	tone     graph.Tone
	onWay    bool // between the holder and the vertices that wait
	chains   int  // number of chains that it represents, 0 = none
}

func newDrawing(j *analyze.JobReport, now int64) *drawing {
	g := &drawing{job: j, now: now, into: map[*drawnBox][]*drawnBox{}, red: map[[2]string]bool{}}
	at := map[string]*drawnBox{}
	for _, n := range ordered(j) {
		b := &drawnBox{vertices: []analyze.VertexReport{n.VertexReport}}
		g.boxes = append(g.boxes, b)
		at[n.ID] = b
	}
	for i := range j.Findings {
		if f := &j.Findings[i]; f.Vertex != nil && f.Severity != catalog.Info && at[f.Vertex.ID] != nil {
			at[f.Vertex.ID].findings = append(at[f.Vertex.ID].findings, f)
		}
	}
	for _, b := range g.boxes {
		for _, id := range b.vertices[0].Inputs {
			if from := at[id]; from != nil {
				g.into[b] = append(g.into[b], from)
			}
		}
	}
	for _, b := range g.boxes {
		g.walk(b, at)
	}
	for _, b := range g.boxes {
		b.tone = b.toneOf()
	}
	return g
}

// walk marks the way from a vertex that waits for event time to its holder.
func (g *drawing) walk(b *drawnBox, at map[string]*drawnBox) {
	v := b.vertices[0]
	ref := v.WaitsFor()
	if v.Use != "yes" || ref == nil || at[ref.ID] == nil || g.harmless(v.Holder.Code) {
		return
	}
	holder := at[ref.ID]
	reaches := map[*drawnBox]bool{holder: true}
	var find func(*drawnBox, map[*drawnBox]bool) bool
	find = func(x *drawnBox, seen map[*drawnBox]bool) bool {
		if reaches[x] {
			return true
		}
		if seen[x] {
			return false
		}
		seen[x] = true
		found := false
		for _, from := range g.into[x] {
			if up := from.vertices[0]; from != holder && (up.Holder == nil || up.Holder.Vertex == nil || up.Holder.Vertex.ID != ref.ID) {
				continue
			}
			if find(from, seen) {
				g.red[[2]string{from.vertices[0].ID, x.vertices[0].ID}] = true
				found = true
			}
		}
		if found {
			reaches[x], x.onWay = true, true
		}
		return found
	}
	if find(b, map[*drawnBox]bool{}) {
		holder.onWay = true
	}
}

// harmless reports whether the finding about a holder only explains.
func (g *drawing) harmless(code string) bool {
	return code != "" && !slices.ContainsFunc(g.job.Findings, func(f catalog.Finding) bool { return f.Code == code && f.Severity != catalog.Info })
}

// toneOf is Bad where a finding is critical or event time is missing, Held where the vertex waits for another one.
func (b *drawnBox) toneOf() graph.Tone {
	v := b.vertices[0]
	for _, f := range b.findings {
		if f.Severity == catalog.Critical {
			return graph.Bad
		}
	}
	waits := v.WaitsFor() != nil
	switch {
	case b.onWay && waits && v.Use == "yes":
		return graph.Bad
	case len(b.findings) > 0:
		return graph.Warn
	case waits:
		return graph.Held
	case v.Min.State() == flinkapi.Failed:
		return graph.Unsure
	}
	return graph.Plain
}

func (g *drawing) nodes() []graph.Node {
	out := make([]graph.Node, len(g.boxes))
	for i, b := range g.boxes {
		out[i] = g.node(b)
	}
	return out
}

func (g *drawing) edges() []graph.Edge {
	index := map[*drawnBox]int{}
	for i, b := range g.boxes {
		index[b] = i
	}
	var out []graph.Edge
	for i, b := range g.boxes {
		for _, from := range g.into[b] {
			e := graph.Edge{Link: graph.Link{From: index[from], To: i}, Tone: graph.Plain}
			last := from.vertices[len(from.vertices)-1].ID
			switch {
			case g.red[[2]string{last, b.vertices[0].ID}]:
				e.Tone = graph.Bad
			case b.tone == graph.Held:
				e.Tone = graph.Held
			}
			out = append(out, e)
		}
	}
	return out
}
