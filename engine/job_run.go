package engine

import "fmt"

// AddSplit assigns a split to a source subtask, before or while the job runs.
func (n *Node) AddSplit(name string, subtask int) error { return n.addSplit(name, subtask, false) }

// RestoreSplit gives a subtask a split from a checkpoint.
func (n *Node) RestoreSplit(name string, subtask int) error { return n.addSplit(name, subtask, true) }

func (n *Node) addSplit(name string, subtask int, restored bool) error {
	t, err := n.sourceAt(subtask)
	if err != nil {
		return err
	}
	return t.source.add(name, restored)
}

// ReleaseSplit finishes a split: the reader has read it to its end.
func (n *Node) ReleaseSplit(name string) error {
	for _, t := range n.subtasks {
		if t.source != nil && t.source.owns(name) {
			return t.source.release(name)
		}
	}
	return fmt.Errorf("source %q: unknown split %q", n.name, name)
}

func (n *Node) sourceAt(subtask int) (*subtask, error) {
	if subtask < 0 || subtask >= len(n.subtasks) || n.subtasks[subtask].source == nil {
		return nil, fmt.Errorf("node %q has no source subtask %d", n.name, subtask)
	}
	return n.subtasks[subtask], nil
}

// Record reads one record of a split at the current clock: the record goes downstream first, then
// to the split's generator. While alignment pauses the split, the record waits until the split
// resumes.
func (n *Node) Record(split string, key, ts int64) error {
	if n.job.err != nil {
		return n.job.err
	}
	for _, t := range n.subtasks {
		if t.source != nil && t.source.owns(split) {
			t.source.read(t, queued{split, key, ts})
			return n.job.err
		}
	}
	return fmt.Errorf("source %q: unknown split %q", n.name, split)
}

// AdvanceTo moves the clock and fires every timer of the job in order of time; timers due at the
// same time fire in the order of the nodes.
func (j *Job) AdvanceTo(now int64) error {
	if now < j.now {
		return fmt.Errorf("clock goes back from %d to %d", j.now, now)
	}
	for j.err == nil {
		next := now
		for _, t := range j.timed {
			next = min(next, t.nextTimer())
		}
		j.now = next
		j.advance(next)
		if next == now {
			return j.err
		}
	}
	return j.err
}

// advance fires the timers due at one moment, and calls OnHold for each change of holder that a
// timer causes.
func (j *Job) advance(now int64) {
	if j.cfg.OnHold == nil {
		for _, t := range j.timed {
			j.fail(t.advance(now))
		}
		return
	}
	for _, t := range j.tasks {
		j.fail(t.advance(now))
		t.checkHold()
	}
}

// Finish ends a source: every subtask emits End.
func (n *Node) Finish() error {
	for i := range n.subtasks {
		if err := n.FinishSubtask(i); err != nil {
			return err
		}
	}
	return n.job.err
}

// FinishSubtask finishes one subtask of a source. Downstream, the finished channel stays active
// at End, so if all others are idle the watermark jumps to End (FLINK-38477).
func (n *Node) FinishSubtask(subtask int) error {
	t, err := n.sourceAt(subtask)
	if err != nil {
		return err
	}
	t.source.source.Finish()
	return n.job.err
}

// SetBackpressured pauses or resumes the idleness clocks of a source subtask.
func (n *Node) SetBackpressured(subtask int, on bool) error {
	t, err := n.sourceAt(subtask)
	if err != nil {
		return err
	}
	return t.source.source.SetBackpressured(on)
}

// Holder is the current holder of a subtask's watermark.
func (n *Node) Holder(subtask int) Hold { return n.subtasks[subtask].holder() }

// holder finds the active input, channel or split with the lowest watermark.
func (t *subtask) holder() Hold {
	h := Hold{Node: t.node.name, Subtask: t.index, Watermark: None}
	if t.source != nil {
		combined := t.source.source.mux.combined
		if i := combined.Holder(); i >= 0 {
			part := combined.parts[i]
			h.By, h.Watermark = Feed{h.Node, h.Subtask, t.source.names[part.id]}, part.watermark
		}
		return h
	}
	if t.inputs != nil {
		if h.Input = t.inputs.Holder(); h.Input < 0 {
			return Hold{Node: h.Node, Subtask: h.Subtask, Watermark: None}
		}
	}
	if h.Input >= len(t.valves) {
		return h
	}
	valve := t.valves[h.Input]
	if ch := valve.Holder(); ch >= 0 {
		h.By, h.Watermark = t.feeds[h.Input][ch], valve.channels[ch].watermark
	}
	return h
}

// checkHold reports a change of holder; a change of the holder's watermark alone is not one.
func (t *subtask) checkHold() {
	hear := t.node.job.cfg.OnHold
	if hear == nil {
		return
	}
	h := t.holder()
	if h.By == t.held.By && h.Input == t.held.Input {
		return
	}
	h.At, t.held = t.node.job.now, h
	hear(h)
}
