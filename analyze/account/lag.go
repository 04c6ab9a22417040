package account

import (
	"tidemark/analyze/catalog"
	"tidemark/analyze/lag"
	"tidemark/analyze/model"
)

// lag claims how late an advancing vertex is, by the largest part of its lag that is not wanted.
func (x *judge) lag(v *model.Vertex) []Claim {
	et := v.Watermark()
	moved, known := et.Moved()
	ms, ok := x.job.Lag(v, et)
	if !ok || !known || !moved || v.EventTimeUse() == model.UseNo || ms > lag.OrdinaryMs || ms < -lag.OrdinaryMs {
		return nil
	}
	c := Claim{Claim: catalog.Lag, State: catalog.Wanted, Good: true, At: model.Point{Vertex: v.Ref()}, Ms: &ms}
	if ms <= lag.LimitMs {
		return []Claim{c}
	}
	var states []catalog.State
	worst := int64(0)
	for _, p := range Overlap(lag.Budget(x.job, v, ms)) {
		if p.Class == model.PartWanted || p.Ms <= lag.LimitMs {
			continue
		}
		states = append(states, catalog.State(p.Class))
		if p.Ms > worst {
			worst, c.State = p.Ms, catalog.State(p.Class)
		}
	}
	if len(states) == 0 {
		return []Claim{c}
	}
	c = x.bad(v, c)
	return []Claim{x.settleClaim(v, c, states...)}
}

// Parts overlap where the rest is negative: the overlap is subtracted from the largest owed part.
func Overlap(parts []model.LagPart) []model.LagPart {
	if n := len(parts); n == 0 || parts[n-1].Kind != model.PartRest || parts[n-1].Ms >= 0 {
		return parts
	}
	twice := -parts[len(parts)-1].Ms
	out := append([]model.LagPart(nil), parts[:len(parts)-1]...)
	for twice > 0 {
		largest := -1
		for i, p := range out {
			if p.Class != model.PartWanted && p.Ms > 0 && (largest < 0 || p.Ms > out[largest].Ms) {
				largest = i
			}
		}
		if largest < 0 {
			break
		}
		off := min(twice, out[largest].Ms)
		out[largest].Ms -= off
		twice -= off
	}
	return out
}
