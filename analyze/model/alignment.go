package model

// AlignedSubtasks lists the source subtasks that have received an alignment event: the first one registers the gauge
// (InternalSourceReaderMetricGroup, 1.17 to 2.3).
func (j *Job) AlignedSubtasks() []*Subtask {
	var out []*Subtask
	for _, v := range j.Sources() {
		for _, s := range v.Subtasks {
			if _, ok := s.AlignmentDrift.Value(); ok {
				out = append(out, s)
			}
		}
	}
	return out
}

// DriftOf is the subtask's watermark minus the announced maximum, in ms. Before its first watermark
// Flink subtracts from Java's 0, which means nothing; ok is false then.
func DriftOf(s *Subtask) (before, now float64, ok bool) {
	now, ok = s.AlignmentDrift.Value()
	if !ok || !s.SourceOut().Now.IsKnown() || now < -1e11 {
		return 0, 0, false
	}
	return s.AlignmentDrift.Before, now, true
}

// PausedByAlignment reports a subtask that alignment holds: a positive drift, or a split that was paused since the last
// fetch.
func PausedByAlignment(s *Subtask) bool {
	if _, now, ok := DriftOf(s); ok && now > 0 {
		return true
	}
	for _, sp := range s.ActiveSplits() {
		if rate, ok := sp.PausedRate.Value(); ok && rate > 0 {
			if rise, ok := sp.PausedMs.Rise(); !ok || rise > 0 {
				return true
			}
		}
		if rise, ok := sp.PausedMs.Rise(); ok && rise > 0 {
			return true
		}
	}
	return false
}

// MaxAllowed is the announced maximum watermark that a subtask has received, ms of event time.
func MaxAllowed(s *Subtask) (int64, bool) {
	_, drift, ok := DriftOf(s)
	wm, known := s.SourceOut().Now.Millis()
	return wm - int64(drift), ok && known
}

// InferredDrift is a range for the maximum drift of the group, ms: the announced maximum minus the group's smallest
// watermark, which may be one update interval old and, from 2.3, three samples.
func (j *Job) InferredDrift() (lo, hi int64, ok bool) {
	subtasks := j.AlignedSubtasks()
	low := int64(0)
	for _, s := range subtasks {
		ms, known := s.SourceOut().Now.Millis()
		if quiet, told := s.Quiet(); known && !(told && quiet) && (!ok || ms < low) {
			low, ok = ms, true
		}
	}
	if !ok {
		return 0, 0, false
	}
	ok = false
	for _, s := range subtasks {
		if top, known := MaxAllowed(s); known {
			if quiet, told := s.Quiet(); told && quiet {
				continue
			}
			d := top - low
			if !ok || d > lo {
				lo = d
			}
			ok = true
		}
	}
	return lo, lo + 4000, ok && lo > 0
}

// InferredIdleTimeout is a range for the idle timeout, ms, from a subtask whose only split is idle now: its silence
// minus the time it has been idle, a gauge that is updated every 5 s.
func (j *Job) InferredIdleTimeout() (lo, hi int64, from *Subtask, ok bool) {
	for _, v := range j.Sources() {
		for _, s := range v.Subtasks {
			splits := s.ActiveSplits()
			if len(splits) != 1 {
				continue
			}
			idle, told := splits[0].Idle()
			spent, okSpent := splits[0].IdleMs.Value()
			silence, okSilence := s.SourceIdle.Value()
			if !told || !idle || !okSpent || !okSilence || spent <= 0 || spent >= silence {
				continue
			}
			if d := int64(silence - spent); !ok || d < hi {
				lo, hi, from, ok = max(d-6000, 1), d, s, true
			}
		}
	}
	return lo, hi, from, ok
}
