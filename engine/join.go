package engine

import (
	"fmt"
	"slices"
)

// IntervalJoinSpec joins left and right records of one key whose event times satisfy left +
// LowerMs <= right <= left + UpperMs. SQL plans print the bounds the other way round
// (leftLowerBound, relative to the right row); FromSQLBounds converts them.
type IntervalJoinSpec struct {
	LowerMs, UpperMs int64
	SQL              bool
	// CleanupMs is how much longer than necessary a SQL join keeps rows, to need fewer cleanups;
	// rows kept longer still match. FromSQLBounds sets the planner's value, half the length of
	// the interval.
	CleanupMs int64
}

// FromSQLBounds converts leftLowerBound and leftUpperBound of a SQL plan: right + leftLower <=
// left <= right + leftUpper.
func FromSQLBounds(leftLower, leftUpper int64) IntervalJoinSpec {
	return IntervalJoinSpec{LowerMs: -leftUpper, UpperMs: -leftLower, SQL: true, CleanupMs: (leftUpper - leftLower) / 2}
}

// DelayMs is how far the output watermark of a SQL interval join is behind its input: the larger
// of the two bounds (RowTimeIntervalJoin.getMaxOutputDelay). The DataStream join does not delay
// it.
func (s IntervalJoinSpec) DelayMs() int64 {
	if !s.SQL {
		return 0
	}
	return max(s.UpperMs, -s.LowerMs)
}

// Pair is a joined pair of records; Left and Right are event times.
type Pair struct{ Key, Left, Right int64 }

// IntervalJoin corresponds to IntervalJoinOperator (DataStream) and TimeIntervalJoin
// in KeyedCoProcessOperatorWithWatermarkDelay (SQL, inner join). Put it behind
// Inputs, which combine the two watermarks; its output goes to out.
type IntervalJoin struct {
	spec      IntervalJoinSpec
	out       Output
	pair      func(Pair)
	watermark int64
	state     [2]map[int64]*joinRows // by side, then key
	expired   [2]int64               // SQL: rows of a side at or below this can be removed
	late      int64
}

// joinRows are the rows of one side and key, by event time, in order.
type joinRows struct {
	times []int64
	timer int64 // SQL: next cleanup
	timed bool
}

// NewIntervalJoin refuses an empty interval, and in SQL a negative watermark delay, which the
// planner never builds.
func NewIntervalJoin(spec IntervalJoinSpec, out Output, pair func(Pair)) (*IntervalJoin, error) {
	if spec.LowerMs > spec.UpperMs {
		return nil, fmt.Errorf("interval join: lower bound %d ms above upper bound %d ms", spec.LowerMs, spec.UpperMs)
	}
	if spec.DelayMs() < 0 {
		return nil, fmt.Errorf("interval join: watermark delay %d ms is negative", spec.DelayMs())
	}
	return &IntervalJoin{
		spec: spec, out: out, pair: pair, watermark: None,
		state: [2]map[int64]*joinRows{{}, {}},
	}, nil
}

// Late is the number of records that were too late to be kept; no Flink metric counts them.
func (j *IntervalJoin) Late() int64 { return j.late }

// Kept is the number of records in state.
func (j *IntervalJoin) Kept() int {
	n := 0
	for _, side := range j.state {
		for _, rows := range side {
			n += len(rows.times)
		}
	}
	return n
}

// Record joins a record of side 0 (left) or 1 (right) and keeps it.
func (j *IntervalJoin) Record(side int, key, ts int64) error {
	switch {
	case side != 0 && side != 1:
		return fmt.Errorf("interval join: side %d", side)
	case j.spec.SQL:
		j.recordSQL(side, key, ts)
	case ts == None:
		return fmt.Errorf("record without a timestamp (Long.MIN_VALUE) reaches an interval join")
	case ts < j.watermark:
		j.late++
	default:
		lower, upper := j.bounds(side)
		j.match(side, key, ts, lower, upper)
		j.keep(side, key, ts)
	}
	return nil
}

// bounds are the bounds of the interval relative to a row of a side.
func (j *IntervalJoin) bounds(side int) (lower, upper int64) {
	if side == 0 {
		return j.spec.LowerMs, j.spec.UpperMs
	}
	return -j.spec.UpperMs, -j.spec.LowerMs
}

func (j *IntervalJoin) keep(side int, key, ts int64) *joinRows {
	rows := j.state[side][key]
	if rows == nil {
		rows = &joinRows{}
		j.state[side][key] = rows
	}
	at, _ := slices.BinarySearch(rows.times, ts)
	rows.times = slices.Insert(rows.times, at, ts)
	return rows
}

func (j *IntervalJoin) match(side int, key, ts, lower, upper int64) {
	rows := j.state[1-side][key]
	if rows == nil || j.pair == nil {
		return
	}
	for _, t := range rows.times {
		switch {
		case t < ts+lower || t > ts+upper:
		case side == 0:
			j.pair(Pair{key, ts, t})
		default:
			j.pair(Pair{key, t, ts})
		}
	}
}

// EmitWatermark handles the combined watermark: it removes rows that can no longer match, then
// forwards the watermark, in SQL minus the delay.
func (j *IntervalJoin) EmitWatermark(ts int64) {
	j.watermark = ts
	for side := range j.state {
		_, upper := j.bounds(side)
		for key, rows := range j.state[side] {
			if j.spec.SQL {
				j.clearSQL(side, rows)
			} else {
				// A row's cleanup timer fires at its time plus the upper bound, or at its
				// own time when that bound is not positive.
				rows.drop(func(t int64) bool { return t+max(upper, 0) <= ts })
			}
			if len(rows.times) == 0 && !rows.timed {
				delete(j.state[side], key)
			}
		}
	}
	j.out.EmitWatermark(ts - j.spec.DelayMs())
}

func (r *joinRows) drop(gone func(t int64) bool) { r.times = slices.DeleteFunc(r.times, gone) }

// EmitStatus forwards a status.
func (j *IntervalJoin) EmitStatus(idle bool) { j.out.EmitStatus(idle) }
