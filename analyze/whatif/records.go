package whatif

import (
	"math"
	"sort"

	"tidemark/engine/twin/job"
)

// entry is a record of a split. Arrival is the largest Kafka timestamp up to it, in epoch ms; event is
// the field's event time.
type entry struct{ offset, arrival, event, key int64 }

// Log is what is held of a split's records, in the order of their offsets.
type Log struct {
	entries []entry
	most    int   // how many are held at most
	cut     bool  // earlier ones were let go
	top     int64 // largest event time of those
	last    int64 // event time of the last of those
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

// drop lets the first n go, and keeps the largest event time of them.
func (l *Log) drop(n int) {
	for _, e := range l.entries[:n] {
		if !l.cut || e.event > l.top {
			l.top, l.cut = e.event, true
		}
		l.last = e.event
	}
	l.entries = append(l.entries[:0], l.entries[n:]...)
}

// at is the place of the last record at or below an offset, -1 where none is.
func (l *Log) at(offset int64) int {
	return sort.Search(len(l.entries), func(i int) bool { return l.entries[i].offset > offset }) - 1
}

// since is the place of the first record that arrived at or after a time.
func (l *Log) since(ms int64) int {
	return sort.Search(len(l.entries), func(i int) bool { return l.entries[i].arrival >= ms })
}

// view is a log as a source is given it: from a place on, the event times as the job reads them. What
// comes before that place is one record with the largest event time of all that was.
type view struct {
	log     *Log
	from    int
	before  bool  // something was read before
	top     int64 // its largest event time, as the field has it
	startMs int64 // the record that stands for it arrives then
	read    func(int64) int64
	endless bool // its reader has not finished, whatever the end of what is held
}

// after is a log from a time on.
//
// The generator of SQL's scans before 1.19.2 and 1.20.1 keeps the last value and not the largest
// (FLINK-37025): with last set the record that stands for the past is the last one.
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

// Cursor starts with what stands for the past.
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

// never is a time that no run reaches.
const never = math.MaxInt64 / 4

// Arrived counts what has arrived by a time.
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
