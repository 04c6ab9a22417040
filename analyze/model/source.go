package model

import (
	"math"
	"slices"
	"strings"

	"tidemark/flinkapi"
)

func (v *Vertex) TotalSplits() int {
	n := 0
	for _, s := range v.Subtasks {
		n += len(s.ActiveSplits())
	}
	return n
}

func SplitsTellWatermarks(v *Vertex) bool {
	for _, s := range v.Subtasks {
		for _, sp := range s.Splits {
			if sp.Watermark.Now.Readable() {
				return true
			}
		}
	}
	return false
}

func QuietSource(src *Vertex) bool {
	quiet, known := src.AllQuiet()
	if !known || !quiet || src.Status == "FINISHED" {
		return false
	}
	if n, ok := src.Pending(); ok && n > 0 {
		return false
	}
	return src.MinOut().Now.State() != flinkapi.End
}

func (v *Vertex) LongestSilence() (int64, bool) {
	longest, ok := int64(0), false
	for _, s := range v.Subtasks {
		if x, known := s.SourceIdle.Value(); known {
			longest, ok = max(longest, int64(x)), true
		}
	}
	return longest, ok
}

func (v *Vertex) NeverSpoke() bool {
	for _, s := range v.Subtasks {
		if !s.Never() {
			return false
		}
	}
	return true
}

// RecentMs is the window in which failures count as a loop.
const RecentMs = 10 * 60_000

// QuietMs is how long a split must be silent before its silence is called a fault. Topics with a
// record a minute are healthy; so is a split that only missed the last fetch.
const QuietMs = 60_000

// FrozenMs is the silence that is warned of, though it may still be low traffic.
const FrozenMs = 30_000

// warmUpMs is how old a run must be before a watermark that never came is a fault.
const warmUpMs = 45_000

// ComesBack reports a vertex of which a subtask does not run yet, or began after its siblings and is still warming up.
func (v *Vertex) ComesBack() bool {
	longest := int64(0)
	for _, s := range v.Subtasks {
		longest = max(longest, s.RunMs)
	}
	return slices.ContainsFunc(v.Subtasks, func(s *Subtask) bool {
		switch s.Status {
		case "", "RUNNING":
			return s.StartMs > 0 && s.RunMs < warmUpMs && longest-s.RunMs > FrozenMs
		case "FINISHED":
			return false
		}
		return true
	})
}

// WarmingUp reports a job that just started or restored.
func (j *Job) WarmingUp() bool { return j.UptimeMs < warmUpMs }

// Quiet reports a subtask that passed no record: never, or not between the two fetches, or with one
// fetch for as long as its reader says.
func (s *Subtask) Quiet() (quiet, known bool) {
	if rise, ok := s.Records.Rise(); ok {
		return rise == 0, rise > 0 || !s.Blocked()
	}
	if n, ok := s.Records.Value(); ok && n == 0 {
		return true, true
	}
	if s.IdlePolls() && !PausedByAlignment(s) {
		return true, true // one fetch only: its reader says so itself
	}
	return false, false
}

// Blocked reports a subtask that passed nothing because what is behind it takes nothing.
func (s *Subtask) Blocked() bool {
	back, ok := s.Backpressured.Value()
	rise, told := s.Records.Rise()
	return ok && back >= 500 && told && rise == 0
}

// IdlePolls reports a reader that has had nothing to emit for a while (sourceIdleTime).
func (s *Subtask) IdlePolls() bool {
	idle, ok := s.SourceIdle.Value()
	return ok && idle >= FrozenMs
}

// Never reports a subtask that has not passed a single record since it started.
func (s *Subtask) Never() bool {
	n, ok := s.Records.Value()
	return ok && n == 0
}

// Quiet reports a split that gave no record between the fetches, or none ever.
func (s *Split) Quiet() (quiet, known bool) {
	if s.Subtask.Blocked() {
		return false, false
	}
	if rise, ok := s.Offset.Rise(); ok {
		return rise == 0, true
	}
	if off, ok := s.Offset.Value(); ok && off < 0 {
		return true, true
	}
	if quiet, known := s.Subtask.Quiet(); known && quiet {
		return true, true
	}
	if len(s.Subtask.Splits) == 1 {
		return s.Subtask.Quiet()
	}
	if moved, known := s.Watermark.Moved(); known {
		back, _ := s.Subtask.Backpressured.Value()
		return !moved, moved || back < 500 && s.siblingMoved()
	}
	return false, false
}

