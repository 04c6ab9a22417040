package analyze

import (
	"strings"
	"testing"

	"tidemark/analyze/model"
	"tidemark/internal/jobtest"
)

// Shapes of jobs that no recording has, one for each rule that only they reach.

// A queue is blamed on the first busy task downstream of the back-pressured ones.
func TestBackpressureNamesTheBusyTask(t *testing.T) {
	m := jobtest.New("2.3.0").Source("Orders", 2000)
	m.Relay("Enrich", 1, jobtest.At0-90_000, jobtest.At1-90_000, "Source: Orders").Gauge("Enrich", 0, "backPressuredTimeMsPerSecond", "900", "900")
	m.Relay("Score", 1, jobtest.At0-95_000, jobtest.At1-95_000, "Enrich").Gauge("Score", 0, "backPressuredTimeMsPerSecond", "800", "800")
	m.Relay("Lookup", 1, jobtest.At0-99_000, jobtest.At1-99_000, "Score").Gauge("Lookup", 0, "busyTimeMsPerSecond", "1000", "1000")
	m.Window(1, jobtest.At0-99_500, jobtest.At1-99_500, "Lookup")
	j := judge(m, t)
	if got := placesOf(j.Findings); len(got) != 1 || got[0] != "backpressure warning @Lookup" {
		t.Errorf("findings %v", got)
	}
}

// A queue without a busy task is not called back pressure but unexplained.
func TestQueueWithoutCulprit(t *testing.T) {
	j := judge(jobtest.New("2.3.0").Source("Orders", 2000).Window(1, jobtest.At0-900_000, jobtest.At1-900_000, "Source: Orders").Gauge("Window", 0, "busyTimeMsPerSecond", "10", "10"), t)
	if hasCause(j.Findings, "backpressure") {
		t.Errorf("findings %v", placesOf(j.Findings))
	}
}

// A wrong time zone is recognised by the age of the records, even where a bound hides it in the watermark.
func TestZoneShiftUnderABound(t *testing.T) {
	shifted := func(lag, recordLag string, ms int64) JobReport {
		m := jobtest.New("2.3.0").Source("Orders", ms, ms+1000)
		for i := 0; i < 2; i++ {
			m.Gauge("Source: Orders", i, jobtest.OpOf("Orders")+".currentEmitEventTimeLag", recordLag, recordLag).Gauge("Source: Orders", i, jobtest.OpOf("Orders")+".pendingRecords", lag, lag)
		}
		return judge(m.Window(1, jobtest.At0-ms-2000, jobtest.At1-ms-2000, "Source: Orders"), t)
	}
	f, ok := findingOf(shifted("0", "7200500", 7_500_000), "zone-shift")
	if !ok || !strings.Contains(f.Summary, "2 h behind") {
		t.Errorf("two hours and a bound of five minutes: %v %s", ok, f.Summary)
	}
	if f, ok := findingOf(shifted("5000", "7200500", 7_500_000), "zone-shift"); ok {
		t.Errorf("with records pending it is a backlog: %s", f.Summary)
	}
	if f, ok := findingOf(shifted("0", "6900000", 7_200_000), "zone-shift"); ok {
		t.Errorf("records that are 1 h 55 min old are not shifted: %s", f.Summary)
	}
}

// First-row deduplication counts its dropped rows since 2.1; last-row deduplication drops none.
func TestDeduplicateCountsSince21(t *testing.T) {
	job := func(version, keep string) JobReport {
		m := jobtest.New(version).Source("o[1]", 2000)
		m.Vertex("Deduplicate[2]", "[2]:Deduplicate(keep=["+keep+"], key=[a], order=[ROWTIME])<br/>", 1, "Source: o[1]")
		return judge(m.Passes("Deduplicate[2]", 0, "Deduplicate[2]", jobtest.At0-2500, jobtest.At1-2500, jobtest.At0-2500, jobtest.At1-2500), t)
	}
	for _, c := range []struct {
		version, keep string
		want          bool
	}{{"1.20.3", "FirstRow", true}, {"2.0.1", "FirstRow", true}, {"2.1.0", "FirstRow", false}, {"1.20.3", "LastRow", false}} {
		if got := hasCause(job(c.version, c.keep).Findings, "late-uncounted"); got != c.want {
			t.Errorf("%s in %s: %v, want %v", c.keep, c.version, got, c.want)
		}
	}
}

