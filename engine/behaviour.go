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
	// SQLKeepsMax makes the pushed-down SQL generator keep the maximum instead of the last value (FLINK-37025).
	SQLKeepsMax bool
	// AssignerCountsRecords makes the SQL WatermarkAssigner see every record as
	// activity, not only the first after idleness (FLINK-34252).
	AssignerCountsRecords bool
	// SingleSplitPauses lets alignment pause the only split of a reader, restored
	// splits included (FLINK-36751).
	SingleSplitPauses bool
	// IdleSplitsExempt leaves idle splits out of alignment's pause and resume
	// decisions (FLINK-39073); a paused split that turns idle then never resumes (FLINK-40093).
	IdleSplitsExempt bool
	// AlignmentSampler makes alignment look again at each update interval, and
	// AlignmentSamples (pipeline.watermark-alignment.buffer-size) makes it act on
	// the oldest of so many samples; 0 acts on the latest watermark (2.3).
	AlignmentSampler bool
	AlignmentSamples int
	// AlignmentSkipsUninitialized reports nothing before the first watermark (FLINK-32414).
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
	// FirstRowWaits makes append-only first-row deduplication wait for the watermark (2.1).
	FirstRowWaits bool
}

// Behaviour lists the rules of a release. Not fixed in any release up to 2.3.0
// and therefore unconditional here: FLINK-38477 (a finished input counts as the
// largest watermark), FLINK-39586 (a subtask that lost all its splits keeps its
// status), FLINK-40475 (a re-activated channel does not re-derive the minimum)
// and FLINK-40504 (a source resuming with older data stays idle downstream).
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
		FirstRowWaits:               v.AtLeast(2, 1, 0),
	}
	if v.AtLeast(2, 3, 0) {
		b.AlignmentSampler, b.AlignmentSamples = true, 3
	}
	return b
}

// noMoreSplitsBug lists the releases that shipped FLINK-37670: the whole rest of
// the 1.19 branch, and two patches each of 1.20 and 2.0.
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
