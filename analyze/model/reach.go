package model

import "slices"

// reach lists every vertex that repeated steps lead to from v, without v itself.
func (v *Vertex) reach(step func(*Vertex) []*Vertex) []*Vertex {
	seen := map[*Vertex]bool{v: true}
	var out []*Vertex
	queue := []*Vertex{v}
	for len(queue) > 0 {
		next := step(queue[0])
		queue = queue[1:]
		for _, u := range next {
			if !seen[u] {
				seen[u] = true
				out, queue = append(out, u), append(queue, u)
			}
		}
	}
	return out
}

func downstream(v *Vertex) []*Vertex {
	var out []*Vertex
	for _, e := range v.Out {
		out = append(out, e.To)
	}
	return out
}

func upstream(v *Vertex) []*Vertex {
	var out []*Vertex
	for _, e := range v.In {
		out = append(out, e.From)
	}
	return out
}

// Descendants lists every vertex downstream of v.
func (v *Vertex) Descendants() []*Vertex { return v.reach(downstream) }

// Ancestors lists every vertex upstream of v.
func (v *Vertex) Ancestors() []*Vertex { return v.reach(upstream) }

// Below is the set of the vertices that meet the condition, and of all vertices downstream of them.
func (j *Job) Below(is func(*Vertex) bool) map[*Vertex]bool { return j.spread(is, downstream) }

// Above is the set of the vertices that meet the condition, and of all vertices upstream of them.
func (j *Job) Above(is func(*Vertex) bool) map[*Vertex]bool { return j.spread(is, upstream) }

func (j *Job) spread(is func(*Vertex) bool, step func(*Vertex) []*Vertex) map[*Vertex]bool {
	in := map[*Vertex]bool{}
	var queue []*Vertex
	add := func(v *Vertex) {
		if !in[v] {
			in[v] = true
			queue = append(queue, v)
		}
	}
	for _, v := range j.Vertices {
		if is(v) {
			add(v)
		}
	}
	for len(queue) > 0 {
		v := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, u := range step(v) {
			add(u)
		}
	}
	return in
}

// SourcesOf lists the sources that feed v, v itself where it is one, in no particular order.
func (v *Vertex) SourcesOf() []*Vertex {
	if v.sources != nil {
		return slices.Clip(v.sources)
	}
	var out []*Vertex
	for _, u := range append([]*Vertex{v}, v.Ancestors()...) {
		if u.IsSource() {
			out = append(out, u)
		}
	}
	return out
}
