package measure

import (
	"math/bits"
)

// tally counts disorder by step in flat arrays, for the current hour of a partition: a map
// look-up and a handful of divisions per record would cost more than all histograms together.
type tally struct {
	small   [100]uint64              // steps 1 to 99
	decades [decades]*[decade]uint64 // decade k holds the steps 10, 11 ... 99 times 10^(k+1)
	used    bool
}

const (
	decade  = 90
	decades = 15 // steps below 10^17 ms, some three million years
)

// powers are 10^0 to 10^17.
var powers = func() (p [18]uint64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = 10 * p[i-1]
	}
	return p
}()

// digits is the number of decimal digits of v, 1 <= v < 10^17.
func digits(v uint64) int {
	// 1233/4096 is just above log10(2): the guess is right or one too large.
	n := bits.Len64(v) * 1233 >> 12
	if v >= powers[n] {
		n++
	}
	return n
}

// add counts a positive disorder and reports whether it could: the caller handles one larger than
// any step kept here.
func (t *tally) add(disorder int64) bool {
	v := uint64(disorder)
	if v < 100 {
		t.small[v]++
		t.used = true
		return true
	}
	if v >= powers[17] {
		return false
	}
	k := digits(v) - 2
	unit := powers[k]
	up := v / unit
	if up*unit != v {
		up++
	}
	if up == 100 {
		up, k = 10, k+1
	}
	if k > decades {
		return false
	}
	page := t.decades[k-1]
	if page == nil {
		page = new([decade]uint64)
		t.decades[k-1] = page
	}
	page[up-10]++
	t.used = true
	return true
}

// into moves the counts to the steps of an hour.
func (t *tally) into(s Steps) {
	if !t.used {
		return
	}
	for step, n := range t.small {
		if n > 0 {
			s[int64(step)] += n
		}
	}
	for k, page := range t.decades {
		if page == nil {
			continue
		}
		for i, n := range page {
			if n > 0 {
				s[int64(i+10)*int64(powers[k+1])] += n
			}
		}
		clear(page[:])
	}
	clear(t.small[:])
	t.used = false
}
