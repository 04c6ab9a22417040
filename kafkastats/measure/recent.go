package measure

import (
	"encoding/json"
	"fmt"
	"slices"
)

// recentSize is the memory of Confluent's default estimator, in events per partition.
const recentSize = 5000

// Recent keeps the disorder of the last 5000 events of a partition in order of offset, as
// Confluent Cloud's SOURCE_WATERMARK() does.
type Recent struct {
	Seen   uint64
	values []recent // a ring once full; next is its oldest entry
	next   int
}

// recent has the offset so that pieces of a partition can be merged in any order.
type recent struct{ offset, disorder int64 }

func (r *Recent) add(disorder, offset int64) {
	r.Seen++
	v := recent{offset, max(0, disorder)}
	if len(r.values) < recentSize {
		r.values = append(r.values, v)
		return
	}
	r.values[r.next] = v
	if r.next++; r.next == recentSize {
		r.next = 0
	}
}

// ordered returns the values, oldest first.
func (r *Recent) ordered() []recent {
	return append(slices.Clone(r.values[r.next:]), r.values[:r.next]...)
}

// Merge keeps the last values of both, in whatever order they are merged.
func (r *Recent) Merge(o *Recent) {
	if o.Seen == 0 {
		return
	}
	all := append(r.ordered(), o.ordered()...)
	order := func(a, b recent) int {
		if c := compare(a.offset, b.offset); c != 0 {
			return c
		}
		return compare(a.disorder, b.disorder)
	}
	if !slices.IsSortedFunc(all, order) { // the flushes of a profile usually are
		slices.SortFunc(all, order)
	}
	*r = Recent{Seen: r.Seen + o.Seen, values: slices.Clone(all[max(0, len(all)-recentSize):])}
}

// Confluent is the delay that the default estimator would have chosen for this partition, ms: the
// 95 % quantile of the last 5000 events, at least 50 ms and at most 7 days, plus the margin of
// its warm-up. Its own buckets round up by as much as 22 %.
func (r *Recent) Confluent() int64 {
	const day = 24 * HourMs
	var margin int64
	switch {
	case r.Seen <= 250:
		margin = 7 * day
	case r.Seen <= 500:
		margin = 30_000
	case r.Seen <= 750:
		margin = 10_000
	case r.Seen <= 1000:
		margin = 1000
	}
	var q int64
	if n := len(r.values); n > 0 {
		sorted := make([]int64, 0, n)
		for _, v := range r.values {
			sorted = append(sorted, v.disorder)
		}
		slices.Sort(sorted)
		q = sorted[(n*95+99)/100-1]
	}
	return min(max(q, 50)+margin, 7*day)
}

type recentWire struct {
	Seen   uint64  `json:"seen"`
	Values []int64 `json:"values"` // offset (the first absolute, then differences) and disorder alternately
}

// MarshalJSON writes the values oldest first.
func (r Recent) MarshalJSON() ([]byte, error) {
	w, last := recentWire{Seen: r.Seen, Values: make([]int64, 0, 2*len(r.values))}, int64(0)
	for _, v := range r.ordered() {
		w.Values = append(w.Values, v.offset-last, v.disorder)
		last = v.offset
	}
	return json.Marshal(w)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (r *Recent) UnmarshalJSON(b []byte) error {
	var w recentWire
	if err := json.Unmarshal(b, &w); err != nil {
		return fmt.Errorf("recent disorder: %w", err)
	}
	if n := len(w.Values); n%2 != 0 || n > 2*recentSize || uint64(n/2) > w.Seen {
		return fmt.Errorf("recent disorder: %d numbers, two a value, %d seen", n, w.Seen)
	}
	out, offset := Recent{Seen: w.Seen}, int64(0)
	for i := 0; i < len(w.Values); i += 2 {
		if w.Values[i+1] < 0 {
			return fmt.Errorf("recent disorder: %d is negative", w.Values[i+1])
		}
		offset += w.Values[i]
		out.values = append(out.values, recent{offset, w.Values[i+1]})
	}
	*r = out
	return nil
}

func compare(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
