package engine

// Behaviour is the set of version-dependent rules that change results. Take it
// from Version.Behaviour and edit single fields to ask what a fix would change.
type Behaviour struct {
	// PausableClocks stops the idleness clock while a split or source is paused by
	// alignment or the task is backpressured (FLIP-471, FLINK-35886).
	PausableClocks bool
	// FlushAllIdle emits the maximum over all splits or inputs when all are idle (FLINK-38454).
	FlushAllIdle bool
	// RestoredSplitsCount lets a restored split hold the watermark before its first record (FLINK-32828).
	RestoredSplitsCount bool
	// SQLKeepsMax makes the generator of a pushed-down SQL watermark keep the maximum instead of
	// the last value (FLINK-37025).
	SQLKeepsMax bool
	// AssignerCountsRecords makes the SQL WatermarkAssigner count every record as activity, not
	// only the first after idleness (FLINK-34252).
	AssignerCountsRecords bool
	// SingleSplitPauses lets alignment pause a reader's only split; restored splits count as
	// splits (FLINK-36751).
	SingleSplitPauses bool
	// IdleSplitsExempt makes alignment neither pause nor resume idle splits (FLINK-39073); a
	// paused split that becomes idle then never resumes (FLINK-40093).
	IdleSplitsExempt bool
	// AlignmentSampler makes alignment check again at each update interval. With AlignmentSamples
	// (pipeline.watermark-alignment.buffer-size) it uses the oldest of that many samples; 0 uses
	// the latest watermark (2.3).
	AlignmentSampler bool
	AlignmentSamples int
	// AlignmentSkipsUninitialized suppresses reports before the first watermark (FLINK-32414).
	AlignmentSkipsUninitialized bool
	// AlignmentReportsIdle reports End while the source is idle (FLINK-32496).
	AlignmentReportsIdle bool
	// AlignmentSaturates caps the announced maximum at End instead of wrapping (FLINK-31632).
	AlignmentSaturates bool
	// AlignmentReportsFinish reports End when a source finishes (FLINK-35157).
	AlignmentReportsFinish bool
	// FinishClearsSplit forgets a finished split in alignment.
	FinishClearsSplit bool
	// NoMoreSplitsBlocksAnnounce stops announcements to readers that were told
	// there are no more splits (the regression FLINK-37670).
	NoMoreSplitsBlocksAnnounce bool
}

// Behaviour returns the rules of a release. These bugs are not fixed in any release up to 2.3.0
// and are therefore unconditional: FLINK-38477 (a finished input counts as the largest
// watermark), FLINK-39586 (a subtask that lost all its splits keeps its status), FLINK-40475 (a
// re-activated channel does not recompute the minimum) and FLINK-40504 (a source that resumes
// with older data stays idle downstream).
func (v Version) Behaviour() Behaviour {
	v = v.orLatest()
	flip471 := v.since(Version{1, 19, 2}, Version{1, 20, 1}, Version{2, 0, 0})
	b := Behaviour{
		PausableClocks:              flip471,
		SQLKeepsMax:                 flip471,
		SingleSplitPauses:           flip471,
		FinishClearsSplit:           flip471,
		FlushAllIdle:                v.AtLeast(2, 2, 0),
		RestoredSplitsCount:         v.since(Version{1, 19, 1}, Version{1, 20, 0}),
		AssignerCountsRecords:       v.since(Version{1, 19, 2}, Version{1, 20, 0}),
		IdleSplitsExempt:            v.since(Version{2, 1, 2}, Version{2, 2, 1}, Version{2, 3, 0}),
		AlignmentSkipsUninitialized: v.AtLeast(1, 17, 2),
		AlignmentReportsIdle:        v.AtLeast(1, 17, 2),
		AlignmentSaturates:          v.AtLeast(1, 17, 1),
		AlignmentReportsFinish:      v.since(Version{1, 19, 2}, Version{1, 20, 0}),
		NoMoreSplitsBlocksAnnounce:  noMoreSplitsBug(v),
	}
	if v.AtLeast(2, 3, 0) {
		b.AlignmentSampler, b.AlignmentSamples = true, 3
	}
	return b
}

// noMoreSplitsBug reports whether a release has FLINK-37670: the rest of the 1.19 branch, and two
// patch releases each of 1.20 and 2.0.
func noMoreSplitsBug(v Version) bool {
	switch {
	case v.Major == 1 && v.Minor == 19:
		return v.Patch >= 2
	case v.Major == 1 && v.Minor == 20:
		return v.Patch <= 1
	default:
		return v == Version{2, 0, 0}
	}
}
