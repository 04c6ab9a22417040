package account

import (
	"slices"
	"sync"

	"tidemark/analyze/catalog"
	"tidemark/analyze/lag"
	"tidemark/analyze/model"
	"tidemark/flinkapi"
)

// ask prepares the questions about everything before or behind a vertex. Each is answered for all
// vertices at once, in one pass over the graph, when it is first asked.
func (x *judge) ask() {
	j := x.job
	x.found = j.NewWalk(func(v *model.Vertex) bool { return len(x.at[v.ID]) > 0 })
	x.held = map[*catalog.Finding]map[string]bool{}
	x.above, x.waits = map[string]map[*model.Vertex]bool{}, map[string]map[*model.Vertex]bool{}
	below := func(is func(*model.Vertex) bool) func(*model.Vertex) bool {
		set := sync.OnceValue(func() map[*model.Vertex]bool { return j.Below(is) })
		return func(v *model.Vertex) bool { return set()[v] }
	}
	before := below(shows)
	behind := sync.OnceValue(func() map[*model.Vertex]bool { return j.Above(shows) })
	x.signed = func(v *model.Vertex) bool { return before(v) || behind()[v] }
	x.lacking = below(func(v *model.Vertex) bool { return slices.ContainsFunc(j.GapsOf(v), j.Bears) })
	x.reading = below(reads)
	x.hiding = below(func(v *model.Vertex) bool { return v.IsSource() && lag.MayHide(j, []*model.Vertex{v}) })
	fed := below(func(v *model.Vertex) bool { return v.IsSource() && flows(v) })
	x.flowing = func(v *model.Vertex) bool { return flows(v) || fed(v) }
}

// shows reports a vertex at which a watermark is declared, assigned, needed by a known operator, or was ever seen.
func shows(v *model.Vertex) bool {
	if v.AnyKnown() || v.Watermark().Now.IsKnown() {
		return true
	}
	for _, op := range v.Chain {
		if _, declared := model.ParseDeclared(op.Text); declared || op.Kind == model.KindAssigner || op.Kind.UsesEventTime() {
			return true
		}
	}
	return false
}

// flows reports that records certainly passed v between the samples.
func flows(v *model.Vertex) bool {
	flows, known := v.Flows()
	return known && flows
}

// reads reports a source that has not ended.
func reads(v *model.Vertex) bool {
	if !v.IsSource() || v.Status == "FINISHED" {
		return false
	}
	for _, t := range v.Subtasks {
		if t.Status != "FINISHED" && t.Out().Now.State() != flinkapi.End {
			return true
		}
	}
	return flows(v)
}

// holds reports that a finding lists v as held back.
func (x *judge) holds(f *catalog.Finding, v *model.Vertex) bool {
	if x.held[f] == nil {
		x.held[f] = make(map[string]bool, len(f.HeldBack))
		for _, r := range f.HeldBack {
			x.held[f][r.ID] = true
		}
	}
	return x.held[f][v.ID]
}

// feeds reports that records of v reach another vertex.
func (x *judge) feeds(v *model.Vertex, id string) bool {
	if x.above[id] == nil {
		x.above[id] = map[*model.Vertex]bool{}
		if u := x.job.Vertex(id); u != nil {
			for _, w := range u.Ancestors() {
				x.above[id][w] = true
			}
		}
	}
	return x.above[id][v]
}

// waitsFor reports a vertex on the path of v.
func (x *judge) waitsFor(v *model.Vertex, id string) bool {
	if x.waits[id] == nil {
		x.waits[id] = map[*model.Vertex]bool{}
		to := x.job.NewWalk(func(u *model.Vertex) bool { return u.ID == id })
		for _, u := range x.job.Vertices {
			if len(to.From(u)) > 0 {
				x.waits[id][u] = true
			}
		}
	}
	return x.waits[id][v]
}
