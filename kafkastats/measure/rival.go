package measure

import (
	"tidemark/kafkastats/hist"
	"tidemark/kafkastats/record"
)

// Rival measures the disorder of another field besides the chosen one, so that the delays that
// both need can be compared.
type Rival struct {
	Own     hist.Histogram // disorder, over records that have a running maximum
	Age     hist.Histogram // arrival - event time
	Records uint64         // with an event time that is not stamped in the future
	Ahead   uint64         // stamped in the future
	Without uint64         // without an event time
	tops    maxima
}

// maxima are the running maxima of the partitions, for statistics outside the measurement.
type maxima map[int32]int64

// meet returns how far a point is behind its partition and raises that partition's maximum; seen
// is false for the first point of a partition.
func (m *maxima) meet(p record.Point) (disorder int64, seen bool) {
	if *m == nil {
		*m = maxima{}
	}
	top, seen := (*m)[p.Partition]
	if !seen || p.Event > top {
		(*m)[p.Partition] = p.Event
	}
	return sub(top, p.Event), seen
}

// ahead reports whether a point is stamped in the future.
func ahead(p record.Point, futureMs int64) bool {
	return p.Type != record.NoTimestamp && sub(p.Event, p.Arrival) > futureMs
}

// Add counts one point; partitions may interleave, each in order of offset.
func (r *Rival) Add(p record.Point, futureMs int64) {
	if p.State != record.Usable || sentinel(p) {
		if !p.PreRoll && p.State != record.Tombstone && p.State != record.Snapshot {
			r.Without++
		}
		return
	}
	if ahead(p, futureMs) {
		r.Ahead++
		return
	}
	disorder, seen := r.tops.meet(p)
	if p.PreRoll {
		return
	}
	r.Records++
	if p.Type != record.NoTimestamp {
		r.Age.Add(sub(p.Arrival, p.Event))
	}
	if seen {
		r.Own.Add(disorder)
	}
}

// Cut resets the running maxima: another segment follows.
func (r *Rival) Cut() { clear(r.tops) }
