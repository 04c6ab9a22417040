package whatif

import (
	"slices"

	"tidemark/analyze/model"
	"tidemark/engine"
	"tidemark/flinkapi"
)

// inForce is the design of the unchanged job, from the plan, the configuration, its watermarks and its records.
func (b *base) inForce() *design {
	d := &design{version: b.cross.Version, width: map[*model.Vertex]int{}, lateness: map[*model.Operator]int64{}, offset: map[*model.Operator]int64{}, assigners: map[*model.Operator]engine.Strategy{}}
	for _, s := range b.cross.Sources {
		f := &force{vertex: s.Vertex, name: model.SourceName(s.Vertex), cross: s, behind: s.Assigner, origin: map[string]Origin{}}
		f.strategy = engine.Strategy{SQL: s.SQL, EmitOnEvent: s.OnEvent, IntervalMs: s.IntervalMs}
		d.intervalMs = s.IntervalMs
		f.origin["interval"] = FromDefault
		if s.IntervalBy == "cluster configuration" {
			f.origin["interval"] = FromConfig
		}
		b.delay(f)
		b.idleness(f)
		b.alignment(f)
		d.sources = append(d.sources, f)
	}
	return d
}

// delay finds the delay in force: the one that explains the watermarks, else the plan's.
func (b *base) delay(f *force) {
	s := f.cross
	in := s.InForce
	switch {
	case b.records(f) == 0 && s.Declared == nil:
		f.origin["delay"] = FromNoRecord
	case b.silentGenerator(f) && s.Declared != nil && s.SQL:
		f.strategy.BoundMs, f.origin["delay"] = s.Declared.DelayMs, FromPlan
		f.strategy.IntervalMs, f.origin["interval"] = 0, FromRecords // a declared WATERMARK always has a generator
	case b.silentGenerator(f):
		f.strategy.Kind, f.origin["delay"] = engine.NoWatermarks, FromRecords
	case in.Known && in.Exact && in.Lo >= 0:
		f.strategy.BoundMs, f.origin["delay"] = in.Lo, FromRecords
	case s.Declared != nil:
		f.strategy.BoundMs, f.origin["delay"] = s.Declared.DelayMs, FromPlan
	case in.Known && in.Hi >= 0:
		f.strategy.BoundMs, f.origin["delay"] = in.Hi, FromRecords // both ends are candidates
		if in.Lo >= 0 {
			f.strategy.BoundMs = round(in.Lo, in.Hi)
		}
	default: // a split without a record explains why no watermark shows the delay
		f.origin["delay"] = FromNothing
	}
}

// silentGenerator reports a source that has no watermark in any sample although some subtask has read records from each of
// its splits, so that no split without records explains it.
func (b *base) silentGenerator(f *force) bool {
	for _, o := range f.cross.Observed {
		if o.Watermark.State() != flinkapi.None {
			return false
		}
	}
	return len(f.cross.Observed) > 0 && b.records(f) > 0 && slices.ContainsFunc(f.vertex.Subtasks, allRead)
}

// allRead reports a subtask that has read records from each of its splits.
func allRead(t *model.Subtask) bool {
	splits := t.ActiveSplits()
	return len(splits) > 0 && !slices.ContainsFunc(splits, func(sp *model.Split) bool { o, ok := sp.Offset.Value(); return !ok || o < 0 })
}

// records is how many of the records held the readers of a source have read.
func (b *base) records(f *force) int {
	n := 0
	for _, t := range f.vertex.Subtasks {
		for _, sp := range t.ActiveSplits() {
			if l, o := b.logs[sp.ID], int64(-1); l != nil {
				if now, ok := sp.Offset.Value(); ok {
					o = int64(now)
				}
				n += l.at(o) + 1
			}
		}
	}
	return n
}

// round is the roundest value within a range, else its lower end, ms.
func round(lo, hi int64) int64 {
	for _, unit := range []int64{3_600_000, 600_000, 300_000, 60_000, 30_000, 10_000, 5000, 1000, 500, 100, 10} {
		if n := (lo + unit - 1) / unit * unit; n <= hi {
			return n
		}
	}
	return lo
}

func (b *base) alignment(f *force) {
	j := b.cross.Job()
	if d, ok := j.Declared(f.vertex); ok && d.Group != "" {
		f.align = &engine.AlignmentConfig{Group: d.Group, MaxDriftMs: d.DriftMs, UpdateMs: max(d.UpdateMs, 1), Samples: -1}
		f.origin["alignment"] = FromPlan
		return
	}
	for _, t := range j.AlignedSubtasks() {
		if t.Vertex != f.vertex {
			continue
		}
		if lo, hi, ok := j.InferredDrift(); ok {
			f.align = &engine.AlignmentConfig{Group: "group", MaxDriftMs: round(max(lo-1000, 0), hi), UpdateMs: 1000, Samples: -1}
			f.origin["alignment"] = FromRecords
		}
		return
	}
}

// idleness finds the idle timeout in force. No gauge shows it: it is in the plan, or inferred from silences and from the
// time that splits were idle.
func (b *base) idleness(f *force) {
	j := b.cross.Job()
	if d, ok := j.Declared(f.vertex); ok && (d.IdleKnown || d.IdleMs > 0) {
		f.strategy.IdleMs, f.origin["idle-timeout"] = d.IdleMs, FromPlan
		return
	}
	most, longest := int64(-1), int64(0) // upper limit, from splits that became idle; lower limit, from those that did not
	told := false
	for _, t := range f.vertex.Subtasks {
		for _, sp := range t.ActiveSplits() {
			silence := b.silence(f, sp)
			spent, ok := sp.IdleMs.Value()
			if !ok {
				continue
			}
			told = true
			idle, _ := sp.Idle()
			switch {
			case idle && spent < float64(silence):
				if n := silence - int64(spent); most < 0 || n < most {
					most = n
				}
			case spent == 0:
				longest = max(longest, silence-model.SplitTimerMs)
			}
		}
	}
	switch {
	case most >= 0:
		f.strategy.IdleMs, f.origin["idle-timeout"] = round(max(most-model.SplitTimerMs-1000, longest, 100), most), FromSilence
	case told && longest > 10_000:
		f.origin["idle-timeout"] = FromSilence
	default:
		b.idlenessBehind(f)
	}
}

// silence is for how long a split had been without a record at the last sample, ms.
func (b *base) silence(f *force, sp *model.Split) int64 {
	now := b.now.lo
	from := b.startMs
	if l := b.logs[sp.ID]; l != nil {
		if o, ok := sp.Offset.Value(); ok {
			if i := l.at(int64(o)); i >= 0 {
				from = max(from, l.entries[i].arrival)
			}
		}
	}
	return max(now-from, 0)
}

// idlenessBehind infers the idle timeout where splits have no metrics or a subtask has no split: a silent subtask was
// declared idle if its consumers are past its watermark.
func (b *base) idlenessBehind(f *force) {
	f.origin["idle-timeout"] = FromNothing
	for _, t := range f.vertex.Subtasks {
		silence := int64(1 << 62)
		for _, sp := range t.ActiveSplits() {
			silence = min(silence, b.silence(f, sp))
		}
		if len(t.ActiveSplits()) == 0 {
			silence = b.now.lo - b.startMs
		}
		if silence < 10_000 {
			continue
		}
		if t.Passed() {
			f.strategy.IdleMs, f.origin["idle-timeout"] = round(100, max(min(silence/2, 5000), 100)), FromSilence
			f.idleMost = silence
			return
		}
		f.origin["idle-timeout"] = FromSilence
	}
}
