package model

import (
	"math"

	"tidemark/internal/units"
)

// LongEnough decides whether a silence is long enough to be a fault: longer than the declared idle timeout, three
// emission intervals (Flink's detection) and one metric fetch; 5 min where a split has been idle before, so that there is
// a timeout of unknown length; else 30 s.
func (j *Job) LongEnough(v *Vertex, silenceMs int64) bool {
	if d, ok := j.Declared(v); ok && d.IdleMs > 0 {
		return silenceMs > d.IdleMs+3*j.EmitIntervalMs()+j.IntervalMs
	}
	if v.HasBeenIdle() {
		return silenceMs >= 5*QuietMs
	}
	return silenceMs >= FrozenMs
}

// HasBeenIdle reports that withIdleness has marked a split of this source before (2.1+).
func (v *Vertex) HasBeenIdle() bool {
	return v.AnySplit(func(s *Split) bool { ms, ok := s.IdleMs.Value(); return ok && ms > 0 })
}

// lowTraffic is how many times the mean distance between two records a silence may last and still be low traffic.
const lowTraffic = 3

// OrdinarySilence reports a silence (ms) shorter than three times the mean distance between two records in a split of
// this subtask: low traffic, no fault.
func (s *Subtask) OrdinarySilence(silenceMs int64) bool {
	n, ok := s.Records.Value()
	splits := max(len(s.ActiveSplits()), 1)
	if !ok || n < 2 || s.RunMs <= 0 {
		return false
	}
	return float64(silenceMs) < lowTraffic*float64(s.RunMs)*float64(splits)/n
}

// OrdinarySilence judges by the split's own records as well: its offset is an upper limit of the records read since the
// start, so a split that gave a few and then stopped has them spread over the time before the silence.
func (s *Split) OrdinarySilence(silenceMs int64) bool {
	if s.Subtask.OrdinarySilence(silenceMs) {
		return true
	}
	off, ok := s.Offset.Value()
	return ok && off >= 1 && float64(silenceMs) < lowTraffic*float64(s.Subtask.RunMs-silenceMs)/(off+1)
}

// OrdinarySilence judges by the split that holds, or else by its subtask.
func (h Holder) OrdinarySilence(silenceMs int64) bool {
	if h.Split != nil {
		return h.Split.OrdinarySilence(silenceMs)
	}
	return h.Subtask.OrdinarySilence(silenceMs)
}

// EmitIntervalMs is pipeline.auto-watermark-interval in the cluster's configuration, 200 ms by default.
func (j *Job) EmitIntervalMs() int64 {
	if d, err := units.ParseFlinkDuration(j.Config["pipeline.auto-watermark-interval"]); err == nil {
		return d.Milliseconds()
	}
	return 200
}

// Declared is the strategy that the plan text of a source shows, with the cluster's idle timeout.
func (j *Job) Declared(v *Vertex) (Declared, bool) {
	for _, op := range v.Chain {
		if d, ok := ParseDeclared(op.Text); ok {
			if d.IdleMs == 0 {
				if idle, err := units.ParseFlinkDuration(j.Config["table.exec.source.idle-timeout"]); err == nil {
					d.IdleMs = idle.Milliseconds()
				}
			}
			return d, true
		}
	}
	return Declared{}, false
}

// AgeMs is for how long the split has been read, ms of wall clock: the sum of its accumulated times (2.1+), at most the
// run time of its subtask. A split that was added later is younger than the job: before 2.1 one without a record is at
// most as old as the standstill of its subtask, which has a watermark from before.
func (j *Job) AgeMs(s *Split) int64 {
	age, sum := j.UptimeMs, 0.0
	if s.Subtask.RunMs > 0 {
		age = min(age, s.Subtask.RunMs)
	}
	if s.appeared() {
		age = min(age, s.Subtask.Vertex.GapMs)
	}
	if off, ok := s.Offset.Value(); ok && off < 0 && !s.Watermark.Now.Readable() {
		if stood := j.standstillMs(s.Subtask); stood > 0 {
			age = min(age, stood)
		}
	}
	for _, g := range []Gauge{s.ActiveMs, s.IdleMs, s.PausedMs} {
		ms, ok := g.Value()
		if !ok {
			return age
		}
		sum += ms
	}
	return min(age, int64(sum)+SplitTimerMs)
}

// appeared reports a split that was added between the two fetches: only the second shows its offset, while both show the
// offset of another split of the source.
func (s *Split) appeared() bool {
	if s.Subtask.Vertex.GapMs == 0 || !math.IsNaN(s.Offset.Before) || math.IsNaN(s.Offset.Now) {
		return false
	}
	for _, t := range s.Subtask.Vertex.Subtasks {
		for _, o := range t.ActiveSplits() {
			if !math.IsNaN(o.Offset.Before) {
				return true
			}
		}
	}
	return false
}

// SplitTimerMs is how often a split updates its accumulated times (InternalSourceSplitMetricGroup, 2.1+).
const SplitTimerMs = 5000

// SilenceMs estimates for how long nothing came from a split, ms, at most its AgeMs; ok is false where nothing is known.
func (j *Job) SilenceMs(s *Split) (int64, bool) {
	ms, ok := j.silenceMs(s)
	return min(ms, j.AgeMs(s)), ok
}

func (j *Job) silenceMs(s *Split) (int64, bool) {
	if quiet, known := s.Subtask.Quiet(); known && quiet {
		if idle, ok := s.Subtask.SourceIdle.Value(); ok && idle > 0 {
			return int64(idle), true
		}
	}
	own, okOwn := s.Watermark.Now.Millis()
	if !okOwn && s.Watermark.Now.Readable() {
		return j.UptimeMs, true
	}
	if newest, ok := s.Subtask.Vertex.NewestSplit().Millis(); ok && okOwn {
		return newest - own, true
	}
	if off, ok := s.Offset.Value(); ok && off < 0 {
		return j.UptimeMs, true
	}
	return max(j.GapMs, j.standstillMs(s.Subtask)), j.GapMs > 0
}

// standstillMs is for how long a subtask's output has stood still, ms, where splits have no watermark metric: how far it
// is behind the newest of its siblings, or else its lag minus the age of the records read. The latter contains the
// out-of-orderness bound, so it is an upper limit.
func (j *Job) standstillMs(s *Subtask) int64 {
	own, ok := s.Out().Now.Millis()
	if !ok || !s.Out().Frozen() {
		return 0
	}
	if newest, _ := s.Vertex.NewestSplit().Millis(); newest > own {
		return newest - own
	}
	age, _ := j.Lag(s.Vertex, s.Out())
	if record, ok := s.EmitLag.Value(); ok && record > 0 {
		age -= int64(record)
	}
	return age
}

// UsualGapMs is the mean distance between two records in a split, ms of wall clock, for the subtask of the source where
// it is longest; the present silence is not counted. 0 where no counter was read.
func (v *Vertex) UsualGapMs() int64 {
	longest := int64(0)
	for _, s := range v.Subtasks {
		n, ok := s.Records.Value()
		if !ok || n < 2 || s.RunMs <= 0 {
			continue
		}
		spoke := s.RunMs
		if idle, told := s.SourceIdle.Value(); told && int64(idle) < spoke {
			spoke -= int64(idle)
		}
		longest = max(longest, spoke*int64(max(len(s.ActiveSplits()), 1))/int64(n))
	}
	return longest
}
