package analyze

import (
	"strings"
	"testing"

	"tidemark/analyze/catalog"
	"tidemark/internal/jobtest"
)

// A split that, by its offset, has few records is sparse; one that had a few and stopped is silent.
func TestRhythmOfASplit(t *testing.T) {
	job := func(offset int, silence int64) JobReport {
		m := jobtest.New("2.3.0").Source("Orders", 2000).Emits("Orders", 0, jobtest.At0-silence, jobtest.At0-silence)
		m.Split("Orders", 0, "o-0", jobtest.At0-silence, jobtest.At0-silence).Offset("Orders", 0, "o", 0, offset, offset)
		m.Split("Orders", 0, "o-1", jobtest.At0-2000, jobtest.At1-2000).Offset("Orders", 0, "o", 1, 1000, 2000)
		return judge(m.Window(1, jobtest.At0-silence, jobtest.At0-silence, "Source: Orders"), t)
	}
	for _, c := range []struct {
		offset  int
		silence int64
		cause   string
		verdict Verdict
	}{
		{59, 70_000, "sparse-input", VerdictInfo},        // a record a minute for an hour
		{59, 600_000, "idle-split", VerdictCritical},     // ten minutes are too long for a record a minute
		{50_000, 200_000, "idle-split", VerdictCritical}, // an old topic: its offset says nothing about the rate
		{9, 3_000_000, "idle-split", VerdictCritical},    // ten records in the first ten minutes
		{-1, 3_000_000, "idle-split", VerdictCritical},   // none ever
		{0, 3_000_000, "idle-split", VerdictCritical},    // one record has no distance to another
		{3600, 130_000, "idle-split", VerdictCritical},   // one a second
	} {
		j := job(c.offset, c.silence)
		if !hasCause(j.Findings, c.cause) || j.Verdict != c.verdict {
			t.Errorf("offset %d, silent for %d ms: %s %v, want %s", c.offset, c.silence, j.Verdict, placesOf(j.Findings), c.cause)
		}
	}
}

// Parallelism above the number of partitions is not certain and not critical where another input has no watermark either:
// an idle timeout may be set.
func TestEmptySubtaskBesideASilentInput(t *testing.T) {
	m := jobtest.New("2.3.0").Source("Orders", 2000, 2000).Emits("Orders", 1, jobtest.NoMark, jobtest.NoMark).Reads("Orders", 1, 0, 0)
	m.Split("Orders", 0, "o-0", jobtest.At0-2000, jobtest.At1-2000).Offset("Orders", 0, "o", 0, 1000, 2000)
	m.Source("Rules", 2000).Emits("Rules", 0, jobtest.NoMark, jobtest.NoMark).Reads("Rules", 0, 0, 0).Offset("Rules", 0, "rules", 0, -1, -1)
	j := judge(m.Window(1, jobtest.NoMark, jobtest.NoMark, "Source: Orders", "Source: Rules"), t)
	if j.Verdict != VerdictCritical || j.Findings[0].Cause != "quiet-input" {
		t.Fatalf("%s %v", j.Verdict, placesOf(j.Findings))
	}
	for _, f := range j.Findings {
		if f.Cause == "excess-parallelism" && (f.Severity != catalog.Warning || f.Confidence != catalog.Possible) {
			t.Errorf("it is %s, %s", f.Severity, f.Confidence)
		}
	}
}

// The evidence shows a falling gauge as falling, not as a counter that was reset.
func TestFallingGauge(t *testing.T) {
	m := jobtest.New("2.3.0").Source("Orders", 2000).Reads("Orders", 0, 900, 12)
	f := catalog.NewFinding("TM106", m.Build().Vertices[0])
	f.ProveGauge(nil, "Orders", "numRecordsOut", m.Build().Vertices[0].Records())
	if got := f.Evidence[0].Value; got != "900 -> 12" {
		t.Errorf("written as %q", got)
	}
}

// One fetch shows neither movement nor standstill: a possible bound or skew is info.
func TestOneFetchAccusesNobody(t *testing.T) {
	m := jobtest.New("2.3.0").Source("Orders", 2000, 2000)
	m.Emits("Orders", 0, jobtest.At1-400_000, jobtest.At1-400_000)
	m.Window(1, jobtest.At1-400_000, jobtest.At1-400_000, "Source: Orders")
	m.C.Jobs[0].Samples = m.Samples()[1:]
	j := judge(m, t)
	for _, f := range j.Findings {
		if f.Severity != catalog.Info {
			t.Errorf("%s %s: %s", f.Cause, f.Severity, f.Summary)
		}
	}
	if j.Verdict != VerdictIncomplete || !strings.Contains(j.Headline, "one metric fetch") {
		t.Errorf("%s: %s", j.Verdict, j.Headline)
	}
}
