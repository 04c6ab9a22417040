package hist

import "slices"

// counts holds one sign of a histogram: few buckets as a sorted list, many or busy ones in pages of 128 that
// appear when first touched. A topic of 100,000 partitions has a million histograms, nearly all of them of a
// few buckets; a cold histogram is packed into the list again, since a profile keeps thousands of hours.
type counts struct {
	hot    *[pages]*[pageSize]uint64
	packed []pair
	adds   uint16 // to the list
}

type pair struct {
	index int
	n     uint64
}

const (
	// fewPairs and fewAdds are the limits up to which the list is as fast as pages.
	fewPairs = 16
	fewAdds  = 512
)

func (c *counts) add(index int, n uint64) {
	if c.hot == nil {
		at, found := slices.BinarySearchFunc(c.packed, index, func(p pair, i int) int { return p.index - i })
		switch {
		case c.adds >= fewAdds || !found && len(c.packed) >= fewPairs:
			c.unpack()
		case found:
			c.adds++
			c.packed[at].n += n
			return
		default:
			c.adds++
			c.packed = slices.Insert(c.packed, at, pair{index, n})
			return
		}
	}
	p := c.hot[index>>SubBits]
	if p == nil {
		p = new([pageSize]uint64)
		c.hot[index>>SubBits] = p
	}
	p[index&(pageSize-1)] += n
}

// hit counts a magnitude if its page exists, and reports whether it did.
func (c *counts) hit(v, n uint64) bool {
	if c.hot == nil {
		return false
	}
	index := Index(v)
	p := c.hot[index>>SubBits]
	if p == nil {
		return false
	}
	p[index&(pageSize-1)] += n
	return true
}

// hitRange counts each magnitude in [lo, hi) once, as far as the page of lo reaches, and returns the first that it did
// not count: lo if the page does not exist.
func (c *counts) hitRange(lo, hi uint64) uint64 {
	if c.hot == nil {
		return lo
	}
	index := Index(lo)
	page := c.hot[index>>SubBits]
	if page == nil {
		return lo
	}
	shift := max(index>>SubBits, 1) - 1 // a bucket of the page is 2^shift wide
	for s := index & (pageSize - 1); s < pageSize && lo < hi; s++ {
		end := min(hi, (lo>>shift+1)<<shift)
		page[s] += end - lo
		lo = end
	}
	return lo
}

func (c *counts) pack() {
	c.adds = 0
	if c.hot == nil {
		return
	}
	packed := make([]pair, 0, 16)
	c.each(func(i int, n uint64) bool {
		packed = append(packed, pair{i, n})
		return true
	})
	c.hot, c.packed = nil, packed
}

func (c *counts) unpack() {
	packed := c.packed
	c.packed, c.hot = nil, new([pages]*[pageSize]uint64)
	for _, p := range packed {
		c.add(p.index, p.n)
	}
}

// each visits the non-empty buckets in rising order until yield returns false.
func (c *counts) each(yield func(index int, n uint64) bool) {
	if c.hot == nil {
		for _, p := range c.packed {
			if !yield(p.index, p.n) {
				return
			}
		}
		return
	}
	for k, page := range c.hot {
		if page == nil {
			continue
		}
		for s, n := range page {
			if n > 0 && !yield(k<<SubBits+s, n) {
				return
			}
		}
	}
}

// eachDown visits the non-empty buckets from the top.
func (c *counts) eachDown(yield func(index int, n uint64) bool) {
	if c.hot == nil {
		for i := len(c.packed) - 1; i >= 0; i-- {
			if !yield(c.packed[i].index, c.packed[i].n) {
				return
			}
		}
		return
	}
	for k := pages - 1; k >= 0; k-- {
		page := c.hot[k]
		if page == nil {
			continue
		}
		for s := pageSize - 1; s >= 0; s-- {
			if page[s] > 0 && !yield(k<<SubBits+s, page[s]) {
				return
			}
		}
	}
}
