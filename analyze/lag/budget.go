package lag

import (
	"fmt"
	"math"

	"tidemark/analyze/model"
)

// LimitMs is how late event time may be without a reason, ms, unless a policy says otherwise.
const LimitMs = 60_000

// Budget splits a vertex's event-time lag into parts along the path to who holds it, ms. What no part
// explains, or what parts count twice, is the last one, PartRest.
func Budget(j *model.Job, v *model.Vertex, lag int64) []model.LagPart {
	if j.Queues == nil {
		j.Queues = j.NewWalk(func(u *model.Vertex) bool { return len(queueParts(u)) > 0 })
	}
	parts := []model.LagPart{}
	for _, u := range j.Queues.From(v) {
		parts = append(parts, queueParts(u)...)
	}
	if src := j.EndOf(v); src.IsSource() {
		parts = append(parts, sourceParts(j, src)...)
	}
	sum := int64(0)
	for _, p := range parts {
		sum += p.Ms
	}
	rest := lag - sum
	if p, ok := rhythmPart(j, v, rest); ok {
		parts, rest = append(parts, p), rest-p.Ms
	}
	if rest != 0 {
		parts = append(parts, model.LagPart{Part: "unexplained", Kind: model.PartRest, Class: model.PartUnknown, Ms: rest})
	}
	return parts
}

// rhythmPart is the part of a lag that comes from rare records: until the holder's next record, event time is behind
// by the distance between two of them.
func rhythmPart(j *model.Job, v *model.Vertex, rest int64) (model.LagPart, bool) {
	h := j.HolderOf(v)
	if h.Subtask == nil || !h.Vertex.IsSource() || rest < skewMinMs || !h.OrdinarySilence(rest) {
		return model.LagPart{}, false
	}
	return model.LagPart{Part: "distance of two records of " + model.SubtaskLabel(h.Subtask), Kind: model.PartRhythm, Class: model.PartWanted, Ms: rest}, true
}

// queueParts are the waits between v and its holder: queues and operators on the way.
func queueParts(v *model.Vertex) []model.LagPart {
	q, from, ok := QueueLag(v)
	if !ok {
		return nil
	}
	var parts []model.LagPart
	if q > 0 {
		parts = append(parts, model.LagPart{Part: "queue before " + model.QuoteName(v.Name), Kind: model.PartQueue, Class: model.PartOwed, Ms: q, Certain: true})
	}
	for _, op := range from.Chain {
		hold, holds := model.HoldOf(op)
		if trail, ok := TrailOf(op); ok && holds && min(trail, hold) > 0 {
			parts = append(parts, model.LagPart{Part: "hold of " + model.QuoteName(op.Name), Kind: model.PartHold, Class: model.PartWanted, Ms: min(trail, hold), Certain: true})
		}
	}
	return parts
}

// sourceParts are the age of the records read, the bound, and how far the split that holds the
// minimum is behind the newest.
func sourceParts(j *model.Job, v *model.Vertex) []model.LagPart {
	if v.Parts == nil { // the same for everything downstream
		v.Parts = []model.LagPart{}
		for _, p := range partsOfSource(j, v) {
			if p.Ms > 0 {
				v.Parts = append(v.Parts, p)
			}
		}
	}
	return v.Parts
}

func partsOfSource(j *model.Job, v *model.Vertex) []model.LagPart {
	var parts []model.LagPart
	if lo, _, ok := Ages(j, v); ok {
		p := model.LagPart{Part: "age of the records read", Kind: model.PartAge, Class: model.PartOwed, Ms: int64(lo), Certain: true}
		if v.IsSQLScan() {
			p.Part, p.Certain = "age of the rows (inferred)", false
		}
		parts = append(parts, p)
	}
	if b, ok := BoundOf(j, v); ok {
		parts = append(parts, b.part(v))
	}
	if ms, ok := allIdle(v, j); ok {
		parts = append(parts, model.LagPart{Part: "no record for", Kind: model.PartNone, Class: model.PartOwed, Ms: ms, Certain: true})
	}
	return append(parts, splitPart(j, v)...)
}

