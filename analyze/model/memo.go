package model

import (
	"cmp"
	"slices"
)

// remember computes, in one pass over the graph, what checks ask of each vertex about everything up- and downstream of
// it. The answers are those of the walk from each vertex; in a graph with a loop only use is computed here.
func (j *Job) remember() {
	yes := j.Above(func(v *Vertex) bool { return v.OwnUse() == UseYes })
	unknown := j.Above(func(v *Vertex) bool { return v.OwnUse() == UseUnknown })
	for _, v := range j.Vertices {
		use := UseNo
		switch {
		case yes[v]:
			use = UseYes
		case unknown[v]:
			use = UseUnknown
		}
		v.use = &use
	}
	order := make(map[*Vertex]int, len(j.Vertices))
	for i, v := range j.Vertices {
		order[v] = i
	}
	for i, v := range j.Vertices {
		if slices.ContainsFunc(v.In, func(e *Edge) bool { return order[e.From] >= i }) {
			return // a loop, which has no order
		}
	}
	for _, v := range j.Vertices {
		v.sources = []*Vertex{v}
		for i, e := range v.In {
			if i == 0 {
				v.sources = e.From.sources
			} else {
				v.sources = union(v.sources, e.From.sources, order)
			}
		}
	}
	for _, v := range slices.Backward(j.Vertices) {
		v.onward = v.findOnward()
	}
}

// union merges two lists in the order of the job. It returns one of them where it contains the other, so that the
// vertices of a long chain share a list.
func union(a, b []*Vertex, order map[*Vertex]int) []*Vertex {
	if slices.Equal(a, b) {
		return a
	}
	all := slices.Concat(a, b)
	slices.SortFunc(all, func(x, y *Vertex) int { return cmp.Compare(order[x], order[y]) })
	switch all = slices.Compact(all); len(all) {
	case len(a):
		return a
	case len(b):
		return b
	}
	return all
}

// Vertex returns the vertex with this id, or nil.
func (j *Job) Vertex(id string) *Vertex {
	if len(j.byID) != len(j.Vertices) {
		j.byID = make(map[string]*Vertex, len(j.Vertices))
		for _, v := range j.Vertices {
			j.byID[v.ID] = v
		}
	}
	return j.byID[id]
}

// Walk follows paths (Job.Path) and skips the vertices that do not meet a condition.
type Walk struct {
	job  *Job
	keep func(*Vertex) bool
	next map[*Vertex]*Vertex // the first kept vertex from here upstream, this one included; nil = none
}

// NewWalk makes a walk over the vertices that meet the condition, whose answers must not change.
func (j *Job) NewWalk(keep func(*Vertex) bool) *Walk {
	return &Walk{j, keep, map[*Vertex]*Vertex{}}
}

// From lists the vertices of the path of v that meet the condition, in its order.
func (w *Walk) From(v *Vertex) []*Vertex {
	var out []*Vertex
	if w.keep(v) {
		out = append(out, v)
	}
	for u := w.nextFrom(v.MinUpstream()); u != nil && len(out) <= len(w.job.Vertices); u = w.nextFrom(u.onPath()) {
		out = append(out, u)
	}
	return out
}

func (w *Walk) nextFrom(v *Vertex) *Vertex {
	var passed []*Vertex
	var found *Vertex
	for u := v; u != nil && len(passed) <= len(w.job.Vertices); u = u.onPath() {
		if known, ok := w.next[u]; ok {
			found = known
			break
		}
		passed = append(passed, u)
		if w.keep(u) {
			found = u
			break
		}
	}
	for _, u := range passed {
		w.next[u] = found
	}
	return found
}

// onPath is the next vertex upstream of a path that reached v from downstream, nil where it ends here.
func (v *Vertex) onPath() *Vertex {
	if v.Assigns() {
		return nil
	}
	return v.MinUpstream()
}

// EndOf is the last vertex of the path of v.
func (j *Job) EndOf(v *Vertex) *Vertex {
	next := v.MinUpstream()
	if next == nil {
		return v
	}
	var passed []*Vertex
	end := next
	for u := next; u != nil; u = u.onPath() {
		if u.end != nil {
			end = u.end
			break
		}
		if passed = append(passed, u); len(passed) > len(j.Vertices) {
			path := j.Path(v) // a loop: Path ends at the number of vertices
			return path[len(path)-1]
		}
		end = u
	}
	for _, u := range passed {
		u.end = end
	}
	return end
}
