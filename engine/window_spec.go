package engine

import "fmt"

// Shape is how a window operator groups event times.
type Shape uint8

const (
	// Tumbling windows follow each other without gap.
	Tumbling Shape = iota
	// Hopping windows overlap: one starts every slide (DataStream: sliding).
	Hopping
	// Cumulating windows share a start and grow by a step up to a size (SQL only).
	Cumulating
	// Session windows end when a gap passes without a record.
	Session
)

// Dialect decides which lateness test and counters apply.
type Dialect uint8

const (
	// DataStream is WindowOperator with EventTimeTrigger.
	DataStream Dialect = iota
	// SQL is a window table function: WindowAggOperator, or the session window
	// processors; a late record is counted when its last window has fired.
	SQL
	// SQLGroup is the older GroupWindowAggregate: as DataStream, but a record that
	// no window takes is always counted.
	SQLGroup
)

// WindowSpec describes an event-time window; durations are milliseconds.
type WindowSpec struct {
	Shape      Shape
	Dialect    Dialect
	SizeMs     int64 // tumbling, hopping, cumulating: length (cumulating: the longest)
	SlideMs    int64 // hopping: distance between starts; cumulating: step
	GapMs      int64 // session
	OffsetMs   int64 // shifts the grid; a fixed time zone is an offset of minus its shift. SQL before 1.20.4 fires late with an offset: not modelled
	LatenessMs int64 // allowed lateness (DataStream and SQLGroup)
}

// Validate refuses what Flink refuses.
func (w WindowSpec) Validate() error {
	grid := w.SizeMs
	switch w.Shape {
	case Tumbling:
	case Hopping, Cumulating:
		grid = w.SlideMs
		if w.SlideMs <= 0 {
			return fmt.Errorf("window: slide or step %d ms is not positive", w.SlideMs)
		}
		if (w.Shape == Cumulating || w.Dialect == SQL) && w.SizeMs%w.SlideMs != 0 {
			return fmt.Errorf("window: size %d ms is not a multiple of %d ms", w.SizeMs, w.SlideMs)
		}
		if w.Shape == Cumulating && w.Dialect != SQL {
			return fmt.Errorf("window: cumulating windows exist only as SQL window table functions")
		}
	case Session:
		if w.GapMs <= 0 {
			return fmt.Errorf("window: session gap %d ms is not positive", w.GapMs)
		}
	default:
		return fmt.Errorf("window: unknown shape %d", w.Shape)
	}
	switch {
	case w.Shape != Session && w.SizeMs <= 0:
		return fmt.Errorf("window: size %d ms is not positive", w.SizeMs)
	case w.Shape != Session && (w.OffsetMs >= grid || w.OffsetMs <= -grid):
		return fmt.Errorf("window: offset %d ms is not below %d ms", w.OffsetMs, grid)
	case w.LatenessMs < 0:
		return fmt.Errorf("window: allowed lateness %d ms is negative", w.LatenessMs)
	case w.LatenessMs > 0 && w.Dialect == SQL:
		return fmt.Errorf("window: SQL window table functions have no allowed lateness")
	case w.Dialect > SQLGroup:
		return fmt.Errorf("window: unknown dialect %d", w.Dialect)
	}
	return nil
}

// span is a half-open window [start, end) of event time.
type span struct{ start, end int64 }

func (s span) maxTimestamp() int64 { return s.end - 1 }

// windowStart is TimeWindow.getWindowStartWithOffset.
func windowStart(ts, offset, size int64) int64 {
	remainder := (ts - offset) % size
	if remainder < 0 {
		remainder += size
	}
	return ts - remainder
}

// assign appends the windows of an event time to spans, in Flink's order.
func (w WindowSpec) assign(spans []span, ts int64) []span {
	switch w.Shape {
	case Tumbling:
		start := windowStart(ts, w.OffsetMs, w.SizeMs)
		return append(spans, span{start, start + w.SizeMs})
	case Hopping:
		for start := windowStart(ts, w.OffsetMs, w.SlideMs); start > ts-w.SizeMs; start -= w.SlideMs {
			spans = append(spans, span{start, start + w.SizeMs})
		}
	case Cumulating:
		start := windowStart(ts, w.OffsetMs, w.SizeMs)
		first := windowStart(ts, w.OffsetMs, w.SlideMs) + w.SlideMs
		for end := first; end <= start+w.SizeMs; end += w.SlideMs {
			spans = append(spans, span{start, end})
		}
	case Session:
		return append(spans, span{ts, ts + w.GapMs})
	}
	return spans
}
