package whatif

import (
	"tidemark/engine"
	"tidemark/kafkastats/hist"
)

// tally counts what an operator of the twin did in a period, epoch ms.
type tally struct {
	fromMs, toMs int64
	windows      map[span]int64 // time of the first firing of each window, of any key
	rows         int64          // first firings, one per key and window
	again        int64          // later firings, for late records
	lost         int64          // dropped records
	firstMs      int64          // time of the first firing
	latestMs     int64
	latency      hist.Histogram // firing minus end of the window, ms
}

type span struct{ start, end int64 }

func (h *tally) judged(at int64) bool { return at >= h.fromMs && at < h.toMs }

func (h *tally) fired(f engine.Fired) {
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

func (h *tally) dropped(at int64) {
	if h.judged(at) {
		h.lost++
	}
}