// siblingMoved reports another split of the source whose watermark moved: the generator emits, so a split
// whose own watermark does not move gave no record.
func (s *Split) siblingMoved() bool {
	for _, t := range s.Subtask.Vertex.Subtasks {
		for _, o := range t.ActiveSplits() {
			if o != s && MovedCertainly(o.Watermark) {
				return true
			}
		}
	}
	return false
}

// Idle reports a split that withIdleness has marked idle; known only since 2.1.
func (s *Split) Idle() (idle, known bool) {
	if rise, ok := s.IdleMs.Rise(); ok && rise > 0 {
		return true, true
	}
	rate, ok := s.IdleRate.Value()
	return rate > 500, ok
}

// Paused reports a split that alignment pauses; known only since 2.1.
func (s *Split) Paused() (paused, known bool) {
	if rise, ok := s.PausedMs.Rise(); ok {
		return rise > 0, true
	}
	rate, ok := s.PausedRate.Value()
	return rate > 0, ok
}

// ActiveSplits lists the splits of a subtask that it still owns.
func (s *Subtask) ActiveSplits() []*Split {
	var out []*Split
	for _, sp := range s.Splits {
		if !sp.Leftover {
			out = append(out, sp)
		}
	}
	return out
}

// AnySplit reports whether one of the splits that are read is such a one.
func (v *Vertex) AnySplit(is func(*Split) bool) bool {
	return slices.ContainsFunc(v.Subtasks, func(s *Subtask) bool { return slices.ContainsFunc(s.ActiveSplits(), is) })
}

// NamesSplits reports whether any subtask of the vertex shows splits, so that none is a fact.
func (v *Vertex) NamesSplits() bool {
	for _, s := range v.Subtasks {
		if len(s.Splits) > 0 {
			return true
		}
	}
	return false
}

// AllQuiet reports a source from which nothing came at all.
func (v *Vertex) AllQuiet() (quiet, known bool) {
	for _, s := range v.Subtasks {
		q, k := s.Quiet()
		if !k {
			return false, false
		}
		if !q {
			return false, true
		}
	}
	return len(v.Subtasks) > 0, len(v.Subtasks) > 0
}

// Pending is the number of records the source knows to wait, summed; ok is false where no subtask tells.
func (v *Vertex) Pending() (float64, bool) {
	sum := NoGauge()
	for _, s := range v.Subtasks {
		sum = AddGauges(sum, s.Pending)
	}
	return sum.Value()
}

// EmitLag is the smallest and the largest lag of a record that left the source, wall clock minus
// event time in ms, over subtasks that emitted any; ok is false where none did. An age in another unit is
// no age.
func (v *Vertex) EmitLag() (lo, hi float64, ok bool) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, s := range v.Subtasks {
		if s.Never() {
			continue
		}
		for _, x := range []float64{s.EmitLag.Before, s.EmitLag.Now} {
			if math.IsNaN(x) || x == -1 || v.FetchedMs > 0 && UnitOf(v.FetchedMs-int64(x), v.FetchedMs) != "" {
				continue
			}
			lo, hi, ok = math.Min(lo, x), math.Max(hi, x), true
		}
	}
	return lo, hi, ok
}

// IsSQLScan reports a table source, whose record timestamps are the connector's and not the rowtime.
func (v *Vertex) IsSQLScan() bool {
	head := v.Head()
	if head == nil {
		return false
	}
	return strings.HasPrefix(head.Text, "TableSourceScan(") || strings.Contains(head.Name, "default_catalog.") ||
		nodeIDOf(head.Name) > 0 || v.hasSQLOperator()
}

