package hist

import "math"

// Histogram counts signed integer milliseconds. Zero has its own counter (a tie is late in SQL
// and not in the DataStream API); negative values are counted by magnitude. The zero value is
// empty and ready. It is not safe for concurrent use.
type Histogram struct {
	n, zero  uint64
	min, max int64
	pos, neg counts
	exact    *exact
}

// Add counts one value. math.MinInt64 is counted as -math.MaxInt64: it has no magnitude.
func (h *Histogram) Add(v int64) {
	// A dozen values are added per record, nearly always between those seen before and on an
	// existing page: this path takes a third of the time of AddN.
	if v > h.min && v < h.max && h.exact == nil {
		switch {
		case v > 0:
			if h.pos.hit(uint64(v), 1) {
				h.n++
				return
			}
		case v < 0:
			if h.neg.hit(uint64(-v), 1) {
				h.n++
				return
			}
		default:
			h.n++
			h.zero++
			return
		}
	}
	h.AddN(v, 1)
}

// AddN counts a value n times; n = 0 changes nothing.
func (h *Histogram) AddN(v int64, n uint64) {
	if n == 0 {
		return
	}
	if v == math.MinInt64 {
		v = -math.MaxInt64
	}
	if h.n == 0 || v < h.min {
		h.min = v
	}
	if h.n == 0 || v > h.max {
		h.max = v
	}
	h.n += n
	switch {
	case v > 0:
		h.pos.add(Index(uint64(v)), n)
	case v < 0:
		h.neg.add(Index(uint64(-v)), n)
	default:
		h.zero += n
	}
	if h.exact != nil {
		h.exact.add(v, n)
	}
}

// Merge adds the counts of o. The result is the histogram of both inputs together, whatever the
// order of merging; it stays exact only if both sides are.
func (h *Histogram) Merge(o *Histogram) {
	if o == nil || o.n == 0 {
		return
	}
	switch {
	case h.n == 0:
		h.min, h.max = o.min, o.max
		if o.Exact() && h.exact == nil {
			h.exact = newExact(o.exact.budget)
		}
	default:
		h.min, h.max = min(h.min, o.min), max(h.max, o.max)
	}
	switch {
	case h.exact == nil:
	case !o.Exact():
		h.exact.drop()
		h.exact = nil
	default:
		for v, n := range o.exact.counts {
			h.exact.add(v, n)
		}
	}
	h.n += o.n
	h.zero += o.zero
	o.pos.each(func(i int, n uint64) bool { h.pos.add(i, n); return true })
	o.neg.each(func(i int, n uint64) bool { h.neg.add(i, n); return true })
}

// Clone is an independent copy.
func (h *Histogram) Clone() *Histogram {
	c := &Histogram{}
	if h.Exact() {
		c.exact = newExact(h.exact.budget) // even if empty: later values must stay exact
	}
	c.Merge(h)
	return c
}

// Pack trades speed of the next Add for memory.
func (h *Histogram) Pack() { h.pos.pack(); h.neg.pack() }

// Count is the number of values added.
func (h *Histogram) Count() uint64 { return h.n }

// Zero is the number of values equal to 0.
func (h *Histogram) Zero() uint64 { return h.zero }

// Positive is the number of values above 0.
func (h *Histogram) Positive() uint64 { return h.n - h.zero - h.Negative() }

// Negative is the number of values below 0.
func (h *Histogram) Negative() uint64 {
	var sum uint64
	h.neg.each(func(_ int, n uint64) bool { sum += n; return true })
	return sum
}

// Min and Max are exact; both are 0 for an empty histogram.
func (h *Histogram) Min() int64 { return h.min }

// Max is the largest value seen. It is not a bound on values not seen.
func (h *Histogram) Max() int64 { return h.max }

// AddRange counts each integer in [lo, hi) once, in time proportional to the number of buckets.
func (h *Histogram) AddRange(lo, hi int64) {
	for lo < hi {
		if lo > 0 && lo > h.min && lo <= h.max && h.exact == nil {
			if end := int64(h.pos.hitRange(uint64(lo), uint64(min(hi-1, h.max)+1))); end > lo {
				h.n += uint64(end - lo)
				lo = end
				continue
			}
		}
		end := hi
		switch {
		case lo >= 0:
			end = min(hi-1, int64(Top(Index(uint64(lo))))) + 1
		case lo < 0:
			end = min(hi, 1-int64(Bottom(Index(uint64(-lo)))))
		}
		h.AddN(lo, uint64(end-lo))
		h.max = max(h.max, end-1)
		lo = end
	}
}
