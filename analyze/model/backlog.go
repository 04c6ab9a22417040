package model

import (
	"math"
	"slices"
)

// ReadsBacklog reports a subtask with more records pending than it reads in five seconds, or, where its connector has no
// pendingRecords, one that catches up, never waits for a record, or is back-pressured with records that are not fresh.
func (j *Job) ReadsBacklog(s *Subtask) bool {
	pending, ok := s.Pending.Value()
	if !ok {
		return s.CatchesUp() || s.neverWaits() || s.heldUp()
	}
	if pending <= 0 {
		return false
	}
	rise, known := s.Records.Rise()
	gap := s.Vertex.GapMs
	return !known || gap == 0 || pending > rise*5000/float64(gap)
}

// MayHaveUnread reports a subtask that may own a split of which it has read nothing so far: an offset says so, or a
// split shows no offset, or no split is shown.
func (s *Subtask) MayHaveUnread() bool {
	splits := s.ActiveSplits()
	for _, sp := range splits {
		if off, told := sp.Offset.Value(); len(splits) > 1 && (!told || off < 0) {
			return true
		}
	}
	return len(splits) == 0
}

// HidesUnread reports a subtask that may own an unread split (MayHaveUnread) although no offset shows one.
func (s *Subtask) HidesUnread() bool {
	return s.MayHaveUnread() && !slices.ContainsFunc(s.ActiveSplits(), func(sp *Split) bool { return sp.Offset.Now < 0 })
}

// catchUpSpeed is the event time read per wall clock time from which on a source certainly reads a backlog.
const catchUpSpeed = 1.2

// CatchesUp reports a subtask whose records are old and grow younger, which only a backlog does (event time runs faster
// than the clock), or one that is busy all the time with old records.
func (s *Subtask) CatchesUp() bool { return s.busyWithOld() || s.readsOld() && s.GrowsYounger() }

func (s *Subtask) busyWithOld() bool {
	busy, told := s.Busy.Value()
	return told && busy >= 900 && s.readsOld()
}

func (s *Subtask) readsOld() bool {
	age, ok := s.EmitLag.Value()
	return ok && age >= FrozenMs && !s.Vertex.IsSQLScan()
}

// GrowsYounger reports a subtask whose records grow younger by more than disorder explains.
func (s *Subtask) GrowsYounger() bool {
	gained, gap := s.EmitLag.Before-s.EmitLag.Now, float64(s.Vertex.GapMs)
	if gap == 0 || !(gained > (catchUpSpeed-1)*gap) {
		return false
	}
	if advance, moved := s.SourceOut().Advance(); moved && advance > 0 { // disorder changes the age of records, not watermarks
		return float64(advance)-gap > max((catchUpSpeed-1)*gap, jumpMs/4)
	}
	return gained > jumpMs
}

// neverWaits reports a subtask that is busy all the time with records that are not known to be fresh. Which of its
// splits they are from depends on which was fetched first.
func (s *Subtask) neverWaits() bool {
	age, told := s.EmitLag.Value()
	busy, ok := s.Busy.Value()
	return ok && busy >= 950 && !s.IdlePolls() && (!told || age >= QueueMinMs)
}

// heldUp reports a back-pressured subtask whose records are not fresh.
func (s *Subtask) heldUp() bool {
	age, told := s.EmitLag.Value()
	back, ok := s.Backpressured.Value()
	return ok && back >= 500 && told && age >= QueueMinMs
}

// jumpMs is a difference in age that disorder hardly explains.
const jumpMs = 12_000

// FallsBehind reports a source with more pending records than at the sample before. A Kafka consumer knows the end of a
// partition only as of its last fetch, so pendingRecords jumps upwards while it catches up as well: then the records of
// every subtask grow younger and come from each of its splits, and the source is not reported.
func (v *Vertex) FallsBehind() bool {
	before, now, younger := 0.0, 0.0, !v.MinOut().Frozen()
	for _, s := range v.Subtasks {
		if n, ok := s.Pending.Value(); ok && !math.IsNaN(s.Pending.Before) {
			before, now = before+s.Pending.Before, now+n
			younger = younger && (n == 0 || s.GrowsYounger() && s.readsEverySplit())
		}
	}
	return now > before && !younger
}

// readsEverySplit reports a subtask that read from each of its splits between the fetches, as far as it shows offsets.
func (s *Subtask) readsEverySplit() bool {
	return !slices.ContainsFunc(s.ActiveSplits(), func(sp *Split) bool { rise, ok := sp.Offset.Rise(); return ok && rise == 0 })
}

// GrowsYounger reports a source with a subtask whose records grow younger, unless its watermark gains nothing on the
// clock.
func (v *Vertex) GrowsYounger() bool {
	if advance, moved := v.MinOut().Advance(); moved && advance > 0 && float64(advance) <= catchUpSpeed*float64(v.GapMs) {
		return false
	}
	return slices.ContainsFunc(v.Subtasks, (*Subtask).GrowsYounger)
}

// CatchesUp reports a source with a subtask that catches up.
func (v *Vertex) CatchesUp() bool {
	return slices.ContainsFunc(v.Subtasks, (*Subtask).busyWithOld) || v.GrowsYounger() && slices.ContainsFunc(v.Subtasks, (*Subtask).CatchesUp)
}
