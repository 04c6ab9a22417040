package model

import "tidemark/flinkapi"

// markAssigners finds the operators that assign watermarks under a name of their own: an output ahead of the
// input is nobody else's (in a chain both gauges show the same value, WatermarkGauge).
func (j *Job) markAssigners() {
	for _, v := range j.Vertices {
		for i, op := range v.Chain {
			if (op.Kind == KindUnknown || op.Kind == KindStateless) && (i > 0 || len(v.In) == 1) && v.runsAhead(i) {
				op.Kind = KindAssigner
			}
		}
	}
}

// aheadOfInputMs is more than what may pass between the reading of two gauges of one task.
const aheadOfInputMs = 1000

// runsAhead reports an operator whose output is ahead of its input in some subtask, in every fetch there is.
// Of several inputs the gauge may be that of an idle one, which is why the head of such a vertex is not asked.
func (v *Vertex) runsAhead(at int) bool {
	for _, s := range v.Subtasks {
		if at >= len(s.Ops) {
			continue
		}
		g := s.Ops[at]
		if !g.Out.Now.IsKnown() || !ahead(g.In.Now, g.Out.Now) {
			continue
		}
		if !g.In.Before.Readable() || !g.Out.Before.IsKnown() || ahead(g.In.Before, g.Out.Before) {
			return true
		}
	}
	return false
}

func ahead(in, out flinkapi.Watermark) bool {
	if in.State() == flinkapi.None {
		return out.IsKnown()
	}
	a, okA := in.Millis()
	b, okB := out.Millis()
	return okA && okB && b-a >= aheadOfInputMs
}

// Assigns reports a vertex whose output is not that of its inputs: an operator of its chain assigns watermarks.
func (v *Vertex) Assigns() bool { return v.Assigner() >= 0 }

// Assigner is the place in the chain of the last operator that assigns watermarks, -1 where none does.
func (v *Vertex) Assigner() int {
	last := -1
	for i, op := range v.Chain {
		if op.Kind == KindAssigner {
			last = i
		}
	}
	return last
}

// Replaced reports a vertex whose event time nobody uses, since every way onward meets an operator that
// assigns watermarks of its own before one that goes by them: what the vertex shows may be none for ever.
func (v *Vertex) Replaced() bool {
	from := 0
	if v.IsSource() {
		if v.Assigns() {
			return false // its output is the assigner's
		}
		from = len(v.Chain)
	}
	if v.onward != nil {
		o := *v.onward
		if v.IsSource() {
			o = v.behindOnward()
		}
		return o.replaced && o.met
	}
	met := false
	return v.replaced(from, map[*Vertex]bool{}, &met) && met
}

func (v *Vertex) replaced(from int, seen map[*Vertex]bool, met *bool) bool {
	for i := from; i < len(v.Chain); i++ {
		switch op := v.Chain[i]; {
		case op.Kind == KindAssigner:
			*met = true
			return true
		case op.Kind.UsesEventTime(), op.Kind == KindCommitter, op.Kind == KindUnknown && i == 0 && v.keyed():
			return false
		}
	}
	for _, e := range v.Out {
		if !seen[e.To] {
			seen[e.To] = true
			if !e.To.replaced(0, seen, met) {
				return false
			}
		}
	}
	return true
}

// onward is what becomes of event time that comes to a vertex: replaced on every way before anybody goes
// by it, and by an operator met on the way.
type onward struct{ replaced, met bool }

// findOnward is replaced from the answers of the vertices behind v.
func (v *Vertex) findOnward() *onward {
	met := false
	if len(v.Chain) > 0 {
		alone := &Vertex{Chain: v.Chain, In: v.In}
		if ok := alone.replaced(0, nil, &met); !ok || met {
			return &onward{ok, met}
		}
	}
	o := v.behindOnward()
	return &o
}

func (v *Vertex) behindOnward() onward {
	o := onward{replaced: true}
	for _, e := range v.Out {
		o.replaced = o.replaced && e.To.onward.replaced
		o.met = o.met || e.To.onward.met
	}
	return o
}
