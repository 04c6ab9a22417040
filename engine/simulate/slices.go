package simulate

import (
	"cmp"
	"maps"
	"math/bits"
	"slices"

	"tidemark/engine"
)

// Kind says what became of a late record at a window operator.
type Kind string

// The kinds, from harmless to lost.
const (
	InTime         Kind = "in-time"         // none of its windows had fired yet
	WithinLateness Kind = "within-lateness" // a window fired again for it, by the allowed lateness
	Missed         Kind = "missed"          // some of its windows were gone, others took it
	Dropped        Kind = "dropped"         // no window took it
)

// Kinds lists them in that order.
var Kinds = []Kind{InTime, WithinLateness, Missed, Dropped}

func kindOf(l engine.Late) Kind {
	switch {
	case !l.Taken():
		return Dropped
	case l.Missed > 0:
		return Missed
	case l.Fired > 0:
		return WithinLateness
	}
	return InTime
}

// Bar is what a window operator fired in one slice of the clock.
type Bar struct {
	At      int64 `json:"at"`
	Until   int64 `json:"until"`
	Fired   int64 `json:"fired"`            // windows, each once
	Again   int64 `json:"again,omitempty"`  // firings after the first
	AtEnd   int64 `json:"at_end,omitempty"` // of the fired windows, those that only the end of the input fired
	Records int64 `json:"records"`          // in the fired windows
}

// LateRecords are late records of one kind that arrived in one slice of the clock, at a similar
// distance behind the watermark: within a factor of two.
type LateRecords struct {
	At       int64 `json:"at"`
	Until    int64 `json:"until"`
	Kind     Kind  `json:"kind"`
	Records  int64 `json:"records"`
	BehindMs int64 `json:"behind_ms"` // of the furthest record: watermark minus event time
}

// barSlots is the largest number of slices per window operator.
const barSlots = 120

// sliced keeps what a window operator did over time in bounded memory: when the slices run out,
// each two are merged into one.
type sliced struct {
	start, width int64 // ms; width 0 = nothing seen
	bars         map[int64]*Bar
	late         map[lateKey]*LateRecords
}

type lateKey struct {
	slice  int64
	octave int
	kind   Kind
}

func (s *sliced) slice(at int64) int64 {
	if s.width == 0 {
		s.start, s.width, s.bars, s.late = at, 100, map[int64]*Bar{}, map[lateKey]*LateRecords{}
	}
	for (at-s.start)/s.width >= barSlots {
		s.halve()
	}
	return (at - s.start) / s.width
}

func (s *sliced) halve() {
	s.width *= 2
	bars, late := s.bars, s.late
	s.bars, s.late = make(map[int64]*Bar, len(bars)), make(map[lateKey]*LateRecords, len(late))
	for k, b := range bars {
		s.bar(k / 2).add(*b)
	}
	for k, l := range late {
		k.slice /= 2
		s.cell(k).add(*l)
	}
}

func (s *sliced) bar(slice int64) *Bar {
	b := s.bars[slice]
	if b == nil {
		b = &Bar{}
		s.bars[slice] = b
	}
	return b
}

func (b *Bar) add(o Bar) {
	b.Fired, b.Again, b.AtEnd, b.Records = b.Fired+o.Fired, b.Again+o.Again, b.AtEnd+o.AtEnd, b.Records+o.Records
}

func (s *sliced) cell(k lateKey) *LateRecords {
	l := s.late[k]
	if l == nil {
		l = &LateRecords{Kind: k.kind}
		s.late[k] = l
	}
	return l
}

func (l *LateRecords) add(o LateRecords) {
	l.Records, l.BehindMs = l.Records+o.Records, max(l.BehindMs, o.BehindMs)
}

func (s *sliced) fired(f engine.Fired) {
	b := Bar{Again: 1}
	if !f.Again {
		b = Bar{Fired: 1, Records: f.Records}
		if f.Watermark == engine.End {
			b.AtEnd = 1
		}
	}
	s.bar(s.slice(f.At)).add(b)
}

func (s *sliced) record(l engine.Late) {
	behind := l.Watermark - l.EventTime
	if behind < 0 {
		behind = engine.End // the difference of two times may exceed an int64
	}
	slice := s.slice(l.At) // may widen the slices, so it must come before the cell
	s.cell(lateKey{slice, bits.Len64(uint64(behind)), kindOf(l)}).add(LateRecords{Records: 1, BehindMs: behind})
}

// results are the bars and the late records, in order of time.
func (s *sliced) results() ([]Bar, []LateRecords) {
	bars, late := []Bar{}, []LateRecords{}
	for _, k := range slices.Sorted(maps.Keys(s.bars)) {
		b := *s.bars[k]
		b.At, b.Until = s.start+k*s.width, s.start+(k+1)*s.width
		bars = append(bars, b)
	}
	keys := slices.SortedFunc(maps.Keys(s.late), func(a, b lateKey) int {
		return cmp.Or(cmp.Compare(a.slice, b.slice), cmp.Compare(slices.Index(Kinds, a.kind), slices.Index(Kinds, b.kind)), cmp.Compare(a.octave, b.octave))
	})
	for _, k := range keys {
		l := *s.late[k]
		l.At, l.Until = s.start+k.slice*s.width, s.start+(k.slice+1)*s.width
		late = append(late, l)
	}
	return bars, late
}

// LateOf is the number of late records of a kind, and how far the furthest was behind the
// watermark (ms).
func (w Window) LateOf(kind Kind) (records, behindMs int64) {
	for _, l := range w.LateRecords {
		if l.Kind == kind {
			records, behindMs = records+l.Records, max(behindMs, l.BehindMs)
		}
	}
	return records, behindMs
}
