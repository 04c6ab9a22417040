package measure

import (
	"tidemark/kafkastats/hist"
	"tidemark/kafkastats/record"
)

// Rival measures the disorder of another field beside the one that is measured in full, so that the
// needs of both can be compared.
type Rival struct {
	Own     hist.Histogram // disorder, over records that have a running maximum
	Age     hist.Histogram // arrival - event time
	Records uint64         // with an event time that is not stamped in the future
	Ahead   uint64         // stamped in the future
	Without uint64         // without an event time
	tops    map[int32]int64
}

// Add counts one point; partitions may interleave, each in order of offset.
func (r *Rival) Add(p record.Point, futureMs int64) {
	if p.State != record.Usable || sentinel(p) {
		if !p.PreRoll && p.State != record.Tombstone && p.State != record.Snapshot {
			r.Without++
		}
		return
	}
	if p.Type != record.NoTimestamp && sub(p.Event, p.Arrival) > futureMs {
		r.Ahead++
		return
	}
	if r.tops == nil {
		r.tops = map[int32]int64{}
	}
	top, seen := r.tops[p.Partition]
	if !seen || p.Event > top {
		r.tops[p.Partition] = p.Event
	}
	if p.PreRoll {
		return
	}
	r.Records++
	if p.Type != record.NoTimestamp {
		r.Age.Add(sub(p.Arrival, p.Event))
	}
	if seen {
		r.Own.Add(sub(top, p.Event))
	}
}

// Cut forgets the running maxima: what follows is another segment.
func (r *Rival) Cut() { clear(r.tops) }
