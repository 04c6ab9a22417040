package model

import (
	"slices"

	"tidemark/flinkapi"
)

// RecentMs is the period in which failures count as a restart loop, ms.
const RecentMs = 10 * 60_000

// QuietMs is the silence of a split, ms, below which it is no fault: a topic with a record a minute is healthy.
const QuietMs = 60_000

// FrozenMs is the silence from which on there is a warning, ms; it may still be low traffic.
const FrozenMs = 30_000

// warmUpMs is how long a job or subtask must have run before a missing watermark is a fault.
const warmUpMs = 45_000

// QuietSource reports a running source from which nothing came, and with no records known to be pending.
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

// LongestSilence is the largest sourceIdleTime of the subtasks, ms.
func (v *Vertex) LongestSilence() (int64, bool) {
	longest, ok := int64(0), false
	for _, s := range v.Subtasks {
		if x, known := s.SourceIdle.Value(); known {
			longest, ok = max(longest, int64(x)), true
		}
	}
	return longest, ok
}

// NeverSpoke reports a source that has not emitted a single record since it started.
func (v *Vertex) NeverSpoke() bool {
	for _, s := range v.Subtasks {
		if !s.Never() {
			return false
		}
	}
	return true
}

// Quiet reports a subtask that passed no record: none ever, none between the two fetches, or with one fetch none for the
// sourceIdleTime of its reader.
func (s *Subtask) Quiet() (quiet, known bool) {
	if rise, ok := s.Records.Rise(); ok {
		return rise == 0, rise > 0 || !s.Blocked()
	}
	if n, ok := s.Records.Value(); ok && n == 0 {
		return true, true
	}
	if s.IdlePolls() && !PausedByAlignment(s) {
		return true, true
	}
	return false, false
}

// Blocked reports a subtask that passed nothing because it is back-pressured.
func (s *Subtask) Blocked() bool {
	back, ok := s.Backpressured.Value()
	rise, told := s.Records.Rise()
	return ok && back >= 500 && told && rise == 0
}

// IdlePolls reports a reader that has had nothing to emit for 30 s (sourceIdleTime).
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

// siblingMoved reports that the watermark of another split of the source advanced: the generator emits, so a split whose
// watermark did not advance gave no record.
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

// ComesBack reports a vertex with a subtask that does not run yet, or that started after its siblings and is warming up.
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
