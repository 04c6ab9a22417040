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
