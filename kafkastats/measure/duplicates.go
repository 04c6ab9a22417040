package measure

import (
	"hash/maphash"

	"tidemark/kafkastats/record"
)

const (
	// oneIn is the fraction of the event times that are examined: a record and its copy have the
	// same one.
	oneIn = 16
	// remembered is how many of the examined records back a copy is found.
	remembered = 1 << 16
)

// Duplicates counts records that repeat an earlier one of their partition byte for byte, key and
// value, with the same event time: a producer writes them when it retries after a lost answer, or
// a replay does.
type Duplicates struct {
	Looked, Found uint64
	seed          maphash.Seed
	known         map[uint64]struct{}
	ring          []uint64
	at            int
}

// Add examines a record and its point; those without a usable event time are skipped.
func (d *Duplicates) Add(r *record.Raw, p record.Point) {
	time := uint64(p.Event) * 0x9E3779B97F4A7C15
	if time>>60 != 0 || r.Value == nil || p.State != record.Usable || p.PreRoll || sentinel(p) {
		return
	}
	if d.known == nil {
		d.seed, d.known = maphash.MakeSeed(), map[uint64]struct{}{}
	}
	sum := maphash.Bytes(d.seed, r.Value) ^ maphash.Bytes(d.seed, r.Key)*oneIn ^ uint64(r.Partition) ^ time
	d.Looked++
	if _, again := d.known[sum]; again {
		d.Found++
		return
	}
	if len(d.ring) < remembered {
		d.ring = append(d.ring, sum)
	} else {
		delete(d.known, d.ring[d.at])
		d.ring[d.at] = sum
		d.at = (d.at + 1) % remembered
	}
	d.known[sum] = struct{}{}
}
