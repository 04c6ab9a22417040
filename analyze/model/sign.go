package model

import "tidemark/flinkapi"

// markSigns finds the parts of the job, joined by edges, in which anything asks for event time or makes
// it: a declared watermark, an assigner, an operator that uses it, any value ever known. Where nothing
// could be read nothing is known to be absent, so that counts as a sign as well.
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

// EventTimeSign reports a vertex of a part of the job that shows event time anywhere, or could not be read.
func (v *Vertex) EventTimeSign() bool { return v.sign }

// NeedsEventTime reports that a missing watermark may matter here: something uses event time, or may
// use it in a part of the job that shows some.
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
