package model

import (
	"strconv"

	"tidemark/flinkapi"
)

// Holds reports whether a source subtask's output is what its consumers wait for. A subtask that
// never spoke while its consumers' event time is there has been marked idle, and holds nobody.
func (j *Job) Holds(s *Subtask, out Reading) bool {
	v := s.Vertex
	if s.Status == "FINISHED" {
		return false // it has sent end of input, which its last cached gauge does not show
	}
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

// HeldBack lists the vertices downstream of v that inherit its event time: none where v has none,
// or nothing newer than v's minimum.
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

// holder walks the minimum upstream from v to the place it comes from: the vertex, subtask and
// split whose output is the smallest.
type holder struct {
	Vertex  *Vertex
	Subtask *Subtask
	Split   *Split
}

func (j *Job) HolderOf(v *Vertex) holder {
	h := holder{Vertex: v}
	for steps := 0; steps <= len(j.Vertices); steps++ {
		next := MinUpstream(h.Vertex)
		if next == nil {
			break
		}
		h.Vertex = next
	}
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
		h.Split = h.Subtask.MinSplit()
	}
	return h
}

// MinUpstream is the input whose output is smallest, nil at a source or where v makes its own
// watermarks.
func MinUpstream(v *Vertex) *Vertex {
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

func (h holder) String() string {
	s := QuoteName(h.Vertex.Name)
	if h.Subtask != nil {
		s += " subtask " + strconv.Itoa(h.Subtask.Index)
	}
	if h.Split != nil {
		s += " split " + h.Split.ID
	}
	return s
}

// NewestSplit is the largest known event time over a source's splits, or its subtasks before 2.1.
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

// NewestOrdinary is newestSplit without places ahead of the wall clock, which one bad record makes.
func (v *Vertex) NewestOrdinary(j *Job) flinkapi.Watermark {
	var newest flinkapi.Watermark
	for _, s := range v.Subtasks {
		for _, sp := range s.ActiveSplits() {
			if lag, ok := j.Lag(v, sp.Watermark); ok && lag >= -AheadMs {
				newest = flinkapi.MaxWatermark(newest, sp.Watermark.Now)
			}
		}
	}
	return newest
}
