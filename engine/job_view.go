package engine

// SplitView is the state of a split, as the split metrics of Flink 2.1 and later show it.
type SplitView struct {
	Watermark int64 // None before its first
	Idle      bool  // left out of the minimum by an idle timeout
	Paused    bool  // held back by alignment
}

// SplitEvent is a change of the state that a split's time metrics count: idle, paused or active.
type SplitEvent struct {
	At      int64 // clock, ms
	Node    string
	Subtask int
	Split   string
	SplitView
}

// Split returns the state of a split of a source; ok is false when no subtask owns it now.
func (n *Node) Split(name string) (SplitView, bool) {
	for _, t := range n.subtasks {
		if t.source != nil && t.source.owns(name) {
			return t.source.view(name), true
		}
	}
	return SplitView{}, false
}

// Blocked reports whether alignment holds back a split's records now.
func (n *Node) Blocked(name string) bool {
	for _, t := range n.subtasks {
		if t.source != nil && t.source.owns(name) {
			return t.source.blocked(name)
		}
	}
	return false
}

// Allowed is the maximum watermark that alignment last announced to a source subtask, End before
// the first; ok is false when the source is not aligned.
func (n *Node) Allowed(subtask int) (watermark int64, ok bool) {
	t := n.subtasks[subtask]
	if t.source == nil || t.source.alignment == nil {
		return End, false
	}
	return t.source.alignment.Allowed(), true
}

// Input is the watermark of one input of a subtask, as the input's gauge shows it: None before
// the first, unchanged while the input is idle.
func (n *Node) Input(subtask, input int) int64 { return n.subtasks[subtask].valves[input].Last() }

func (s *sourceTask) view(split string) SplitView {
	handle := s.handles[split]
	v := SplitView{Watermark: s.source.SplitWatermark(handle), Idle: s.source.SplitIdle(handle)}
	v.Paused = s.alignment != nil && s.alignment.Paused(handle)
	return v
}

// tell reports a split whose idleness or pause changed.
func (s *sourceTask) tell(t *subtask, handle int) {
	j := t.node.job
	name, named := s.names[handle]
	if !named || !s.owns(name) {
		return
	}
	v := s.view(name)
	if was := s.told[name]; was.Idle == v.Idle && was.Paused == v.Paused {
		return
	}
	if s.told == nil {
		s.told = map[string]SplitView{}
	}
	s.told[name] = v
	j.cfg.OnSplit(SplitEvent{At: j.now, Node: t.node.name, Subtask: t.index, Split: name, SplitView: v})
}

// Fail stops the job with an error of its caller; the first error is kept.
func (j *Job) Fail(err error) { j.fail(err) }
