package measure

import (
	"fmt"
	"slices"
)

// recentSize is the memory of Confluent's default estimator, in events per partition.
const recentSize = 5000

// Recent keeps the disorder of the last 5000 events of a partition in order of arrival, as
// Confluent Cloud's SOURCE_WATERMARK() does.
type Recent struct {
	Seen   uint64  `json:"seen"`
	Values []int64 `json:"values"` // a ring once full; Next is its oldest entry
	Next   int     `json:"next"`
	LastAt int64   `json:"last_at"` // arrival of the newest, to order two of them when merging
}

func (r *Recent) add(disorder, at int64) {
	r.Seen++
	r.LastAt = max(r.LastAt, at)
	disorder = max(0, disorder)
	if len(r.Values) < recentSize {
		r.Values = append(r.Values, disorder)
		return
	}
	r.Values[r.Next] = disorder
	if r.Next++; r.Next == recentSize {
		r.Next = 0
	}
}

// ordered gives the values oldest first.
func (r *Recent) ordered() []int64 {
	return append(slices.Clone(r.Values[r.Next:]), r.Values[:r.Next]...)
}

// Merge continues the older of the two with the newer.
func (r *Recent) Merge(o *Recent) {
	old, young := r, o
	if old.LastAt > young.LastAt || old.LastAt == young.LastAt && slices.Compare(old.ordered(), young.ordered()) > 0 {
		old, young = young, old
	}
	values := append(old.ordered(), young.ordered()...)
	values = values[max(0, len(values)-recentSize):]
	*r = Recent{Seen: r.Seen + o.Seen, Values: values, LastAt: young.LastAt}
}

// Confluent is the delay the default estimator would have arrived at for this partition, in ms:
// the 95 % quantile of the last 5000 events, at least 50 ms and at most 7 days, plus the margin
// of its warm-up. Its own buckets round up by as much as 22 %.
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
	if n := len(r.Values); n > 0 {
		sorted := slices.Sorted(slices.Values(r.Values))
		q = sorted[(n*95+99)/100-1]
	}
	return min(max(q, 50)+margin, 7*day)
}

func (r *Recent) check() error {
	if len(r.Values) > recentSize || r.Next < 0 || r.Next > 0 && r.Next >= len(r.Values) || uint64(len(r.Values)) > r.Seen {
		return fmt.Errorf("recent disorder: %d values, next %d, %d seen", len(r.Values), r.Next, r.Seen)
	}
	return nil
}
