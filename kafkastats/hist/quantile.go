package hist

// Above is the number of values > v: exact at bucket tops and with an exact histogram; otherwise
// the count at the next lower edge, which is never too small.
func (h *Histogram) Above(v int64) uint64 {
	if h.n == 0 || v >= h.max {
		return 0
	}
	if v < h.min {
		return h.n
	}
	if h.Exact() {
		return h.exact.above(v)
	}
	var sum uint64
	if v >= 0 {
		h.pos.eachDown(func(i int, n uint64) bool {
			if Top(i) <= uint64(v) {
				return false
			}
			sum += n
			return true
		})
		return sum
	}
	sum = h.n - h.Negative()
	h.neg.each(func(i int, n uint64) bool {
		// A bucket of magnitudes [bottom, top] has values above v if its bottom is below -v.
		if Bottom(i) >= uint64(-v) {
			return false
		}
		sum += n
		return true
	})
	return sum
}

// SmallestWithAbove is the smallest delay x such that at most k values are > x: the value of rank
// k+1 from the top (nearest rank, no interpolation), rounded up to the top of its bucket, so it
// is never below the exact answer and at most 1/128 above it. ok is false if the histogram has at
// most k values: then any x would do.
func (h *Histogram) SmallestWithAbove(k uint64) (x int64, ok bool) {
	if h.n <= k {
		return 0, false
	}
	if h.Exact() {
		return h.exact.fromTop(k), true
	}
	left := k
	found := false
	h.pos.eachDown(func(i int, n uint64) bool {
		if n > left {
			x, found = int64(Top(i)), true
			return false
		}
		left -= n
		return true
	})
	if found {
		return min(x, h.max), true
	}
	if h.zero > left {
		return 0, true
	}
	left -= h.zero
	h.neg.each(func(i int, n uint64) bool {
		if n > left {
			x = -int64(Bottom(i))
			return false
		}
		left -= n
		return true
	})
	return min(x, h.max), true
}

// Quantile is the nearest-rank quantile for num/den (p99.9 is 999, 1000); 0 when empty.
func (h *Histogram) Quantile(num, den uint64) int64 {
	if h.n == 0 {
		return 0
	}
	x, ok := h.SmallestWithAbove(mulDiv(h.n, den-min(num, den), den))
	if !ok {
		return h.min
	}
	return x
}

// EachAbove visits the values > 0 from the top as (upper edge, lower edge, count) until yield
// returns false. For an exact histogram both edges are the value itself.
func (h *Histogram) EachAbove(yield func(top, bottom int64, n uint64) bool) {
	if h.Exact() {
		larger := uint64(0)
		for _, r := range h.exact.ranked() {
			if r.value <= 0 || !yield(r.value, r.value, r.from-larger) {
				return
			}
			larger = r.from
		}
		return
	}
	h.pos.eachDown(func(i int, n uint64) bool { return yield(min(int64(Top(i)), h.max), int64(Bottom(i)), n) })
}
