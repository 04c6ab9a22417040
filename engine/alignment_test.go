package engine

import (
	"slices"
	"testing"
)

func aligned(t *testing.T, version Version, samples int) (*Source, *Alignment, *[]string) {
	t.Helper()
	var events []string
	s := mustSource(t, SourceConfig{Strategy: Strategy{IntervalMs: 200}, Version: version}, &recorder{})
	a, err := Align(s, AlignmentConfig{MaxDriftMs: 1000, UpdateMs: 1000, Samples: samples}, func(split int, paused bool) {
		verb := "resume"
		if paused {
			verb = "pause"
		}
		events = append(events, verb+string(rune('0'+split)))
	})
	check(t, err)
	return s, a, &events
}

// assign adds a split by assignment.
func assign(s *Source, a *Alignment) int {
	split := s.AddSplit()
	a.Assigned(split)
	return split
}

func TestAlignmentPausesTheSplitAhead(t *testing.T) {
	s, a, events := aligned(t, Version{1, 20, 3}, -1)
	ahead, behind := assign(s, a), assign(s, a)
	check(t, s.Record(ahead, 10_000))
	check(t, s.Record(behind, 1000))
	check(t, s.AdvanceTo(200))
	a.Announce(2000)
	if !a.Paused(ahead) || a.Paused(behind) || a.Waiting() {
		t.Fatalf("events %v, waiting %v", *events, a.Waiting())
	}
	a.Announce(20_000)
	if !slices.Equal(*events, []string{"pause0", "resume0"}) {
		t.Fatalf("events %v", *events)
	}
	a.Announce(500)
	if !a.Waiting() {
		t.Fatal("the source itself is ahead and does not wait")
	}
}

// Before FLINK-36751 a reader with one assigned split never paused it; the whole
// source waited instead.
func TestAlignmentOfASingleSplit(t *testing.T) {
	for version, pauses := range map[Version]bool{{1, 18, 1}: false, {1, 20, 3}: true} {
		s, a, _ := aligned(t, version, -1)
		split := assign(s, a)
		check(t, s.Record(split, 10_000))
		check(t, s.AdvanceTo(200))
		a.Announce(2000)
		if a.Paused(split) != pauses || !a.Waiting() {
			t.Errorf("Flink %s: paused %v, waiting %v", version, a.Paused(split), a.Waiting())
		}
	}
}

// FLINK-40093: a paused split that turns idle is exempt from resuming too.
func TestAlignmentForgetsAPausedIdleSplit(t *testing.T) {
	for version, resumes := range map[Version]bool{{2, 0, 0}: true, {2, 1, 3}: false} {
		s, a, _ := aligned(t, version, -1)
		split, other := assign(s, a), assign(s, a)
		check(t, s.Record(split, 10_000))
		check(t, s.Record(other, 100))
		check(t, s.AdvanceTo(200))
		a.Announce(2000)
		s.splits[split].part.SetIdle(true)
		a.Announce(End)
		if a.Paused(split) == resumes {
			t.Errorf("Flink %s: still paused %v", version, a.Paused(split))
		}
	}
}

func TestAlignmentActsOnTheOldestSample(t *testing.T) {
	s, a, _ := aligned(t, Latest, 3)
	split := assign(s, a)
	a.Announce(2000)
	check(t, s.Record(split, 10_000))
	check(t, s.AdvanceTo(200))
	for report := 1; report <= 3; report++ {
		if a.Waiting() {
			t.Fatalf("waits after %d reports", report-1)
		}
		if w, ok := a.Report(); !ok || w != 9999 {
			t.Fatalf("report %d %v", w, ok)
		}
	}
	if !a.Waiting() || !a.Paused(split) {
		t.Fatal("does not wait once its oldest sample is ahead")
	}
}

func TestAlignmentReports(t *testing.T) {
	s, a, _ := aligned(t, Latest, 0)
	if _, ok := a.Report(); ok {
		t.Error("reported before the first watermark")
	}
	check(t, s.Record(assign(s, a), 5000))
	check(t, s.AdvanceTo(200))
	s.forward.MarkIdle()
	if w, ok := a.Report(); !ok || w != End {
		t.Errorf("idle source reports %d", w)
	}
}

func TestAlignmentGroup(t *testing.T) {
	g := NewAlignmentGroup(Latest.Behaviour())
	g.Report("a", 0, 5000)
	g.Report("a", 1, 3000)
	g.Report("b", 0, 9000)
	allowed, reached, err := g.Announce("a", 1000)
	check(t, err)
	if allowed != 4000 || !reached(1) || reached(2) || g.Watermark() != 3000 {
		t.Fatalf("allowed %d, group at %d", allowed, g.Watermark())
	}
	g.Report("a", 0, End)
	g.Report("a", 1, End)
	g.Report("b", 0, End)
	if allowed, _, _ := g.Announce("a", 1000); allowed != End {
		t.Fatalf("overflow gave %d", allowed)
	}
	old := NewAlignmentGroup(Version{1, 17, 0}.Behaviour())
	old.Report("a", 0, End)
	if allowed, _, _ := old.Announce("a", 1); allowed != None {
		t.Fatalf("1.17.0 wrapped to %d", allowed)
	}
	bug := NewAlignmentGroup(Version{1, 20, 1}.Behaviour())
	bug.Report("a", 0, 1)
	bug.NoMoreSplits("a", 0)
	if _, reached, _ := bug.Announce("a", 1); reached(0) {
		t.Fatal("FLINK-37670: the announcement must not arrive")
	}
	if _, _, err := g.Announce("a", -1); err == nil {
		t.Fatal("negative drift accepted")
	}
}

func TestAlignmentRefuses(t *testing.T) {
	s := mustSource(t, SourceConfig{Strategy: Strategy{IntervalMs: 200}}, &recorder{})
	for name, cfg := range map[string]AlignmentConfig{"drift": {MaxDriftMs: -1, UpdateMs: 1}, "interval": {}} {
		if _, err := Align(s, cfg, nil); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	s.AddSplit()
	if _, err := Align(s, AlignmentConfig{UpdateMs: 1}, nil); err == nil {
		t.Error("alignment after the first split accepted")
	}
}
