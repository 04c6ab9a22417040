package model

import "tidemark/flinkapi"

// Holds reports whether consumers wait for the output of a subtask. A subtask that never had a watermark while its
// consumers have one has been marked idle, and holds none of them.
func (j *Job) Holds(s *Subtask, out Reading) bool {
	v := s.Vertex
	if s.Status == "FINISHED" {
		return false // it has sent end of input, which its last cached gauge does not show
	}
	if len(v.Out) == 0 {
		quiet, known := s.Quiet()
		return !(known && quiet) // operators chained to a silent subtask have nothing to wait for
	}
	for _, e := range v.Out {
		if e.waits(s, out) {
			return true
		}
	}
	return false
}

// HeldBack lists the vertices downstream of v whose watermark is held by its output: it is none, or not newer.
func (j *Job) HeldBack(v *Vertex, out Reading) []Ref {
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

// Holder is where a watermark comes from: the vertex, subtask and split with the smallest output.
type Holder struct {
	Vertex  *Vertex
	Subtask *Subtask
	Split   *Split
}

// Path follows the smallest input upstream from v to the vertex that its watermark comes from: v first, a source or a
// vertex that assigns watermarks last.
func (j *Job) Path(v *Vertex) []*Vertex {
	path := []*Vertex{v}
	for len(path) <= len(j.Vertices) {
		last := path[len(path)-1]
		next := last.MinUpstream()
		if next == nil || len(path) > 1 && last.Assigns() {
			break
		}
		path = append(path, next)
	}
	return path
}

// HolderOf is the place that v's watermark comes from: the last vertex of its path, and there the subtask and the split
// with the smallest output.
func (j *Job) HolderOf(v *Vertex) Holder {
	end := j.EndOf(v)
	if end.holder == nil {
		h := j.heldAt(end)
		end.holder = &h
	}
	return *end.holder
}

func (j *Job) heldAt(end *Vertex) Holder {
	h := Holder{Vertex: end}
	for _, s := range h.Vertex.Subtasks {
		out := s.Out()
		if !out.Now.Readable() || !j.Holds(s, out) {
			continue
		}
		if h.Subtask == nil || out.Now.Before(h.Subtask.Out().Now) {
			h.Subtask = s
		}
	}
	if h.Subtask != nil {
		h.Split = h.Subtask.heldSplit()
	}
	return h
}

// heldSplit is the split that holds the subtask: the one with the smallest watermark, or before 2.1, where splits have
// no such metric, the only one whose offset did not move while the subtask's output stands still.
func (s *Subtask) heldSplit() *Split {
	if best := s.MinSplit(); best != nil {
		return best
	}
	if out := s.Out(); !out.IsNone() && !out.Frozen() {
		return nil
	}
	var only *Split
	for _, sp := range s.ActiveSplits() {
		off, seen := sp.Offset.Value()
		rise, told := sp.Offset.Rise()
		if told && rise > 0 || seen && off >= 0 && !told {
			continue
		}
		if !seen || only != nil {
			return nil
		}
		only = sp
	}
	return only
}

// MinUpstream is the input vertex with the smallest output, nil at a source or where the head of v assigns watermarks.
func (v *Vertex) MinUpstream() *Vertex {
	if v.minUp == nil {
		u := v.findMinUpstream()
		v.minUp = &u
	}
	return *v.minUp
}

func (v *Vertex) findMinUpstream() *Vertex {
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

// MinSplit is the split with the smallest watermark that is not idle, nil where none shows a watermark.
func (s *Subtask) MinSplit() *Split {
	var best *Split
	for _, sp := range s.ActiveSplits() {
		if idle, known := sp.Idle(); known && idle {
			continue
		}
		if sp.Watermark.Now.Readable() && (best == nil || sp.Watermark.Now.Before(best.Watermark.Now)) {
			best = sp
		}
	}
	return best
}

// String writes the place for a sentence.
func (h Holder) String() string { return h.Point().String() }

// NewestSplit is the largest known watermark over the splits and subtasks of a source.
func (v *Vertex) NewestSplit() flinkapi.Watermark {
	var newest flinkapi.Watermark
	for _, s := range v.Subtasks {
		for _, sp := range s.ActiveSplits() {
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

// NewestOrdinary is NewestSplit without splits and subtasks ahead of the wall clock: one bad record suffices for that.
func (v *Vertex) NewestOrdinary(j *Job) flinkapi.Watermark {
	var newest flinkapi.Watermark
	for _, s := range v.Subtasks {
		for _, sp := range s.ActiveSplits() {
			if lag, ok := j.Lag(v, sp.Watermark); ok && lag >= -AheadMs {
				newest = flinkapi.MaxWatermark(newest, sp.Watermark.Now)
			}
		}
		if lag, ok := j.Lag(v, s.Out()); ok && lag >= -AheadMs {
			newest = flinkapi.MaxWatermark(newest, s.Out().Now)
		}
	}
	return newest
}
