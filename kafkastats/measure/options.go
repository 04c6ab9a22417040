package measure

import "tidemark/kafkastats/hist"

// Options of a measurement. Times in ms.
type Options struct {
	Windows    []int64      // window sizes whose drops are counted
	IdleMs     int64        // idle timeout to model across partitions; 0: none
	FutureMs   int64        // an event time this far beyond its arrival is quarantined; 0: DefaultFutureMs
	EmitMs     int64        // interval of periodic watermarks to model where arrival is known; 0: none
	NowMs      int64        // wall clock at the start of the reading; 0: unknown
	Exact      *hist.Budget // count distinct values while the budget lasts; nil: buckets only
	MaxWaiting int          // records that a partition may wait for another in the merge; 0: 65536
	SinglePass bool         // skip the cross-partition statistics: the arrivals are not comparable
}

// DefaultFutureMs is the distance ahead of arrival from which on a record counts as stamped in
// the future.
const DefaultFutureMs = 300_000
