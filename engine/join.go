package engine

import (
	"fmt"
	"sort"
)

// IntervalJoinSpec joins left and right records of one key whose event times
// satisfy left + LowerMs <= right <= left + UpperMs. Note that SQL plans print the
// bounds the other way round (leftLowerBound, relative to the right row):
// FromSQLBounds converts.
type IntervalJoinSpec struct {
	LowerMs, UpperMs int64
	SQL              bool
}

// FromSQLBounds takes leftLowerBound and leftUpperBound of a SQL plan:
// right + leftLower <= left <= right + leftUpper.
func FromSQLBounds(leftLower, leftUpper int64) IntervalJoinSpec {
	return IntervalJoinSpec{LowerMs: -leftUpper, UpperMs: -leftLower, SQL: true}
}

// DelayMs is how far a SQL interval join's output watermark trails its input:
// the larger of the two bounds (RowTimeIntervalJoin.getMaxOutputDelay). The
// DataStream join does not hold it back.
func (s IntervalJoinSpec) DelayMs() int64 {
	if !s.SQL {
		return 0
	}
	return max(s.UpperMs, -s.LowerMs)
}

// Pair is one joined pair, by event time.
type Pair struct{ Key, Left, Right int64 }

// IntervalJoin stands for IntervalJoinOperator (DataStream) and TimeIntervalJoin
// in KeyedCoProcessOperatorWithWatermarkDelay (SQL, inner join). Put it behind
// Inputs, which combine the two watermarks; its output goes to out.
type IntervalJoin struct {
	spec      IntervalJoinSpec
	out       Output
	pair      func(Pair)
	watermark int64
	state     [2]map[int64][]int64 // by side, then key: event times kept
	late      int64
}

// NewIntervalJoin refuses an empty interval, and in SQL one without a join
// operator (an interval that never holds).
func NewIntervalJoin(spec IntervalJoinSpec, out Output, pair func(Pair)) (*IntervalJoin, error) {
	if spec.LowerMs > spec.UpperMs {
		return nil, fmt.Errorf("interval join: lower bound %d ms above upper bound %d ms", spec.LowerMs, spec.UpperMs)
	}
	if spec.DelayMs() < 0 {
		return nil, fmt.Errorf("interval join: watermark delay %d ms is negative", spec.DelayMs())
	}
	j := &IntervalJoin{spec: spec, out: out, pair: pair, watermark: None}
	j.state = [2]map[int64][]int64{{}, {}}
	return j, nil
}

// Late is how many records came too late to be kept; no Flink counter shows it.
func (j *IntervalJoin) Late() int64 { return j.late }

// Kept is how many records are in state.
func (j *IntervalJoin) Kept() int {
	n := 0
	for _, side := range j.state {
		for _, times := range side {
			n += len(times)
		}
	}
	return n
}

// Record joins a record of side 0 (left) or 1 (right) and keeps it.
func (j *IntervalJoin) Record(side int, key, ts int64) error {
	switch {
	case side != 0 && side != 1:
		return fmt.Errorf("interval join: side %d", side)
	case ts == None && !j.spec.SQL:
		return fmt.Errorf("record without a timestamp (Long.MIN_VALUE) reaches an interval join")
	}
	lower, upper := j.bounds(side)
	if !j.spec.SQL && ts < j.watermark {
		j.late++
		return nil
	}
	j.match(side, key, ts, lower, upper)
	if j.spec.SQL && j.operatorTime() >= ts+upper {
		j.late++
		return nil
	}
	j.state[side][key] = append(j.state[side][key], ts)
	return nil
}

// bounds are the interval seen from a side.
func (j *IntervalJoin) bounds(side int) (lower, upper int64) {
	if side == 0 {
		return j.spec.LowerMs, j.spec.UpperMs
	}
	return -j.spec.UpperMs, -j.spec.LowerMs
}

// operatorTime is the SQL join's notion of now: never below 0.
func (j *IntervalJoin) operatorTime() int64 { return max(j.watermark, 0) }

func (j *IntervalJoin) match(side int, key, ts, lower, upper int64) {
	other := append([]int64(nil), j.state[1-side][key]...)
	sort.Slice(other, func(a, b int) bool { return other[a] < other[b] })
	for _, t := range other {
		if t < ts+lower || t > ts+upper || j.pair == nil {
			continue
		}
		if side == 0 {
			j.pair(Pair{key, ts, t})
		} else {
			j.pair(Pair{key, t, ts})
		}
	}
}

// EmitWatermark takes the combined watermark, clears what can no longer match
// and passes the watermark on, in SQL less the delay.
func (j *IntervalJoin) EmitWatermark(ts int64) {
	j.watermark = ts
	for side := range j.state {
		_, upper := j.bounds(side)
		for key, times := range j.state[side] {
			kept := times[:0]
			for _, t := range times {
				if !j.gone(t, upper) {
					kept = append(kept, t)
				}
			}
			if j.state[side][key] = kept; len(kept) == 0 {
				delete(j.state[side], key)
			}
		}
	}
	j.out.EmitWatermark(ts - j.spec.DelayMs())
}

// gone tells whether a kept record's cleanup time has come: at t + upper in
// DataStream (t itself when upper is not positive), one millisecond later in SQL.
func (j *IntervalJoin) gone(t, upper int64) bool {
	if j.spec.SQL {
		return j.watermark == End || t < j.operatorTime()-upper
	}
	if upper > 0 {
		t += upper
	}
	return t <= j.watermark
}

// EmitStatus passes a status on.
func (j *IntervalJoin) EmitStatus(idle bool) { j.out.EmitStatus(idle) }
