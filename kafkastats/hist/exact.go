package hist

import (
	"math/big"
	"slices"
)

// Budget limits the distinct values that all exact histograms of one measurement hold together.
type Budget struct {
	Left      int
	Exhausted bool
}

// DefaultBudget keeps exact counting under some 60 MB.
const DefaultBudget = 1_000_000

// exact counts every value separately while the budget lasts.
type exact struct {
	counts map[int64]uint64
	budget *Budget
}

// NewExact makes an empty histogram that also counts every distinct value, until the budget
// shared with its siblings is used up; then it answers from its buckets.
func NewExact(b *Budget) *Histogram { return &Histogram{exact: newExact(b)} }

func newExact(b *Budget) *exact { return &exact{counts: map[int64]uint64{}, budget: b} }

// Exact reports whether every distinct value is still known.
func (h *Histogram) Exact() bool { return h.exact != nil && h.exact.counts != nil }

func (e *exact) add(v int64, n uint64) {
	if e.counts == nil {
		return
	}
	if _, seen := e.counts[v]; !seen {
		if e.budget.Left <= 0 {
			e.budget.Exhausted = true
			e.drop()
			return
		}
		e.budget.Left--
	}
	e.counts[v] += n
}

func (e *exact) drop() {
	e.budget.Left += len(e.counts)
	e.counts = nil
}

func (e *exact) above(v int64) uint64 {
	var sum uint64
	for x, n := range e.counts {
		if x > v {
			sum += n
		}
	}
	return sum
}

func (e *exact) sortedDown() []int64 {
	values := make([]int64, 0, len(e.counts))
	for v := range e.counts {
		values = append(values, v)
	}
	slices.Sort(values)
	slices.Reverse(values)
	return values
}

// fromTop is the value of rank k+1 from the largest down.
func (e *exact) fromTop(k uint64) int64 {
	var last int64
	for _, v := range e.sortedDown() {
		last = v
		if e.counts[v] > k {
			break
		}
		k -= e.counts[v]
	}
	return last
}

// mulDiv is floor(a*num/den) without overflow: a target of 0.1 % of 10^16 must not be off by one.
func mulDiv(a, num, den uint64) uint64 {
	x := new(big.Int).SetUint64(a)
	x.Mul(x, new(big.Int).SetUint64(num))
	x.Div(x, new(big.Int).SetUint64(den))
	return x.Uint64()
}
