package account

import (
	"tidemark/analyze/catalog"
	"tidemark/analyze/lag"
	"tidemark/analyze/model"
)

// sense claims that the times of v's own watermarks are plausible against the clock, subtask by subtask and split by
// split. Only places that make watermarks claim it: others inherit.
func (x *judge) sense(v *model.Vertex) []Claim {
	if v.EventTimeUse() == model.UseNo || v.Status == "FINISHED" {
		return nil
	}
	out := []Claim{}
	seen := false
	for _, e := range x.job.EmittersOf(v) {
		for _, p := range model.Known(e.Spots()) {
			ms, ok := p.Reading.Now.Lag(x.job.Clock(v)) // of a foreign unit, too
			if !ok {
				continue
			}
			seen = true
			own, _ := p.Reading.Now.Millis()
			state := catalog.Reasonable
			switch {
			case ms > lag.OrdinaryMs || model.UnitOf(own, x.job.NowMs) != "":
				state = catalog.Foreign
			case ms < -model.AheadMs:
				state = catalog.Future
			}
			if state == catalog.Reasonable {
				continue
			}
			at := model.Point{Vertex: v.Ref(), Operator: e.Op.Name, Subtask: &p.Subtask.Index}
			if p.Split != nil {
				at.Split = p.Split.ID
			}
			c := Claim{Claim: catalog.Sense, State: state, At: at}
			if state == catalog.Future { // the distance of another unit means nothing
				c.Ms = &ms
			}
			out = append(out, x.settleClaim(v, c))
		}
	}
	switch {
	case seen && len(out) == 0:
		out = append(out, Claim{Claim: catalog.Sense, State: catalog.Reasonable, Good: true, At: model.Point{Vertex: v.Ref()}})
	case !seen && v.IsSource() && x.signed(v) && !v.MinOut().Now.Readable():
		c := Claim{Claim: catalog.Sense, State: catalog.Unreadable, At: model.Point{Vertex: v.Ref()}, Why: x.missing(v, v.MinOut())}
		x.unreadable(v, c)
		out = append(out, c)
	}
	return out
}
