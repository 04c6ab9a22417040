package model

import "tidemark/flinkapi"

// markAssigners finds the operators that assign watermarks under a name that does not say so: only theirs is an output
// ahead of the input (any other operator of a chain shows the same value in both gauges, WatermarkGauge).
func (j *Job) markAssigners() {
	for _, v := range j.Vertices {
		for i, op := range v.Chain {
			if (op.Kind == KindUnknown || op.Kind == KindStateless) && (i > 0 || len(v.In) == 1) && v.runsAhead(i) {
				op.Kind = KindAssigner
			}
		}
	}
}

// readApartMs is more wall clock than may pass between the reading of two gauges of one task, ms. A source that catches
// up passes several times as much event time meanwhile.
const readApartMs = 1000

// runsAhead reports an operator whose output is ahead of its input in some subtask, in both fetches where there are two.
// The head of a vertex with several inputs must not be asked: its input gauge may be that of an idle input.
func (v *Vertex) runsAhead(at int) bool {
	for _, s := range v.Subtasks {
		if at >= len(s.Ops) {
			continue
		}
		g := s.Ops[at]
		margin := int64(readApartMs)
		if advance, ok := g.Out.Advance(); ok && v.GapMs > 0 {
			margin = max(margin, readApartMs*advance/v.GapMs)
		}
		if !g.Out.Now.IsKnown() || !ahead(g.In.Now, g.Out.Now, margin) {
			continue
		}
		if !g.In.Before.Readable() || !g.Out.Before.IsKnown() || ahead(g.In.Before, g.Out.Before, margin) {
			return true
		}
	}
	return false
}

func ahead(in, out flinkapi.Watermark, margin int64) bool {
	if in.State() == flinkapi.None {
		return out.IsKnown()
	}
	a, okA := in.Millis()
	b, okB := out.Millis()
	return okA && okB && b-a >= margin
}

// Assigns reports a vertex whose output is not that of its inputs: an operator of its chain assigns watermarks.
func (v *Vertex) Assigns() bool { return v.Assigner() >= 0 }

// Assigner is the index in the chain of the last operator that assigns watermarks, -1 where none does.
func (v *Vertex) Assigner() int {
	last := -1
	for i, op := range v.Chain {
		if op.Kind == KindAssigner {
			last = i
		}
	}
	return last
}

// Replaced reports a vertex whose watermark nobody uses: on every path downstream an operator assigns new watermarks
// before one uses them. Such a vertex may have no watermark forever.
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

// onward says of a watermark that arrives at a vertex whether it is replaced on every path before an operator uses it,
// and whether an assigner was met.
type onward struct{ replaced, met bool }

// findOnward computes replaced from the answers of the vertices downstream of v.
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
