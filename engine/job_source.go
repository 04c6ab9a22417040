package engine

import "fmt"

// sourceTask is a source subtask of a job: its splits by name, the records that alignment holds
// back, and the timer of its reports.
type sourceTask struct {
	source    *Source
	handles   map[string]int
	names     map[int]string
	alignment *Alignment
	cfg       AlignmentConfig
	group     *AlignmentGroup
	report    int64
	backlog   []queued
	told      map[string]SplitView // by split: what OnSplit was last called with
}

type queued struct {
	split   string
	key, ts int64
}

func (s *sourceTask) align(t *subtask, cfg AlignmentConfig) error {
	j := t.node.job
	var onPause func(split int, paused bool)
	if j.cfg.OnSplit != nil {
		onPause = func(split int, _ bool) { s.tell(t, split) }
	}
	alignment, err := Align(s.source, cfg, onPause)
	if err != nil {
		return err
	}
	if j.groups[cfg.Group] == nil {
		j.groups[cfg.Group] = NewAlignmentGroup(j.b)
	}
	s.alignment, s.cfg, s.group = alignment, cfg, j.groups[cfg.Group]
	s.report = nextAfter(j.cfg.StartMs, cfg.UpdateMs)
	return nil
}

func (s *sourceTask) owns(split string) bool {
	_, ok := s.handles[split]
	return ok
}

func (s *sourceTask) add(split string, restored bool) error {
	if s.owns(split) {
		return fmt.Errorf("split %q is already read", split)
	}
	if s.handles == nil {
		s.handles, s.names = map[string]int{}, map[int]string{}
	}
	handle := 0
	if restored {
		handle = s.source.RestoreSplit()
	} else {
		handle = s.source.AddSplit()
	}
	s.handles[split], s.names[handle] = handle, split
	if s.alignment != nil && !restored {
		s.alignment.Assigned(handle)
	}
	return nil
}

func (s *sourceTask) release(split string) error {
	handle := s.handles[split]
	delete(s.handles, split)
	return s.source.ReleaseSplit(handle)
}

// blocked reports whether alignment holds back a split's records.
func (s *sourceTask) blocked(split string) bool {
	return s.alignment != nil && (s.alignment.Waiting() || s.alignment.Paused(s.handles[split]))
}

func (s *sourceTask) read(t *subtask, q queued) {
	if s.blocked(q.split) {
		s.backlog = append(s.backlog, q)
		return
	}
	t.send(q.key, q.ts)
	t.node.job.fail(s.source.Record(s.handles[q.split], q.ts))
}

// drain reads the held records of splits that are no longer blocked, in order of arrival. It
// reads them all at once; a real reader is limited by its speed.
func (s *sourceTask) drain(t *subtask) {
	waiting := s.backlog
	s.backlog = nil
	for _, q := range waiting {
		if s.owns(q.split) {
			s.read(t, q)
		}
	}
}

// reportAligned sends the subtask's report and receives the group's announcement. Flink's
// coordinator announces on its own timer with the same interval; here both happen at the same
// instant, so a subtask acts on reports of this instant or of one interval before.
func (s *sourceTask) reportAligned(t *subtask) error {
	if w, ok := s.alignment.Report(); ok {
		s.group.Report(t.node.name, t.index, w)
	}
	allowed, reached, err := s.group.Announce(t.node.name, s.cfg.MaxDriftMs)
	if err != nil {
		return err
	}
	if reached(t.index) {
		s.alignment.Announce(allowed)
	}
	return nil
}

// hasTimers reports whether a subtask has any timer.
func (t *subtask) hasTimers() bool {
	if t.source != nil {
		return true
	}
	_, timed := t.task.(timedTask)
	none, ok := t.task.(timelessTask)
	return timed && !(ok && none.Timeless())
}

func (t *subtask) nextTimer() int64 {
	if t.source != nil {
		next := t.source.source.NextProbe()
		if t.source.alignment != nil {
			next = min(next, t.source.report)
		}
		return next
	}
	if timed, ok := t.task.(timedTask); ok {
		return timed.NextTimer()
	}
	return End
}

func (t *subtask) advance(now int64) error {
	if t.source == nil {
		if timed, ok := t.task.(timedTask); ok {
			return timed.AdvanceTo(now)
		}
		return nil
	}
	if err := t.source.source.AdvanceTo(now); err != nil || t.source.alignment == nil {
		return err
	}
	if t.source.report <= now && t.source.report != End {
		t.source.report = nextAfter(now, t.source.cfg.UpdateMs)
		if err := t.source.reportAligned(t); err != nil {
			return err
		}
		t.source.drain(t)
	}
	return nil
}
