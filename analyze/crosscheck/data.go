package crosscheck

import (
	"sort"
)

// tailSize is how many records of a partition are kept one by one: far more than are read between
// two metric fetches.
const tailSize = 1 << 16

// futureMs is how far above its own arrival an event time must be to be called a record of the future.
const futureMs = 5 * 60_000

// PartitionData is what a topic's partition holds, up to what the job has read. Fill it with Add.
type PartitionData struct {
	Topic      string
	Partition  int32
	Start, End int64 // readable offsets [Start, End)
	Complete   bool  // read from Start on
	Records    int64
	Unusable   int64 // records without an event time
	NowMs      int64 // when the topic was read; arrivals far above it are not believed
	Tail       []DataRecord
	Future     *DataRecord // the first record that lifted the maximum far above its arrival
	Futures    int64
	newest     int64
	arrival    int64
}

// DataRecord is a record with its event time as the field gives it. Arrival is the largest Kafka
// timestamp up to it, Max the largest event time.
type DataRecord struct {
	Offset, Arrival, Event, Max int64
}

// Add takes the next record in offset order.
func (d *PartitionData) Add(offset, arrival, event int64) {
	if d.Records == 0 || event > d.newest {
		d.newest = event
	}
	known := arrival
	if d.NowMs > 0 && arrival > d.NowMs+futureMs { // a producer that stamps the poisoned event time
		known = d.arrival
		arrival = min(arrival, d.NowMs)
	}
	if d.Records == 0 || known > d.arrival {
		d.arrival = known
	}
	d.Records++
	r := DataRecord{Offset: offset, Arrival: d.arrival, Event: event, Max: d.newest}
	if event-arrival > futureMs {
		if d.Futures++; d.Future == nil {
			first := r
			first.Arrival = arrival
			d.Future = &first
		}
	}
	if len(d.Tail) == 2*tailSize {
		d.Tail = append(d.Tail[:0], d.Tail[tailSize:]...)
	}
	d.Tail = append(d.Tail, r)
}

// at is the index of the last kept record at or below an offset, -1 where none is.
func (d *PartitionData) at(offset int64) int {
	return sort.Search(len(d.Tail), func(i int) bool { return d.Tail[i].Offset > offset }) - 1
}

// window is the range of kept records [lo, hi] whose running maximum can have been the newest at an
// emission at most back ms before the record at offset was read, or ahead ms after. The record before
// the window counts: nothing may have been read in it.
func (d *PartitionData) window(offset, back, ahead int64) (lo, hi int, ok bool) {
	i := d.at(offset)
	if i < 0 {
		return 0, 0, false
	}
	at := d.Tail[i].Arrival
	lo = sort.Search(i, func(k int) bool { return d.Tail[k].Arrival > at-back })
	lo = max(lo-1, 0)
	hi = i + sort.Search(len(d.Tail)-i, func(k int) bool { return d.Tail[i+k].Arrival > at+ahead }) - 1
	return lo, max(hi, i), true
}

// Last is the newest record read, ok is false without any.
func (d *PartitionData) Last() (DataRecord, bool) {
	if len(d.Tail) == 0 {
		return DataRecord{}, false
	}
	return d.Tail[len(d.Tail)-1], true
}

// maxima are the distinct running maxima of the kept records lo to hi, oldest first.
func (d *PartitionData) maxima(lo, hi int) []int64 {
	var out []int64
	for i := lo; i <= hi; i++ {
		if n := len(out); n == 0 || out[n-1] != d.Tail[i].Max {
			out = append(out, d.Tail[i].Max)
		}
	}
	return out
}

// laterMaxima are the event times that are the maximum of all records from some offset up to one of
// lo to hi: what a reader that began there would have seen.
func (d *PartitionData) laterMaxima(lo, hi int) []int64 {
	seen := map[int64]bool{}
	var out []int64
	for end := lo; end <= hi; end++ {
		best := d.Tail[end].Event
		for i := end; i >= 0; i-- {
			if e := d.Tail[i].Event; i == end || e > best {
				best = e
				if !seen[best] {
					seen[best] = true
					out = append(out, best)
				}
			}
		}
	}
	return out
}

// speed is how many ms of arrivals passed in a ms of wall clock between two offsets; 1 at least.
func (d *PartitionData) speed(from, to float64, gapMs int64) float64 {
	a, b := d.at(int64(from)), d.at(int64(to))
	if gapMs <= 0 || a < 0 || b < 0 {
		return 1
	}
	return max(1, float64(d.Tail[b].Arrival-d.Tail[a].Arrival)/float64(gapMs))
}

// Partitions are the partitions of a source's topics in order.
func (s *CrossSource) Partitions() []*PartitionData {
	var out []*PartitionData
	for _, id := range sortedIDs(s.Data) {
		out = append(out, s.Data[id])
	}
	return out
}
