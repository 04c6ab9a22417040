package job

import "fmt"

// ID is the split as its reader names it.
func (s Split) ID() string { return fmt.Sprintf("%s-%d", s.Topic, s.Partition) }

// Record is one record of a split.
type Record struct {
	ArrivalMs int64 // wall clock from which it can be read
	EventMs   int64
	Key       int64
}

// Records is what a split holds, in the order in which it is read. Every cursor gives the same.
type Records interface{ Cursor() Cursor }

// Cursor gives one record after the other; ok is false at the end.
type Cursor interface{ Next() (r Record, ok bool) }

// Arrived counts the records that have arrived by a time (epoch ms). Records may say so themselves, by a
// method of the same name; else they are counted.
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
