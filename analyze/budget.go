package analyze

import "math"

// budget splits a vertex's event-time lag into parts along the path to who holds it. Parts are ms;
// what no part explains is shown as "unexplained". Certain parts are read, the others inferred.
func (j *Job) budget(v *Vertex, lag int64) []BudgetPart {
	parts := []BudgetPart{}
	add := func(part string, ms int64, certain bool) {
		if ms > 0 {
			parts = append(parts, BudgetPart{part, ms, certain})
		}
	}
	src := v
	for steps := 0; steps <= len(j.Vertices); steps++ {
		if q, from, ok := queueLag(src); ok {
			add("queue before "+quoteName(src.Name), q, true)
			for _, op := range from.Chain {
				if hold, ok := HoldOf(op); ok {
					if trail, ok := trailOf(op); ok {
						add("hold of "+quoteName(op.Name), min(trail, hold), true)
					}
				}
			}
		}
		next := minUpstream(src)
		if next == nil {
			break
		}
		src = next
	}
	if src.IsSource() {
		parts = append(parts, j.sourceParts(src)...)
	}
	sum := int64(0)
	for _, p := range parts {
		sum += p.Ms
	}
	if rest := lag - sum; rest != 0 {
		parts = append(parts, BudgetPart{"unexplained", rest, false})
	}
	return parts
}

// sourceParts are the age of the records read, the bound, and how far the split that holds the
// minimum is behind the newest.
func (j *Job) sourceParts(v *Vertex) []BudgetPart {
	if v.parts == nil { // the same for everything downstream
		v.parts = []BudgetPart{}
		j.addSourceParts(v, func(part string, ms int64, certain bool) {
			if ms > 0 {
				v.parts = append(v.parts, BudgetPart{part, ms, certain})
			}
		})
	}
	return v.parts
}

func (j *Job) addSourceParts(v *Vertex, add func(string, int64, bool)) {
	if lo, _, ok := v.emitLag(); ok && lo > 0 && !v.isSQLScan() {
		add("age of the records read", int64(lo), true)
	}
	if b, ok := j.boundOf(v); ok {
		name := "bound (inferred)"
		switch {
		case b.Declared:
			name = "bound (declared)"
		case b.Upper:
			name = "bound or age of the rows (inferred)"
		}
		add(name, b.Ms, b.Declared)
	}
	if ms, ok := v.allIdle(j); ok {
		add("no record for", ms, true)
	}
	h := j.holderOf(v)
	if h.split == nil {
		return
	}
	own, ok := h.split.Watermark.Now.Millis()
	newest, known := v.newestOrdinary(j).Millis()
	if !ok || !known {
		return
	}
	name := "split " + h.split.ID + " behind its siblings"
	if h.split.Watermark.Frozen() {
		name = "silence of split " + h.split.ID
	}
	add(name, newest-own, true)
}

// allIdle is how long every subtask that holds event time has read nothing, ms of wall clock: the age of
// the records stops there, and the lag grows on. Where one still reads it is the silence of a split.
func (v *Vertex) allIdle(j *Job) (int64, bool) {
	least, any := int64(math.MaxInt64), false
	for _, s := range v.Subtasks {
		if out := s.Out(); !out.Now.Readable() || !j.holds(s, out) {
			continue
		}
		if !s.idlePolls() {
			return 0, false
		}
		idle, _ := s.SourceIdle.Value() // idlePolls has read it
		least, any = min(least, int64(idle)), true
	}
	return least, any
}
