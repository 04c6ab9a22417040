package engine

import (
	"fmt"
	"sort"
)

// BufferRule is the operator that a Buffer corresponds to. It decides which records are late and
// which wait.
type BufferRule uint8

const (
	// Match is CEP and MATCH_RECOGNIZE (CepOperator). A record is late if its event time is at or
	// below the watermark, and is counted; the others wait until the watermark reaches their
	// event time.
	Match BufferRule = iota
	// Over is a rowtime OVER aggregate: the same rule as Match
	// (AbstractRowTimeUnboundedPrecedingOver).
	Over
	// Sort is TemporalSort (RowTimeSortOperator). A record is late if its event time is at or
	// below that of the last record emitted; it is dropped without a counter.
	Sort
	// FirstRow is the append-only first-row deduplication of 2.1 and later
	// (RowTimeDeduplicateKeepFirstRowFunction). A record is late if its event time is below the
	// watermark, and is counted; the earliest row of a key waits for the watermark.
	FirstRow
	// Versioned is the left side of an event-time temporal join (TemporalRowTimeJoinOperator). No
	// record is late; each waits until the watermark reaches it.
	Versioned
)

// Buffered is a record that an operator holds until the watermark reaches it.
type Buffered struct {
	Key, EventTime int64
	Watermark      int64 // when released or dropped
}

// Buffer is an operator that holds records until the watermark passes their event time. It does
// not change watermarks; the caller forwards them after Watermark has returned, as Flink does.
type Buffer struct {
	rule      BufferRule
	watermark int64
	lastOut   map[int64]int64
	waiting   []Buffered
	first     map[int64]int64 // FirstRow: waiting event time by key
	done      map[int64]bool  // FirstRow: keys already emitted, whose further rows are ignored
	release   func(Buffered)
	dropped   int64
	counted   bool
}

// NewBuffer builds the operator. It calls release for every released record, in order of event
// time, and in order of arrival for equal event times.
func NewBuffer(rule BufferRule, release func(Buffered)) (*Buffer, error) {
	if rule > Versioned || release == nil {
		return nil, fmt.Errorf("buffer: unknown rule %d or no receiver", rule)
	}
	return &Buffer{
		rule: rule, watermark: None, lastOut: map[int64]int64{}, first: map[int64]int64{}, done: map[int64]bool{},
		release: release, counted: rule != Sort && rule != Versioned,
	}, nil
}

// Dropped is the number of late records, and whether the operator counts them in
// numLateRecordsDropped.
func (b *Buffer) Dropped() (records int64, counted bool) { return b.dropped, b.counted }

// Waiting is the number of records held back.
func (b *Buffer) Waiting() int { return len(b.waiting) }

// Record adds a record and reports whether it was kept.
func (b *Buffer) Record(key, ts int64) bool {
	if b.late(key, ts) {
		b.dropped++
		return false
	}
	if b.rule == FirstRow {
		held, seen := b.first[key]
		if seen && held <= ts || b.done[key] {
			return false
		}
		b.first[key] = ts
		if seen {
			b.remove(key, held)
		}
	}
	b.waiting = append(b.waiting, Buffered{Key: key, EventTime: ts})
	return true
}

func (b *Buffer) late(key, ts int64) bool {
	switch b.rule {
	case Sort:
		last, out := b.lastOut[key]
		return out && ts <= last
	case FirstRow:
		return ts < b.watermark
	case Versioned:
		return false
	default:
		return ts <= b.watermark
	}
}

func (b *Buffer) remove(key, ts int64) {
	for i, w := range b.waiting {
		if w.Key == key && w.EventTime == ts {
			b.waiting = append(b.waiting[:i], b.waiting[i+1:]...)
			return
		}
	}
}

// Watermark releases every record that it reaches.
func (b *Buffer) Watermark(ts int64) {
	if ts <= b.watermark {
		return
	}
	b.watermark = ts
	sort.SliceStable(b.waiting, func(i, j int) bool { return b.waiting[i].EventTime < b.waiting[j].EventTime })
	n := sort.Search(len(b.waiting), func(i int) bool { return b.waiting[i].EventTime > ts })
	for _, w := range b.waiting[:n] {
		w.Watermark = ts
		switch b.rule {
		case Sort:
			b.lastOut[w.Key] = w.EventTime
		case FirstRow:
			b.done[w.Key] = true
			delete(b.first, w.Key)
		}
		b.release(w)
	}
	b.waiting = append(b.waiting[:0], b.waiting[n:]...)
}
