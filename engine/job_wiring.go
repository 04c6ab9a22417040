package engine

import "fmt"

// subtask is one parallel instance: its valves, the combination of its inputs
// and what its output is connected to.
type subtask struct {
	node    *Node
	index   int
	channel *Channel
	task    Task
	source  *sourceTask
	valves  []*Valve
	feeds   [][]Feed // by input and channel: the upstream subtask
	inputs  *Inputs
	held    Hold
	turn    int
}

// edge leads from a node to one input of another.
type edge struct {
	ship  Ship
	to    *Node
	input int
	base  int // the first channel of this node at the target's input
	// groups is how many key groups the target has.
	groups int
}

// inputPort forwards the output of a valve to the combination of the inputs.
type inputPort struct {
	t     *subtask
	input int
}

func (p inputPort) EmitWatermark(ts int64) { p.t.node.job.fail(p.t.inputs.Watermark(p.input, ts)) }
func (p inputPort) EmitStatus(idle bool)   { p.t.node.job.fail(p.t.inputs.Status(p.input, idle)) }

// connect gives every subtask of n a valve for one input, and the upstream nodes an edge to it.
func (n *Node) connect(index, inputs int, in Input) error {
	if len(in.From) == 0 {
		return fmt.Errorf("operator %q: input %d comes from nowhere", n.name, index)
	}
	channels, feeds := 0, [][]Feed{}
	for range n.subtasks {
		feeds = append(feeds, nil)
	}
	for _, from := range in.From {
		if in.Ship == Forward && from.width != n.width {
			return fmt.Errorf("operator %q: FORWARD from %q needs parallelism %d, not %d", n.name, from.name, from.width, n.width)
		}
		from.outs = append(from.outs, &edge{in.Ship, n, index, channels, DefaultMaxParallelism(n.width)})
		width := from.width
		if in.Ship == Forward {
			width = 1
		}
		channels += width
		for i := range n.subtasks {
			for k := range width {
				if in.Ship == Forward {
					k = i
				}
				feeds[i] = append(feeds[i], Feed{Node: from.name, Subtask: k})
			}
		}
	}
	for i, t := range n.subtasks {
		var out Output = t.task
		if inputs > 1 {
			if t.inputs == nil {
				combined, err := NewInputs(inputs, n.job.b, t.task)
				if err != nil {
					return err
				}
				t.inputs = combined
			}
			out = inputPort{t, index}
		}
		valve, err := NewValve(channels, out)
		if err != nil {
			return err
		}
		t.valves = append(t.valves, valve)
		t.feeds = append(t.feeds, feeds[i])
	}
	return nil
}

// EmitWatermark sends a subtask's watermark over all its edges.
func (t *subtask) EmitWatermark(ts int64) {
	t.report(Event{Watermark: ts})
	t.spread(func(to *subtask, input, ch int) error { return to.valves[input].Watermark(ch, ts) })
}

// EmitStatus sends a subtask's status over all its edges.
func (t *subtask) EmitStatus(idle bool) {
	t.report(Event{Status: true, Idle: idle, Watermark: t.channel.last})
	t.spread(func(to *subtask, input, ch int) error { return to.valves[input].Status(ch, idle) })
}

func (t *subtask) report(e Event) {
	if hear := t.node.job.cfg.OnEvent; hear != nil {
		e.At, e.Node, e.Subtask = t.node.job.now, t.node.name, t.index
		hear(e)
	}
}

func (t *subtask) spread(deliver func(to *subtask, input, channel int) error) {
	for _, e := range t.node.outs {
		targets, channel := e.to.subtasks, e.base+t.index
		if e.ship == Forward {
			targets, channel = targets[t.index:t.index+1], e.base
		}
		for _, to := range targets {
			t.node.job.fail(deliver(to, e.input, channel))
			to.checkHold()
		}
	}
}

// send sends a record downstream.
func (t *subtask) send(key, ts int64) {
	for _, e := range t.node.outs {
		switch e.ship {
		case Forward:
			t.deliver(e.to.subtasks[t.index], e.input, key, ts)
		case Hash:
			owner := KeySubtask(key, e.to.width, e.groups)
			t.deliver(e.to.subtasks[owner], e.input, key, ts)
		case Rebalance:
			t.deliver(e.to.subtasks[(t.index+t.turn)%e.to.width], e.input, key, ts)
		case Broadcast:
			for _, to := range e.to.subtasks {
				t.deliver(to, e.input, key, ts)
			}
		}
	}
	t.turn++
}

func (t *subtask) deliver(to *subtask, input int, key, ts int64) {
	t.node.job.fail(to.task.Record(input, key, ts))
}
