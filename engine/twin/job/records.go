package job

import "fmt"

// ID is the split as its reader names it.
func (s Split) ID() string { return fmt.Sprintf("%s-%d", s.Topic, s.Partition) }

// Record is one record of a split.
type Record struct {
	ArrivalMs int64 // wall clock from which the record can be read
	EventMs   int64
	Key       int64
}

// Records is the content of a split, in reading order. Every cursor returns the same records.
type Records interface{ Cursor() Cursor }

// Cursor returns one record after the other; ok is false at the end.
type Cursor interface{ Next() (r Record, ok bool) }

// Arrived counts the records that have arrived by ms (epoch ms). It uses the Arrived method of
// records that have one; otherwise it counts.
func Arrived(r Records, ms int64) int64 {
	if own, ok := r.(interface{ Arrived(ms int64) int64 }); ok {
		return own.Arrived(ms)
	}
	n := int64(0)
	for c := r.Cursor(); ; n++ {
		if one, ok := c.Next(); !ok || one.ArrivalMs > ms {
			return n
		}
	}
}
