package engine

// Watermark advances event time: windows fire in order of their ends, then of their first
// records. A watermark that does not advance changes nothing.
func (w *Window) Watermark(ts int64) {
	if ts <= w.watermark {
		return
	}
	w.watermark, w.last = ts, nil
	for {
		p := w.timers.top()
		if p == nil || p.due > ts {
			return
		}
		if p.dead {
			w.timers.pop()
			w.dead--
			continue
		}
		if p.due == p.maxTimestamp() {
			w.fire(p)
		}
		if cleanup := w.cleanup(p.span); cleanup > p.due {
			p.due = cleanup
			w.timers.fix()
			continue
		} else if cleanup == End && p.due == End {
			return
		}
		w.timers.pop()
		w.forget(p)
	}
}

func (w *Window) forget(p *pane) {
	if w.spec.Shape == Session {
		w.forgetSession(p)
	} else {
		delete(w.panes, p.paneKey)
	}
	w.free = append(w.free, p)
}
