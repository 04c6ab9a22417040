package model

// reach lists every vertex that one step after another leads to from v, without v itself.
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

// Descendants lists every vertex that v's records can reach.
func (v *Vertex) Descendants() []*Vertex { return v.reach(downstream) }

// Ancestors lists every vertex whose records can reach v.
func (v *Vertex) Ancestors() []*Vertex { return v.reach(upstream) }

// SourcesOf lists the sources that feed v, v itself where it is one.
func (v *Vertex) SourcesOf() []*Vertex {
	var out []*Vertex
	for _, u := range append([]*Vertex{v}, v.Ancestors()...) {
		if u.IsSource() {
			out = append(out, u)
		}
	}
	return out
}
