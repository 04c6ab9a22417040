package lag

import (
	"math"

	"tidemark/analyze/model"
)

// Budget splits a vertex's event-time lag into parts along the path to who holds it. Parts are ms;
// what no part explains is shown as "unexplained". Certain parts are read, the others inferred.
func Budget(j *model.Job, v *model.Vertex, lag int64) []model.LagPart {
	parts := []model.LagPart{}
	add := func(part string, ms int64, certain bool) {
		if ms > 0 {
			parts = append(parts, model.LagPart{Part: part, Ms: ms, Certain: certain})
		}
	}
	src := v
	for steps := 0; steps <= len(j.Vertices); steps++ {
		if q, from, ok := QueueLag(src); ok {
			add("queue before "+model.QuoteName(src.Name), q, true)
			for _, op := range from.Chain {
				if hold, ok := model.HoldOf(op); ok {
					if trail, ok := TrailOf(op); ok {
						add("hold of "+model.QuoteName(op.Name), min(trail, hold), true)
					}
				}
			}
		}
		next := model.MinUpstream(src)
		if next == nil {
			break
		}
		src = next
	}
	if src.IsSource() {
		parts = append(parts, sourceParts(j, src)...)
	}
	sum := int64(0)
	for _, p := range parts {
		sum += p.Ms
	}
	if rest := lag - sum; rest != 0 {
		parts = append(parts, model.LagPart{Part: "unexplained", Ms: rest, Certain: false})
	}
	return parts
}

// sourceParts are the age of the records read, the bound, and how far the split that holds the
// minimum is behind the newest.
func sourceParts(j *model.Job, v *model.Vertex) []model.LagPart {
	if v.Parts == nil { // the same for everything downstream
		v.Parts = []model.LagPart{}
		addSourceParts(j, v, func(part string, ms int64, certain bool) {
			if ms > 0 {
				v.Parts = append(v.Parts, model.LagPart{Part: part, Ms: ms, Certain: certain})
			}
		})
	}
	return v.Parts
}

func addSourceParts(j *model.Job, v *model.Vertex, add func(string, int64, bool)) {
	if lo, _, ok := v.EmitLag(); ok && lo > 0 && !v.IsSQLScan() {
		add("age of the records read", int64(lo), true)
	}
	if b, ok := BoundOf(j, v); ok {
		name := "bound (inferred)"
		switch {
		case b.Declared:
			name = "bound (declared)"
		case b.Upper:
			name = "bound or age of the rows (inferred)"
		}
		add(name, b.Ms, b.Declared)
	}
	if ms, ok := allIdle(v, j); ok {
		add("no record for", ms, true)
	}
	h := j.HolderOf(v)
	if h.Split == nil {
		return
	}
	own, ok := h.Split.Watermark.Now.Millis()
	newest, known := v.NewestOrdinary(j).Millis()
	if !ok || !known {
		return
	}
	name := "split " + h.Split.ID + " behind its siblings"
	if h.Split.Watermark.Frozen() {
		name = "silence of split " + h.Split.ID
	}
	add(name, newest-own, true)
}

// allIdle is how long every subtask that holds event time has read nothing, ms of wall clock: the age of
// the records stops there, and the lag grows on. Where one still reads it is the silence of a split.
func allIdle(v *model.Vertex, j *model.Job) (int64, bool) {
	least, any := int64(math.MaxInt64), false
	for _, s := range v.Subtasks {
		if out := s.Out(); !out.Now.Readable() || !j.Holds(s, out) {
			continue
		}
		if !s.IdlePolls() {
			return 0, false
		}
		idle, _ := s.SourceIdle.Value() // idlePolls has read it
		least, any = min(least, int64(idle)), true
	}
	return least, any
}
