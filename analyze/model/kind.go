package model

// Kind is what an operator does to event time.
type Kind string

// The kinds that checks tell apart. Unknown is a user function that may or may not use event time.
const (
	KindSource        Kind = "source"
	KindSink          Kind = "sink"
	KindAssigner      Kind = "assigner" // emits its own watermarks
	KindWindow        Kind = "window"   // event-time window or window table function
	KindLocalWindow   Kind = "local-window"
	KindIntervalJoin  Kind = "interval-join"
	KindTemporalJoin  Kind = "temporal-join"
	KindMatch         Kind = "match" // CEP, MATCH_RECOGNIZE
	KindOver          Kind = "over"
	KindSort          Kind = "temporal-sort"
	KindDeduplicate   Kind = "deduplicate"     // by rowtime
	KindMiniBatchRow  Kind = "mini-batch-row"  // MiniBatchAssigner(mode=[RowTime])
	KindMiniBatchProc Kind = "mini-batch-proc" // MiniBatchAssigner(mode=[ProcTime])
	KindStateless     Kind = "stateless"       // passes watermarks, uses none
	KindRegularJoin   Kind = "regular-join"
	KindAggregate     Kind = "aggregate" // without a window
	KindRank          Kind = "rank"
	KindReadsMark     Kind = "reads-watermark" // CURRENT_WATERMARK in an expression
	KindProcTime      Kind = "processing-time" // a window, OVER, pattern or sort by processing time
	KindCommitter     Kind = "committer"       // commits by checkpoint or tags by watermark, which REST does not show
	KindUnknown       Kind = "unknown"
)

// UsesEventTime reports whether results of the operator wait for, or are dropped by, a watermark.
func (k Kind) UsesEventTime() bool {
	switch k {
	case KindWindow, KindLocalWindow, KindIntervalJoin, KindTemporalJoin, KindMatch, KindOver, KindSort, KindDeduplicate, KindReadsMark:
		return true
	}
	return false
}

// Holds reports an operator whose output watermark differs from its input by design.
func (k Kind) Holds() bool {
	switch k {
	case KindAssigner, KindIntervalJoin, KindMiniBatchRow, KindMiniBatchProc:
		return true
	}
	return false
}

// LosesRowtime reports a SQL operator whose result has no time attribute. Top-N keeps it: a window downstream emits
// retractions (2.3.0).
func (k Kind) LosesRowtime() bool {
	return k == KindRegularJoin || k == KindAggregate
}

// DropsUncounted reports an operator that drops late rows without a counter in this version
// (no late metric in the classes of 1.17 to 2.3; first-row deduplication counts since 2.1).
func (k Kind) DropsUncounted(v Version) bool {
	switch k {
	case KindIntervalJoin, KindTemporalJoin, KindSort:
		return true
	case KindDeduplicate:
		return v.Below(2, 1, 0)
	}
	return false
}

// CountsLate reports an operator with a counter of the late records that it drops. A DataStream operator does not count
// records that go to a side output (WindowOperator, CepOperator, 1.17 to 2.3).
func (k Kind) CountsLate() bool { return k == KindWindow || k == KindMatch || k == KindOver }