// hasSQLOperator finds "[n]:" plan text in the source's own chain or right behind it.
func (v *Vertex) hasSQLOperator() bool {
	for _, op := range v.Chain {
		if nodeIDOf(op.Name) > 0 && op.Kind != KindUnknown {
			return true
		}
	}
	for _, e := range v.Out {
		for _, op := range e.To.Chain {
			if nodeIDOf(op.Name) > 0 && op.Kind != KindUnknown {
				return true
			}
		}
	}
	return false
}

// ReadsBacklog reports a subtask with more records waiting than it reads in five seconds, or whose
// connector does not tell and that catches up, or never waits for a record.
func (j *Job) ReadsBacklog(s *Subtask) bool {
	pending, ok := s.Pending.Value()
	if !ok {
		return s.CatchesUp() || s.neverWaits()
	}
	if pending <= 0 {
		return false
	}
	rise, known := s.Records.Rise()
	gap := s.Vertex.GapMs
	return !known || gap == 0 || pending > rise*5000/float64(gap)
}

// MayHaveUnread reports a subtask that may own a split of which it has read nothing so far: one shows so, or none shows
// how far it was read.
func (s *Subtask) MayHaveUnread() bool {
	splits := s.ActiveSplits()
	for _, sp := range splits {
		if off, told := sp.Offset.Value(); len(splits) > 1 && (!told || off < 0) {
			return true
		}
	}
	return len(splits) == 0
}

// HidesUnread reports a subtask that may have such a split, and shows none that is.
func (s *Subtask) HidesUnread() bool {
	return s.MayHaveUnread() && !slices.ContainsFunc(s.ActiveSplits(), func(sp *Split) bool { return sp.Offset.Now < 0 })
}

// catchUpSpeed is event time gained per wall clock from which on a source certainly reads a backlog.
const catchUpSpeed = 1.2

// CatchesUp reports a subtask whose records are old and grow younger: event time of what it reads runs faster
// than the clock, which only a backlog can do; or one that is busy all the time with old ones.
func (s *Subtask) CatchesUp() bool {
	age, ok := s.EmitLag.Value()
	if !ok || age < FrozenMs || s.Vertex.IsSQLScan() {
		return false
	}
	busy, told := s.Busy.Value()
	return told && busy >= 900 || s.GrowsYounger()
}

// GrowsYounger reports a subtask whose records grow younger faster than disorder makes them.
func (s *Subtask) GrowsYounger() bool {
	gained, gap := s.EmitLag.Before-s.EmitLag.Now, float64(s.Vertex.GapMs)
	if gap == 0 || !(gained > (catchUpSpeed-1)*gap) {
		return false
	}
	if advance, moved := s.SourceOut().Advance(); moved && advance > 0 { // records out of order differ in age by chance, watermarks do not
		return float64(advance)-gap > max((catchUpSpeed-1)*gap, jumpMs/4)
	}
	return gained > jumpMs
}

// neverWaits reports a subtask that is busy all the time with records that are not fresh, as far as is shown: which of
// its splits they are from is a matter of which was fetched first.
func (s *Subtask) neverWaits() bool {
	age, told := s.EmitLag.Value()
	busy, ok := s.Busy.Value()
	return ok && busy >= 950 && !s.IdlePolls() && (!told || age >= QueueMinMs)
}

// jumpMs is a difference in age that disorder of records hardly makes.
const jumpMs = 12_000

// FallsBehind reports a source of which more records wait than at the sample before. A consumer knows the end of
// a partition as of its last fetch only, so that what waits jumps upwards while it catches up: there the records of
// every subtask grow younger, and come from each of its splits.
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

// readsEverySplit reports a subtask that read from each of its splits between the fetches, as far as offsets are shown.
func (s *Subtask) readsEverySplit() bool {
	return !slices.ContainsFunc(s.ActiveSplits(), func(sp *Split) bool { rise, ok := sp.Offset.Rise(); return ok && rise == 0 })
}

// GrowsYounger reports a source one of whose subtasks does.
func (v *Vertex) GrowsYounger() bool { return slices.ContainsFunc(v.Subtasks, (*Subtask).GrowsYounger) }

// CatchesUp reports a source one of whose subtasks does.
func (v *Vertex) CatchesUp() bool { return slices.ContainsFunc(v.Subtasks, (*Subtask).CatchesUp) }
