package hist

import (
	"cmp"
	"math/big"
	"slices"
	"sort"
)

// Budget limits the distinct values that all exact histograms of one measurement hold together.
type Budget struct {
	Left      int
	Exhausted bool
}

// DefaultBudget keeps exact counting under some 60 MB, and 16 MB more once every value is ranked.
const DefaultBudget = 1_000_000

// exact counts every value separately while the budget lasts.
type exact struct {
	counts map[int64]uint64
	budget *Budget
	ranks  []rank // the counts in falling order of their values; nil after a change
}

// rank is a value with the number of values that are at least as large.
type rank struct {
	value int64
	from  uint64
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
	e.ranks = nil
}

func (e *exact) drop() {
	e.budget.Left += len(e.counts)
	e.counts, e.ranks = nil, nil
}

// ranked sorts the counts once for all questions between two changes.
func (e *exact) ranked() []rank {
	if e.ranks != nil {
		return e.ranks
	}
	e.ranks = make([]rank, 0, len(e.counts))
	for v := range e.counts {
		e.ranks = append(e.ranks, rank{value: v})
	}
	slices.SortFunc(e.ranks, func(a, b rank) int { return cmp.Compare(b.value, a.value) })
	sum := uint64(0)
	for i := range e.ranks {
		sum += e.counts[e.ranks[i].value]
		e.ranks[i].from = sum
	}
	return e.ranks
}

func (e *exact) above(v int64) uint64 {
	ranks := e.ranked()
	i := sort.Search(len(ranks), func(i int) bool { return ranks[i].value <= v })
	if i == 0 {
		return 0
	}
	return ranks[i-1].from
}

// fromTop is the value of rank k+1 from the largest down; the smallest where there are no more than k.
func (e *exact) fromTop(k uint64) int64 {
	ranks := e.ranked()
	i := sort.Search(len(ranks), func(i int) bool { return ranks[i].from > k })
	return ranks[min(i, len(ranks)-1)].value
}

// mulDiv is floor(a*num/den) without overflow: a target of 0.1 % of 10^16 must not be off by one.
func mulDiv(a, num, den uint64) uint64 {
	x := new(big.Int).SetUint64(a)
	x.Mul(x, new(big.Int).SetUint64(num))
	x.Div(x, new(big.Int).SetUint64(den))
	return x.Uint64()
}