// splitPart is the distance of the split that holds the minimum to the newest of its siblings.
func splitPart(j *model.Job, v *model.Vertex) []model.LagPart {
	h := j.HolderOf(v)
	if h.Split == nil || !h.Split.Watermark.Now.IsKnown() {
		return subtaskPart(j, v, h)
	}
	own, ok := h.Split.Watermark.Now.Millis()
	newest, known := v.NewestOrdinary(j).Millis()
	if !ok || !known {
		return nil
	}
	p := model.LagPart{Part: "split " + h.Split.ID + " behind its siblings", Kind: model.PartSkew, Class: model.PartOwed, Ms: newest - own, Certain: true}
	if h.OrdinarySilence(p.Ms) {
		p.Kind, p.Class = model.PartRhythm, model.PartWanted // its records are as far apart
		return []model.LagPart{p}
	}
	if h.Split.Watermark.Frozen() {
		p.Part, p.Kind = "silence of split "+h.Split.ID, model.PartSilence
	}
	return []model.LagPart{p}
}

// subtaskPart is the distance of the subtask that holds the minimum to the newest of its siblings, where
// splits show no watermark of their own.
func subtaskPart(j *model.Job, v *model.Vertex, h model.Holder) []model.LagPart {
	if h.Subtask == nil || len(v.Subtasks) < 2 {
		return nil
	}
	own, ok := h.Subtask.Out().Now.Millis()
	newest := own
	for _, s := range v.Subtasks {
		if lag, known := j.Lag(v, s.Out()); known && lag >= -model.AheadMs {
			ms, _ := s.Out().Now.Millis()
			newest = max(newest, ms)
		}
	}
	p := model.LagPart{Part: fmt.Sprintf("subtask %d behind its siblings", h.Subtask.Index), Kind: model.PartSkew, Class: model.PartOwed, Ms: newest - own, Certain: true}
	if !ok || p.Ms < skewMinMs {
		return nil
	}
	if h.OrdinarySilence(p.Ms) {
		p.Kind, p.Class = model.PartRhythm, model.PartWanted
		return []model.LagPart{p}
	}
	if h.Subtask.Out().Frozen() {
		p.Part, p.Kind = fmt.Sprintf("silence of subtask %d", h.Subtask.Index), model.PartSilence
	}
	return []model.LagPart{p}
}

// skewMinMs is a distance between siblings that is ordinary between two records, ms of event time.
const skewMinMs = 10_000

// part is the bound as a summand of a lag. An inferred one above the limit is only taken for a bound
// where the ages of the records seen spread over a tenth of it: such a bound fits their disorder.
func (b Bound) part(v *model.Vertex) model.LagPart {
	p := model.LagPart{Part: "bound (inferred)", Kind: model.PartBound, Class: model.PartWanted, Ms: b.Ms, Certain: b.Declared}
	switch {
	case b.Declared:
		p.Part = "bound (declared)"
		return p
	case b.Upper:
		p.Part = "bound or age of the rows (inferred)"
	}
	if lo, hi, ok := v.EmitLag(); b.least() > LimitMs && (b.Upper || !ok || hi-lo < float64(b.Ms)/10 || SharedSkew(v, b)) {
		p.Class = model.PartConstant
	}
	return p
}

// SharedSkew reports ages of records that reach the whole lag, in subtasks that read several splits and show
// no watermark of each: one split may be behind the others as well as a bound may be that large.
func SharedSkew(v *model.Vertex, b Bound) bool {
	lo, hi, ok := v.EmitLag()
	if !ok || hi < 0.8*(float64(b.Ms)+lo) {
		return false
	}
	for _, s := range v.Subtasks {
		if splits := s.ActiveSplits(); len(splits) > 1 && !splits[0].Watermark.Now.Readable() {
			return true
		}
	}
	return false
}

// allIdle is how long every subtask that holds event time has read nothing, ms of wall clock: the age of
// the records stops there, and the lag grows on. Where one still reads it is the silence of a split.
func allIdle(v *model.Vertex, j *model.Job) (int64, bool) {
	least, any := int64(math.MaxInt64), false
	for _, s := range v.Subtasks {
		if out := s.Out(); !out.Now.Readable() || !j.Holds(s, out) {
			continue
		}
		if !s.IdlePolls() {
			return 0, false
		}
		idle, _ := s.SourceIdle.Value() // idlePolls has read it
		least, any = min(least, int64(idle)), true
	}
	return least, any
}

// Ages is how old records are when the source emits them, ms: the smallest and the largest. A table
// source shows no event time of its records; there it is the lag of a moving watermark less the declared delay.
func Ages(j *model.Job, v *model.Vertex) (lo, hi float64, ok bool) {
	if !v.IsSQLScan() {
		return v.EmitLag()
	}
	d, declared := j.Declared(v)
	ms, known := j.Lag(v, v.MinOut())
	if !declared || !d.DelayKnown || d.Source || !known || !model.MovedCertainly(v.MinOut()) {
		return 0, 0, false
	}
	return float64(ms - d.DelayMs), float64(ms - d.DelayMs), true
}
