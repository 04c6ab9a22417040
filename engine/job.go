package engine

import "fmt"

// JobConfig is shared by all operators of a job.
type JobConfig struct {
	Version Version
	// StartMs is the clock at which timers start.
	StartMs int64
	// OnEvent, if set, is called for every watermark and status that a subtask emits.
	OnEvent func(Event)
	// OnHold, if set, is called when the holder of a subtask's watermark changes.
	OnHold func(Hold)
	// OnSplit, if set, is called when a split becomes idle or active, or is paused or resumed.
	OnSplit func(SplitEvent)
}

// Event is a watermark or status that a subtask emits.
type Event struct {
	At        int64 // clock, ms
	Node      string
	Subtask   int
	Watermark int64 // valid unless Status
	Status    bool  // the event is a change of status
	Idle      bool
}

// Hold names the holder of a subtask's watermark from At on: a split of a source, or a channel of
// an operator's input.
type Hold struct {
	At        int64 // clock, ms
	Node      string
	Subtask   int
	Input     int   // of an operator
	By        Feed  // zero: none, all are idle
	Watermark int64 // the holder's watermark
}

// Feed is what a subtask reads from: an upstream subtask, or a split of a source.
type Feed struct {
	Node    string
	Subtask int
	Split   string
}

// Job is a topology of sources, exchanges and operators. The caller passes in records and clock
// values. Everything happens at once: an exchange has no queue, so the effects of back pressure
// must be set explicitly.
type Job struct {
	cfg    JobConfig
	b      Behaviour
	nodes  []*Node
	groups map[string]*AlignmentGroup
	tasks  []*subtask // of all nodes, in their order
	timed  []*subtask // those that have timers
	now    int64
	err    error
}

// Node is a source or operator of a job.
type Node struct {
	job      *Job
	name     string
	width    int
	subtasks []*subtask
	outs     []*edge
	source   *SourceSpec
}

// NewJob returns an empty job.
func NewJob(cfg JobConfig) *Job {
	return &Job{cfg: cfg, b: cfg.Version.Behaviour(), groups: map[string]*AlignmentGroup{}, now: cfg.StartMs}
}

// SourceSpec describes a source of a job.
type SourceSpec struct {
	Strategy    Strategy
	Parallelism int
	// Splits are the names of the source's splits. Owner returns the subtask that reads split i;
	// nil assigns them round-robin. A subtask may have no split.
	Splits []string
	Owner  func(split int) int
	// Restored says that the splits come from a checkpoint, not from assignment.
	Restored bool
	// Align, if set, puts the source into an alignment group.
	Align *AlignmentConfig
}

// Source adds a source. An error is kept in Job.Err and stops the run.
func (j *Job) Source(name string, spec SourceSpec) *Node {
	n := &Node{job: j, name: name, width: max(spec.Parallelism, 1), source: &spec}
	j.nodes = append(j.nodes, n)
	for i := range n.width {
		t := &subtask{node: n, index: i}
		t.channel = NewChannel(t)
		t.source = &sourceTask{}
		cfg := SourceConfig{Strategy: spec.Strategy, Version: j.cfg.Version, StartMs: j.cfg.StartMs}
		if j.cfg.OnSplit != nil {
			cfg.OnSplit = func(split int, _ int64, _ bool) { t.source.tell(t, split) }
		}
		s, err := NewSource(cfg, t.channel)
		if err != nil {
			j.fail(fmt.Errorf("source %q: %w", name, err))
			return n
		}
		t.source.source = s
		if spec.Align != nil {
			j.fail(t.source.align(t, *spec.Align))
		}
		n.add(t)
	}
	for i, split := range spec.Splits {
		owner := i % n.width
		if spec.Owner != nil {
			owner = spec.Owner(i)
		}
		j.fail(n.addSplit(split, owner, spec.Restored))
	}
	return n
}

func (n *Node) add(t *subtask) {
	n.subtasks = append(n.subtasks, t)
	n.job.tasks = append(n.job.tasks, t)
	if t.hasTimers() {
		n.job.timed = append(n.job.timed, t)
	}
}

// Input is one logical input of an operator: several upstream nodes make a union.
type Input struct {
	Ship Ship
	From []*Node
}

// Operator adds an operator; the factory builds the task of each subtask.
func (j *Job) Operator(name string, parallelism int, op Factory, inputs ...Input) *Node {
	n := &Node{job: j, name: name, width: max(parallelism, 1)}
	j.nodes = append(j.nodes, n)
	for i := range n.width {
		t := &subtask{node: n, index: i}
		t.channel = NewChannel(t)
		task, err := op(Context{
			Behaviour: j.b, Version: j.cfg.Version, StartMs: j.cfg.StartMs, Subtask: i,
			Out: t.channel, Emit: t.send, Now: j.Now,
		})
		if err != nil {
			j.fail(fmt.Errorf("operator %q: %w", name, err))
			return n
		}
		t.task = task
		n.add(t)
	}
	for index, input := range inputs {
		j.fail(n.connect(index, len(inputs), input))
	}
	return n
}

// Err is the first error of building or running the job.
func (j *Job) Err() error { return j.err }

// Now is the clock value of the last AdvanceTo.
func (j *Job) Now() int64 { return j.now }

func (j *Job) fail(err error) {
	if err != nil && j.err == nil {
		j.err = err
	}
}

// Output is the watermark that a subtask last emitted, and whether it announced idle.
func (n *Node) Output(subtask int) (watermark int64, idle bool) {
	c := n.subtasks[subtask].channel
	return c.last, c.idle
}

// Name is the node's name.
func (n *Node) Name() string { return n.name }
