package account

import (
	"fmt"
	"slices"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/flinkapi"
)

// loss makes a claim from each late counter of v that rises or could not be read.
func (x *judge) loss(v *model.Vertex) []Claim {
	if v.Status == "FINISHED" || v.Status == "CANCELED" {
		return nil
	}
	out := []Claim{}
	state := catalog.State("")
	for _, l := range v.Late {
		if i := lostOf(v, l); i >= 0 {
			return append(out, x.unreadableLoss(v, fmt.Sprintf("subtask %d does not show its late counter (%s)", i, l.Metric)))
		}
		rise, told := l.Dropped.Rise()
		if told && rise > 0 {
			c := Claim{Claim: catalog.Loss, State: catalog.Rising, At: model.Point{Vertex: v.Ref(), Operator: v.OperatorName(l.Operator)}}
			out = append(out, x.settleClaim(v, c))
			continue
		}
		if total, ok := l.Dropped.Value(); ok && (told || total == 0) {
			state = catalog.NotRising
		} else if ok && !told {
			return append(out, x.unreadableLoss(v, "its late counter is missing in the earlier sample"))
		}
	}
	switch why := x.unansweredLate(v); {
	case why != "":
		return append(out, x.unreadableLoss(v, why))
	case state != "" && len(out) == 0:
		out = append(out, Claim{Claim: catalog.Loss, State: state, Good: true, At: model.Point{Vertex: v.Ref()}})
	}
	return out
}

// lostOf is a running subtask that lacks a late counter which it showed before, or which its siblings show; -1 where none
// does.
func lostOf(v *model.Vertex, l model.LateCounter) int {
	if rise, ok := l.Dropped.Rise(); ok && rise > 0 {
		return -1
	}
	for _, i := range l.Lost {
		if s := v.Subtasks[i]; s.Status == "RUNNING" || s.Status == "" {
			return i
		}
	}
	return -1
}

func (x *judge) unreadableLoss(v *model.Vertex, why string) Claim {
	c := Claim{Claim: catalog.Loss, State: catalog.Unreadable, At: model.Point{Vertex: v.Ref()}, Why: why}
	x.unreadable(v, c)
	return c
}

// unansweredLate says why a late counter that exists, or that the operator must have, has no value.
func (x *judge) unansweredLate(v *model.Vertex) string {
	if op := unlistedLate(v); op != nil {
		return "the cluster does not list the late counter of " + model.QuoteName(op.Name) + ", which every such operator has"
	}
	g, lacking := x.gap(v, flinkapi.MetricID.IsLateCounter)
	if !lacking || g.IDs == nil && len(v.Late) > 0 {
		return ""
	}
	for _, op := range v.Chain {
		if op.Kind.CountsLate() || g.IDs != nil {
			return "its late counter could not be read: " + g.Cause
		}
	}
	return ""
}

// unlistedLate is a SQL operator that registers a late counter when it starts, of which no subtask shows it though other
// metrics of it are shown. One of DataStream has none where late records go to a side output.
func unlistedLate(v *model.Vertex) *model.Operator {
	for _, op := range v.Chain {
		shown := slices.ContainsFunc(v.Late, func(c model.LateCounter) bool { return c.Operator == op.Metric })
		if op.IsSQL() && op.Kind.CountsLate() && !shown && op.Out.Now.Readable() {
			return op
		}
	}
	return nil
}

// gap finds an answer that is missing in either sample and may have held a metric.
func (x *judge) gap(v *model.Vertex, wanted func(flinkapi.MetricID) bool) (flinkapi.Gap, bool) {
	for _, g := range x.job.GapsOf(v) {
		if g.Lacks(wanted) {
			return g, true
		}
	}
	return flinkapi.Gap{}, false
}
