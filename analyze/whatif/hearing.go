package whatif

import (
	"tidemark/engine"
	"tidemark/kafkastats/hist"
)

// hearing is what an operator of the twin did in the time that is judged.
type hearing struct {
	fromMs, toMs int64
	windows      map[span]int64 // first firing of each window, whatever its key
	rows         int64          // firings, each key its own
	again        int64
	lost         int64
	firstMs      int64
	latestMs     int64
	latency      hist.Histogram
}

type span struct{ start, end int64 }

func (h *hearing) judged(at int64) bool { return at >= h.fromMs && at < h.toMs }

func (h *hearing) fired(f engine.Fired) {
	if !h.judged(f.At) {
		return
	}
	if f.Again {
		h.again++
		return
	}
	h.rows++
	if h.firstMs == 0 {
		h.firstMs = f.At
	}
	h.latestMs = f.At
	s := span{f.Start, f.End}
	if _, ok := h.windows[s]; !ok {
		if h.windows == nil {
			h.windows = map[span]int64{}
		}
		h.windows[s] = f.At
	}
	h.latency.Add(max(f.At-f.End, 0))
}

func (h *hearing) dropped(at int64) {
	if h.judged(at) {
		h.lost++
	}
}
