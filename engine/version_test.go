package engine

import "testing"

func TestParseVersion(t *testing.T) {
	for text, want := range map[string]Version{
		"2.3.0": {2, 3, 0}, "1.20": {1, 20, 0}, " 2.3-SNAPSHOT ": {2, 3, 0}, "1.17.2": {1, 17, 2},
	} {
		if got, err := ParseVersion(text); err != nil || got != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "2", "2.x", "1.16.3", "2.3.0.1", "-1.2", "2.-3"} {
		if got, err := ParseVersion(text); err == nil {
			t.Errorf("%q accepted as %v", text, got)
		}
	}
}

// The expectations are copied from the releases' sources, one row per fix.
func TestBehaviourOfReleases(t *testing.T) {
	for _, row := range []struct {
		name     string
		of       func(Behaviour) bool
		yes, no  string
		yes2, n2 string
	}{
		{"FLINK-35886", func(b Behaviour) bool { return b.PausableClocks }, "1.19.2", "1.19.1", "1.20.1", "1.20.0"},
		{"FLINK-37025", func(b Behaviour) bool { return b.SQLKeepsMax }, "2.0.0", "1.18.1", "1.20.3", "1.20.0"},
		{"FLINK-36751", func(b Behaviour) bool { return b.SingleSplitPauses }, "1.19.3", "1.19.1", "2.1.0", "1.20.0"},
		{"FLINK-38454", func(b Behaviour) bool { return b.FlushAllIdle }, "2.2.0", "2.1.3", "2.3.0", "1.20.3"},
		{"FLINK-32828", func(b Behaviour) bool { return b.RestoredSplitsCount }, "1.19.1", "1.19.0", "1.20.0", "1.18.1"},
		{"FLINK-34252", func(b Behaviour) bool { return b.AssignerCountsRecords }, "1.19.2", "1.19.1", "1.20.0", "1.18.1"},
		{"FLINK-39073", func(b Behaviour) bool { return b.IdleSplitsExempt }, "2.1.2", "2.1.1", "2.2.1", "2.2.0"},
		{"FLINK-32414", func(b Behaviour) bool { return b.AlignmentSkipsUninitialized }, "1.17.2", "1.17.1", "1.18.0", "1.17.0"},
		{"FLINK-31632", func(b Behaviour) bool { return b.AlignmentSaturates }, "1.17.1", "1.17.0", "2.3.0", "1.17.0"},
		{"FLINK-35157", func(b Behaviour) bool { return b.AlignmentReportsFinish }, "1.20.0", "1.18.1", "1.19.2", "1.19.1"},
		{"FLINK-37670 present", func(b Behaviour) bool { return b.NoMoreSplitsBlocksAnnounce }, "1.20.1", "1.20.2", "2.0.0", "2.0.1"},
		{"FLINK-37670 in 1.19", func(b Behaviour) bool { return b.NoMoreSplitsBlocksAnnounce }, "1.19.3", "1.19.1", "1.19.2", "2.1.0"},
		{"samples", func(b Behaviour) bool { return b.AlignmentSamples == 3 }, "2.3.0", "2.2.1", "2.4.0", "1.20.3"},
	} {
		for text, want := range map[string]bool{row.yes: true, row.yes2: true, row.no: false, row.n2: false} {
			v, err := ParseVersion(text)
			if err != nil {
				t.Fatal(err)
			}
			if got := row.of(v.Behaviour()); got != want {
				t.Errorf("%s in %s: %v", row.name, text, got)
			}
		}
	}
	if (Version{}).Behaviour() != Latest.Behaviour() {
		t.Error("the zero version is not the latest")
	}
}

func TestState(t *testing.T) {
	for ts, want := range map[int64]WatermarkState{None: NeverEmitted, End: EndOfInput, 0: Known, -1: Known, None + 1: Known} {
		if got := State(ts); got != want {
			t.Errorf("%d: %d, want %d", ts, got, want)
		}
	}
}
