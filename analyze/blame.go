package analyze

import (
	"strconv"

	"tidemark/flinkapi"
)

// holds reports whether a source subtask's output is what its consumers wait for. A subtask that
// never spoke while its consumers' event time is there has been marked idle, and holds nobody.
func (j *Job) holds(s *Subtask, out Reading) bool {
	v := s.Vertex
	if len(v.Out) == 0 {
		quiet, known := s.Quiet()
		return !(known && quiet) // what is chained to a silent subtask has nothing to wait for
	}
	for _, e := range v.Out {
		if j.waitsFor(e, s.Index, out) {
			return true
		}
	}
	return false
}

func (j *Job) waitsFor(e *Edge, index int, out Reading) bool {
	in := e.To.EventTime()
	if e.Ship == "FORWARD" && index < len(e.To.Subtasks) && len(e.To.In) == 1 {
		in = e.To.Subtasks[index].In
	}
	switch {
	case !in.Now.Readable():
		return true // it cannot be told; the finding's confidence says so
	case out.Now.State() == flinkapi.None:
		return in.Now.State() == flinkapi.None
	case out.Now.IsKnown():
		return in.Now.State() == flinkapi.None || !out.Now.Before(in.Now)
	}
	return false
}

// heldBack lists the vertices downstream of v that inherit its event time: none where v has none,
// or nothing newer than v's minimum.
func (j *Job) heldBack(v *Vertex, out Reading) []Ref {
	seen := map[*Vertex]bool{v: true}
	var refs []Ref
	queue := []*Vertex{v}
	for len(queue) > 0 {
		u := queue[0]
		queue = queue[1:]
		for _, e := range u.Out {
			w := e.To
			if seen[w] {
				continue
			}
			seen[w] = true
			et := w.EventTime()
			inherits := et.Now.Readable() && (et.IsNone() || out.Now.IsKnown() && !out.Now.Before(et.Now))
			if inherits {
				refs = append(refs, *w.Ref())
				queue = append(queue, w)
			}
		}
	}
	return refs
}

// descendants lists every vertex that v's records can reach.
func (v *Vertex) descendants() []*Vertex {
	seen := map[*Vertex]bool{}
	var walk func(*Vertex)
	var out []*Vertex
	walk = func(u *Vertex) {
		for _, e := range u.Out {
			if !seen[e.To] {
				seen[e.To] = true
				out = append(out, e.To)
				walk(e.To)
			}
		}
	}
	walk(v)
	return out
}

// sourcesOf lists the sources that feed v, v itself included where it is one.
func (v *Vertex) sourcesOf() []*Vertex {
	seen := map[*Vertex]bool{}
	var out []*Vertex
	var walk func(*Vertex)
	walk = func(u *Vertex) {
		if seen[u] {
			return
		}
		seen[u] = true
		if u.IsSource() {
			out = append(out, u)
		}
		for _, e := range u.In {
			walk(e.From)
		}
	}
	walk(v)
	return out
}

// Use says whether anything needs the event time of a vertex.
type Use int

// UseUnknown is a user function on a keyed stream, which may set timers.
const (
	UseNo Use = iota
	UseUnknown
	UseYes
)

// eventTimeUse looks at v's own chain and at everything downstream.
func (v *Vertex) eventTimeUse() Use {
	use := UseNo
	for _, u := range append([]*Vertex{v}, v.descendants()...) {
		for _, op := range u.Chain {
			switch {
			case op.Kind.UsesEventTime():
				return UseYes
			case op.Kind == KindUnknown && op == u.Head() && u.keyed():
				use = UseUnknown
			}
		}
		if len(u.Chain) == 0 {
			use = UseUnknown
		}
	}
	return use
}

// keyed reports a vertex whose head can set event-time timers: those need a keyed stream.
func (v *Vertex) keyed() bool {
	for _, e := range v.In {
		if e.Ship == "HASH" || e.Ship == "" {
			return true
		}
	}
	return false
}

// holder walks the minimum upstream from v to the place it comes from: the vertex, subtask and
// split whose output is the smallest.
type holder struct {
	vertex  *Vertex
	subtask *Subtask
	split   *Split
}

func (j *Job) holderOf(v *Vertex) holder {
	h := holder{vertex: v}
	for steps := 0; steps <= len(j.Vertices); steps++ {
		next := minUpstream(h.vertex)
		if next == nil {
			break
		}
		h.vertex = next
	}
	for _, s := range h.vertex.Subtasks {
		out := s.Out()
		if !out.Now.Readable() || !j.holds(s, out) {
			continue
		}
		if h.subtask == nil || out.Now.Before(h.subtask.Out().Now) {
			h.subtask = s
		}
	}
	if h.subtask != nil {
		h.split = h.subtask.minSplit()
	}
	return h
}

// minUpstream is the input whose output is smallest, nil at a source or where v makes its own
// watermarks.
func minUpstream(v *Vertex) *Vertex {
	if head := v.Head(); head != nil && head.Kind == KindAssigner {
		return nil
	}
	var best *Vertex
	for _, e := range v.In {
		out := e.From.MinOut()
		if out.Now.Readable() && (best == nil || out.Now.Before(best.MinOut().Now)) {
			best = e.From
		}
	}
	return best
}

func (s *Subtask) minSplit() *Split {
	var best *Split
	for _, sp := range s.activeSplits() {
		if idle, known := sp.Idle(); known && idle {
			continue
		}
		if sp.Watermark.Now.Readable() && (best == nil || sp.Watermark.Now.Before(best.Watermark.Now)) {
			best = sp
		}
	}
	return best
}

func (h holder) String() string {
	s := quoteName(h.vertex.Name)
	if h.subtask != nil {
		s += " subtask " + strconv.Itoa(h.subtask.Index)
	}
	if h.split != nil {
		s += " split " + h.split.ID
	}
	return s
}

// newestSplit is the largest known event time over a source's splits, or its subtasks before 2.1.
func (v *Vertex) newestSplit() flinkapi.Watermark {
	var newest flinkapi.Watermark
	for _, s := range v.Subtasks {
		for _, sp := range s.activeSplits() {
			if w := sp.Watermark.Now; w.IsKnown() && (!newest.IsKnown() || newest.Before(w)) {
				newest = w
			}
		}
		if w := s.Out().Now; w.IsKnown() && (!newest.IsKnown() || newest.Before(w)) {
			newest = w
		}
	}
	return newest
}

// newestOrdinary is newestSplit without places ahead of the wall clock, which one bad record makes.
func (v *Vertex) newestOrdinary(j *Job) flinkapi.Watermark {
	var newest flinkapi.Watermark
	for _, s := range v.Subtasks {
		for _, sp := range s.activeSplits() {
			if lag, ok := j.lag(v, sp.Watermark); ok && lag >= -aheadMs {
				newest = flinkapi.MaxWatermark(newest, sp.Watermark.Now)
			}
		}
	}
	return newest
}
