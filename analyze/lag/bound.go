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
	// LessMs is how much smaller it may be: a watermark is as old as the last record, and that is up to the
	// distance of two records ago.
	LessMs int64
	// NewestMs is how old the newest record is at least, where the bound is inferred.
	NewestMs int64
}

// Untold reports an inferred bound that may be zero: if all records seen are as old as the watermark or older, the
// newest record was never seen.
func (b Bound) Untold() bool {
	return !b.Declared && !b.Upper && b.least() == 0 && b.Ms+b.MoreMs > b.Tolerance() && b.LessMs+b.MoreMs > b.Tolerance()
}

// Range writes an inferred bound: a number where it is one, else from and to.
func (b Bound) Range() string {
	if b.LessMs+b.MoreMs <= b.Tolerance() {
		return "about " + units.Duration(b.Ms)
	}
	return units.Duration(b.least()) + " to " + units.Duration(b.Ms+b.MoreMs)
}

func (b Bound) least() int64 { return max(b.Ms-b.LessMs, 0) }

// Large reports a bound that is above the limit even with its error subtracted.
func (b Bound) Large() bool { return b.least() >= BoundMinMs }

// BoundOf reads the bound from the plan, or infers it: the smallest lag of a moving split's
// watermark minus the smallest lag of a record just read. REST shows no DataStream bound.
func BoundOf(j *model.Job, v *model.Vertex) (Bound, bool) {
	if d, ok := j.Declared(v); ok && d.DelayKnown && !d.Source {
		return Bound{Ms: d.DelayMs, Declared: true}, true
	}
	if v.ComesBack() {
		return Bound{}, false // its subtasks have not caught up with each other
	}
	best, less := int64(math.MaxInt64), int64(0)
	for _, e := range j.EmittersOf(v) {
		for _, p := range model.Known(e.Spots()) {
			if moved, told := p.Reading.Moved(); told && !moved || !told && p.Subtask.IdlePolls() {
				continue
			}
			lag, ok := j.Lag(v, p.Reading)
			if idle, told := p.Subtask.SourceIdle.Value(); told {
				lag -= int64(idle) // its newest record came that long ago, the split's own no later
			}
			if ok && lag > -model.AheadMs && lag < best {
				best, less = lag, recordDistance(p.Subtask)
			}
		}
	}
	if best == math.MaxInt64 {
		return Bound{}, false
	}
	lo, hi, ok := v.EmitLag()
	if !ok || v.IsSQLScan() {
		return Bound{Ms: max(best, 0), Upper: true, LessMs: less}, true
	}
	more := min(lo, hi-lo)
	if hi == lo { // one age alone does not show disorder
		more = lo
	}
	b := Bound{Ms: max(best-int64(lo), 0), LessMs: less}
	b.MoreMs = max(min(int64(more), best-b.Ms), 0) // never above the lag itself
	b.NewestMs = max(best-b.Ms-b.MoreMs, 0)
	return b, true
}

// recordDistance is the mean distance between two records of a split of the subtask, ms; 0 if the subtask has one
// split and shows how long ago its last record came.
func recordDistance(s *model.Subtask) int64 {
	splits := len(s.ActiveSplits())
	n, ok := s.Records.Value()
	if _, told := s.SourceIdle.Value(); !ok || n < 1 || splits == 1 && told {
		return 0
	}
	return int64(float64(s.RunMs) * float64(max(splits, 1)) / n)
}

const BoundMinMs = 60_000

// String says where the delay was read.
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
	if b.Untold() {
		return "not told by the gauges (" + b.Range() + ")"
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
