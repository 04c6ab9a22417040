package engine

import "fmt"

// session adds a record to its key's sessions, merging every session the
// record's own [ts, ts+gap) touches; it corresponds to MergingWindowSet and
// EventTimeTrigger.onMerge. A merged session whose end lies ahead fires (again)
// at that end; one whose end has passed, within the allowed lateness, fires now.
func (w *Window) session(key, ts int64) (bool, error) {
	w.spans = w.spec.assign(w.spans[:0], ts)
	merged := w.spans[0]
	var touching []*pane
	for _, p := range w.sessions[key] {
		if merged.start <= p.end && merged.end >= p.start {
			touching = append(touching, p)
			merged = span{min(merged.start, p.start), max(merged.end, p.end)}
		}
	}
	grown := len(touching) > 0 && (len(touching) > 1 || touching[0].span != merged)
	if grown && merged.maxTimestamp()+w.spec.LatenessMs <= w.watermark {
		return false, fmt.Errorf("the job fails in Flink here: session [%d,%d) with allowed lateness %d ms ends before watermark %d by merging, because the sum overflows",
			merged.start, merged.end, w.spec.LatenessMs, w.watermark)
	}
	if w.cleanup(merged) <= w.watermark {
		w.late.Missed++
		w.drop(key, ts)
		return false, nil
	}
	if len(touching) == 1 && !grown {
		w.add(touching[0], ts)
		return true, nil
	}
	p := w.newPane(paneKey{key, merged})
	for _, old := range touching {
		p.records += old.records
		p.late += old.late
		p.fired = p.fired || old.fired
		old.dead = true
		w.dead++
		w.removeSession(old)
	}
	w.sessions[key] = append(w.sessions[key], p)
	w.add(p, ts)
	return true, nil
}

func (w *Window) removeSession(p *pane) {
	list := w.sessions[p.key]
	for i, q := range list {
		if q == p {
			list = append(list[:i], list[i+1:]...)
			break
		}
	}
	if len(list) == 0 {
		delete(w.sessions, p.key)
		return
	}
	w.sessions[p.key] = list
}

func (w *Window) forgetSession(p *pane) { w.removeSession(p) }

// paneHeap orders panes by their next timer, then by their first record, so that the order of
// firing never depends on a map.
type paneHeap struct{ panes []*pane }

func (h *paneHeap) less(a, b *pane) bool {
	if a.due != b.due {
		return a.due < b.due
	}
	return a.order < b.order
}

func (h *paneHeap) top() *pane {
	if len(h.panes) == 0 {
		return nil
	}
	return h.panes[0]
}

func (h *paneHeap) push(p *pane) {
	h.panes = append(h.panes, p)
	for i := len(h.panes) - 1; i > 0; {
		parent := (i - 1) / 2
		if !h.less(h.panes[i], h.panes[parent]) {
			return
		}
		h.panes[i], h.panes[parent] = h.panes[parent], h.panes[i]
		i = parent
	}
}

// fix restores the order after the top's timer moved.
func (h *paneHeap) fix() {
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(h.panes); child++ {
			if h.less(h.panes[child], h.panes[least]) {
				least = child
			}
		}
		if least == i {
			return
		}
		h.panes[i], h.panes[least] = h.panes[least], h.panes[i]
		i = least
	}
}

func (h *paneHeap) pop() *pane {
	top := h.panes[0]
	last := len(h.panes) - 1
	h.panes[0] = h.panes[last]
	h.panes[last] = nil
	h.panes = h.panes[:last]
	h.fix()
	return top
}
