package whatif

import (
	"math"
	"sort"

	"tidemark/engine/twin/job"
)

// entry is a record of a split. arrival is the largest Kafka timestamp up to it, event its event time field, both epoch ms;
// key is its key as store.keyOf gives it.
type entry struct{ offset, arrival, event, key int64 }

// Log holds the newest records of a split, in the order of their offsets.
type Log struct {
	entries []entry
	most    int   // at least so many are kept, at most twice as many
	cut     bool  // older records were dropped
	top     int64 // largest event time of the dropped records
	last    int64 // event time of the last dropped record
}

func (l *Log) add(e entry) {
	if n := len(l.entries); n > 0 {
		e.arrival = max(e.arrival, l.entries[n-1].arrival)
		if n >= 2*l.most {
			l.drop(n - l.most)
		}
	}
	l.entries = append(l.entries, e)
}

// drop drops the first n records.
func (l *Log) drop(n int) {
	for _, e := range l.entries[:n] {
		if !l.cut || e.event > l.top {
			l.top, l.cut = e.event, true
		}
		l.last = e.event
	}
	l.entries = append(l.entries[:0], l.entries[n:]...)
}

// at is the index of the last record at or below an offset, -1 = none.
func (l *Log) at(offset int64) int {
	return sort.Search(len(l.entries), func(i int) bool { return l.entries[i].offset > offset }) - 1
}

// since is the index of the first record that arrived at or after a time, epoch ms.
func (l *Log) since(ms int64) int {
	return sort.Search(len(l.entries), func(i int) bool { return l.entries[i].arrival >= ms })
}

// view is the part of a log that a source of the twin reads, with event times as the job reads them. One record with the
// largest event time represents all records before it.
type view struct {
	log     *Log
	from    int   // index of the first record
	before  bool  // records were read before it
	top     int64 // their largest event time, as in the field
	startMs int64 // arrival of the record that represents them
	read    func(int64) int64
	endless bool // the reader has not finished when the records held end
}

// after is the view of a log from a time on, epoch ms, that leaves out offsets below first.
//
// The generator of SQL scans before 1.19.2 and 1.20.1 keeps the last event time, not the largest (FLINK-37025): with last
// set the last record represents those before.
func (l *Log) after(startMs int64, first int64, read func(int64) int64, last bool) view {
	v := view{log: l, from: l.since(startMs), startMs: startMs, read: read, before: l.cut && first <= 0, top: l.top}
	if last {
		v.top = l.last
	}
	if first > 0 {
		v.from = max(v.from, l.at(first-1)+1)
	}
	for _, e := range l.entries[:v.from] {
		if e.offset < first {
			continue
		}
		if !v.before || e.event > v.top || last {
			v.before, v.top = true, e.event
		}
	}
	return v
}

// Cursor starts with the record that represents those before, if there is one.
func (v view) Cursor() job.Cursor { return &viewCursor{v: v, at: v.from - 1} }

type viewCursor struct {
	v  view
	at int
}

func (c *viewCursor) Next() (job.Record, bool) {
	if c.at < c.v.from {
		c.at = c.v.from
		if c.v.before {
			return job.Record{ArrivalMs: c.v.startMs, EventMs: c.v.read(c.v.top)}, true
		}
	}
	if c.at == len(c.v.log.entries) && c.v.endless {
		c.at++
		return job.Record{ArrivalMs: never}, true
	}
	if c.at >= len(c.v.log.entries) {
		return job.Record{}, false
	}
	e := &c.v.log.entries[c.at]
	c.at++
	return job.Record{ArrivalMs: max(e.arrival, c.v.startMs), EventMs: c.v.read(e.event), Key: e.key}, true
}

// never is a time that no run reaches, epoch ms.
const never = math.MaxInt64 / 4

// Arrived is how many records have arrived by a time, epoch ms.
func (v view) Arrived(ms int64) int64 {
	if ms < v.startMs {
		return 0
	}
	n := int64(max(v.log.since(ms+1)-v.from, 0))
	if v.before {
		n++
	}
	return n
}

// offset is the offset of the n-th record of the view, counted from 0; -1 before the first.
func (v view) offset(n int64) int64 {
	i := v.from + int(n)
	if v.before {
		i--
	}
	if i < 0 || i >= len(v.log.entries) {
		return -1
	}
	return v.log.entries[i].offset
}
