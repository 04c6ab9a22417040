package hist

// counts holds one sign of a histogram. Pages of 128 buckets appear when first touched; a cold
// histogram is packed into pairs, since a profile keeps thousands of hours in memory.
type counts struct {
	hot    [pages]*[pageSize]uint64
	packed []pair
}

type pair struct {
	index int
	n     uint64
}

func (c *counts) add(index int, n uint64) {
	if c.packed != nil {
		c.unpack()
	}
	p := c.hot[index>>SubBits]
	if p == nil {
		p = new([pageSize]uint64)
		c.hot[index>>SubBits] = p
	}
	p[index&(pageSize-1)] += n
}

// hit counts a magnitude when its page is hot, and says whether it was. Packed counts have no hot page.
func (c *counts) hit(v, n uint64) bool {
	index := Index(v)
	p := c.hot[index>>SubBits]
	if p == nil {
		return false
	}
	p[index&(pageSize-1)] += n
	return true
}

func (c *counts) pack() {
	if c.packed != nil {
		return
	}
	packed := make([]pair, 0, 16)
	c.each(func(i int, n uint64) bool {
		packed = append(packed, pair{i, n})
		return true
	})
	c.hot = [pages]*[pageSize]uint64{}
	c.packed = packed
}

func (c *counts) unpack() {
	packed := c.packed
	c.packed = nil
	for _, p := range packed {
		c.add(p.index, p.n)
	}
}

// each walks the non-empty buckets in rising order until yield says stop.
func (c *counts) each(yield func(index int, n uint64) bool) {
	if c.packed != nil {
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

// eachDown walks the non-empty buckets from the top.
func (c *counts) eachDown(yield func(index int, n uint64) bool) {
	if c.packed != nil {
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
