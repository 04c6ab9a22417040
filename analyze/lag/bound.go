package lag

import (
	"math"

	"tidemark/analyze/model"
	"tidemark/internal/units"
)

// Bound is the out-of-orderness in force at a source, ms of event time.
type Bound struct {
	Ms       int64
	Declared bool   // read where Where says; else inferred from gauges
	Where    string // what declares it; "" is the plan
	Upper    bool   // only an upper limit: the records' own age could not be told apart
	// MoreMs is how much larger an inferred bound may be. The newest record makes the watermark, and
	// where records are out of order it may be younger than every one whose age was seen.
	MoreMs int64
}

// BoundOf reads the bound from the plan, or infers it: the smallest lag of a moving split's
// watermark minus the smallest lag of a record just read. REST shows no DataStream bound.
func BoundOf(j *model.Job, v *model.Vertex) (Bound, bool) {
	if d, ok := j.Declared(v); ok && d.DelayKnown && !d.Source {
		return Bound{Ms: d.DelayMs, Declared: true}, true
	}
	best := int64(math.MaxInt64)
	for _, e := range j.EmittersOf(v) {
		for _, p := range model.Known(e.Spots()) {
			if moved, told := p.Reading.Moved(); told && !moved || !told && p.Subtask.IdlePolls() {
				continue
			}
			if lag, ok := j.Lag(v, p.Reading); ok && lag > -model.AheadMs {
				best = min(best, lag)
			}
		}
	}
	if best == math.MaxInt64 {
		return Bound{}, false
	}
	lo, hi, ok := v.EmitLag()
	if !ok || v.IsSQLScan() {
		return Bound{Ms: max(best, 0), Upper: true}, true
	}
	more := min(lo, hi-lo)
	if hi == lo { // one age alone does not show disorder
		more = lo
	}
	b := Bound{Ms: max(best-int64(lo), 0)}
	b.MoreMs = max(min(int64(more), best-b.Ms), 0) // never above the lag itself
	return b, true
}

const BoundMinMs = 60_000

// String says what tells the delay.
func (b Bound) String() string {
	text := units.Duration(b.Ms)
	switch {
	case b.Declared:
		if b.Where != "" {
			return text + " (declared in " + b.Where + ")"
		}
		return text + " (declared in the plan)"
	case b.Upper:
		return "at most " + text + " (the age of the rows is in it)"
	}
	return "about " + text + " (inferred from the gauges)"
}

// Tolerance is how far an inferred delay may be off: the gauges are whole milliseconds, but records
// arrive between a watermark and the reading of it.
func (b Bound) Tolerance() int64 {
	if b.Declared {
		return 0
	}
	return max(1000, b.Ms/5)
}
