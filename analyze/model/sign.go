package model

import "tidemark/flinkapi"

// markSigns finds the connected parts of the job in which anything uses or makes event time: a declared watermark, an
// assigner, an operator that uses it, any known value. A job without a plan, and a source without a readable watermark,
// count as well: nothing shows that they have none.
func (j *Job) markSigns() {
	seen := map[*Vertex]bool{}
	for _, v := range j.Vertices {
		if seen[v] {
			continue
		}
		part := append([]*Vertex{v}, v.reach(neighbours)...)
		sign := len(j.Now.Plan.Nodes) == 0
		for _, u := range part {
			seen[u] = true
			sign = sign || u.showsEventTime()
		}
		for _, u := range part {
			u.sign = sign
		}
	}
}

func neighbours(v *Vertex) []*Vertex { return append(downstream(v), upstream(v)...) }

// EventTimeSign reports a vertex in a connected part of the job that uses or makes event time, or could not be read.
func (v *Vertex) EventTimeSign() bool { return v.sign }

// NeedsEventTime reports that a missing watermark may matter: an operator here or downstream uses event time, or the
// connected part of the job uses or makes it anywhere.
func (v *Vertex) NeedsEventTime() bool {
	return v.EventTimeUse() == UseYes || v.sign
}

func (v *Vertex) showsEventTime() bool {
	for _, op := range v.Chain {
		if _, declared := ParseDeclared(op.Text); declared || op.Kind == KindAssigner || op.Kind.UsesEventTime() {
			return true
		}
		if op.In.Now.IsKnown() || op.Out.Now.IsKnown() {
			return true
		}
	}
	for _, s := range v.Subtasks {
		for _, sp := range s.Splits {
			if sp.Watermark.Now.IsKnown() {
				return true
			}
		}
		if s.In.Now.IsKnown() || s.Out().Now.IsKnown() {
			return true
		}
	}
	return v.IsSource() && v.MinOut().Now.State() != flinkapi.None && v.MinOut().Now.State() != flinkapi.End
}