// A window downstream of a plain aggregation has no time attribute, unless a new one is assigned in between.
func TestRowtimeLostBehindAggregate(t *testing.T) {
	job := func(between bool) JobReport {
		m := jobtest.New("1.20.3").Source("o[1]", 2000)
		m.Vertex("GroupAggregate[2]", "[2]:GroupAggregate(groupBy=[a], select=[a, MAX(ts) AS ts])<br/>", 1, "Source: o[1]")
		m.Passes("GroupAggregate[2]", 0, "GroupAggregate[2]", jobtest.At0-2500, jobtest.At1-2500, jobtest.At0-2500, jobtest.At1-2500)
		from := "GroupAggregate[2]"
		if between {
			m.Vertex("WatermarkAssigner[3]", "[3]:WatermarkAssigner(rowtime=[ts], watermark=[ts])<br/>", 1, from)
			m.Passes("WatermarkAssigner[3]", 0, "WatermarkAssigner[3]", jobtest.At0-2500, jobtest.At1-2500, jobtest.At0-2500, jobtest.At1-2500)
			from = "WatermarkAssigner[3]"
		}
		m.Vertex("WindowAggregate[4]", "[4]:WindowAggregate(window=[TUMBLE(time_col=[ts], size=[10 s])], select=[COUNT(*)])<br/>", 1, from)
		return judge(m.Passes("WindowAggregate[4]", 0, "WindowAggregate[4]", jobtest.At0-2600, jobtest.At1-2600, jobtest.At0-2600, jobtest.At1-2600), t)
	}
	if j := job(false); !hasCause(j.Findings, "rowtime-lost") {
		t.Errorf("findings %v", placesOf(j.Findings))
	}
	if j := job(true); hasCause(j.Findings, "rowtime-lost") {
		t.Errorf("an assigner in between: %v", placesOf(j.Findings))
	}
}

// A silence is low traffic if the source has always had such distances between records.
func TestOrdinarySilence(t *testing.T) {
	sub := &model.Subtask{RunMs: 600_000, Splits: []*model.Split{{ID: "a"}, {ID: "b"}}, Records: model.Gauge{Before: 20, Now: 20}}
	for silence, want := range map[int64]bool{60_000: true, 179_000: true, 181_000: false} { // a record a minute in each of two splits
		if got := sub.OrdinarySilence(silence); got != want {
			t.Errorf("%d ms: %v", silence, got)
		}
	}
	sub.Records = model.Gauge{Before: 60_000, Now: 60_000}
	if sub.OrdinarySilence(1000) {
		t.Error("a second of silence is taken for low traffic at a hundred records a second")
	}
	sub.Records = model.Gauge{Before: 1, Now: 1}
	if sub.OrdinarySilence(60_000) {
		t.Error("a single record gives a distance between records")
	}
}

// A control stream with a record a minute holds event time for less than a minute at a time: healthy.
func TestSparseInputIsNotSilent(t *testing.T) {
	job := func(records int, idle string) JobReport {
		m := jobtest.New("2.3.0").Source("Orders", 2000).Source("Rules", 50_000).Emits("Rules", 0, jobtest.At0-50_000, jobtest.At0-50_000).Reads("Rules", 0, records, records)
		m.Gauge("Source: Rules", 0, jobtest.OpOf("Rules")+".sourceIdleTime", "30000", idle).Offset("Rules", 0, "rules", 0, records, records)
		return judge(m.Window(1, jobtest.At0-50_000, jobtest.At0-50_000, "Source: Orders", "Source: Rules"), t)
	}
	if j := job(60, "50000"); hasCause(j.Findings, "quiet-input") { // an hour of uptime
		t.Errorf("a record a minute, silent for 50 s: %v", placesOf(j.Findings))
	}
	if j := job(60, "600000"); !hasCause(j.Findings, "quiet-input") {
		t.Errorf("a record a minute, silent for 10 min: %v", placesOf(j.Findings))
	}
	if j := job(36_000, "130000"); !hasCause(j.Findings, "quiet-input") {
		t.Errorf("ten a second, silent for two minutes: %v", placesOf(j.Findings))
	}
}

// Where splits have been idle before there is an idle timeout, which ends a silence below five minutes.
func TestTimeoutSeenInIdleTimes(t *testing.T) {
	job := func(everIdle string, silence int64) JobReport {
		m := jobtest.New("2.3.0").Source("Orders", 2000).Emits("Orders", 0, jobtest.At0-silence, jobtest.At0-silence)
		m.Split("Orders", 0, "o-0", jobtest.At0-silence, jobtest.At0-silence, "accumulatedIdleTimeMs", "0", "0", "accumulatedActiveTimeMs", "1000", "21000").Offset("Orders", 0, "o", 0, 5000, 5000)
		m.Split("Orders", 0, "o-1", jobtest.At0-2000, jobtest.At1-2000, "accumulatedIdleTimeMs", everIdle, everIdle, "accumulatedActiveTimeMs", "1000", "21000").Offset("Orders", 0, "o", 1, 1000, 2000)
		return judge(m.Window(1, jobtest.At0-silence, jobtest.At0-silence, "Source: Orders"), t)
	}
	if j := job("0", 100_000); !hasCause(j.Findings, "idle-split") {
		t.Errorf("no timeout known: %v", placesOf(j.Findings))
	}
	if j := job("5000", 100_000); hasCause(j.Findings, "idle-split") {
		t.Errorf("a timeout is in force: %v", placesOf(j.Findings))
	}
	if j := job("5000", 400_000); !hasCause(j.Findings, "idle-split") {
		t.Errorf("five minutes are enough: %v", placesOf(j.Findings))
	}
}
