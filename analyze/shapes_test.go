package analyze

import (
	"strings"
	"testing"
)

// Shapes of jobs that no recording has, one for each rule that only they reach.

// The culprit of a queue is the first busy task behind the backpressured ones, not the one that waits.
func TestBackpressureNamesTheBusyTask(t *testing.T) {
	m := newModel("2.3.0").source("Orders", 2000)
	m.relay("Enrich", 1, at0-90_000, at1-90_000, "Source: Orders").gauge("Enrich", 0, "backPressuredTimeMsPerSecond", "900", "900")
	m.relay("Score", 1, at0-95_000, at1-95_000, "Enrich").gauge("Score", 0, "backPressuredTimeMsPerSecond", "800", "800")
	m.relay("Lookup", 1, at0-99_000, at1-99_000, "Score").gauge("Lookup", 0, "busyTimeMsPerSecond", "1000", "1000")
	m.window(1, at0-99_500, at1-99_500, "Lookup")
	j := m.judge(t)
	if got := placesOf(j.Findings); len(got) != 1 || got[0] != "backpressure warning @Lookup" {
		t.Errorf("findings %v", got)
	}
}

// A queue without anyone busy is not called backpressure; what stays open is said.
func TestQueueWithoutCulprit(t *testing.T) {
	j := newModel("2.3.0").source("Orders", 2000).window(1, at0-900_000, at1-900_000, "Source: Orders").gauge("Window", 0, "busyTimeMsPerSecond", "10", "10").judge(t)
	if hasCause(j.Findings, "backpressure") {
		t.Errorf("findings %v", placesOf(j.Findings))
	}
}

// A zone is told by the records, even where the bound hides it in the watermark.
func TestZoneShiftUnderABound(t *testing.T) {
	shifted := func(lag, recordLag string, ms int64) JobReport {
		m := newModel("2.3.0").source("Orders", ms, ms+1000)
		for i := 0; i < 2; i++ {
			m.gauge("Source: Orders", i, opOf("Orders")+".currentEmitEventTimeLag", recordLag, recordLag).gauge("Source: Orders", i, opOf("Orders")+".pendingRecords", lag, lag)
		}
		return m.window(1, at0-ms-2000, at1-ms-2000, "Source: Orders").judge(t)
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

// First-row deduplication counts its late rows since 2.1; last-row drops none.
func TestDeduplicateCountsSince21(t *testing.T) {
	job := func(version, keep string) JobReport {
		m := newModel(version).source("o[1]", 2000)
		m.vertex("Deduplicate[2]", "[2]:Deduplicate(keep=["+keep+"], key=[a], order=[ROWTIME])<br/>", 1, "Source: o[1]")
		return m.passes("Deduplicate[2]", 0, "Deduplicate[2]", at0-2500, at1-2500, at0-2500, at1-2500).judge(t)
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

// A window behind a plain aggregation has no time attribute of its own, unless one is assigned anew.
func TestRowtimeLostBehindAggregate(t *testing.T) {
	job := func(between bool) JobReport {
		m := newModel("1.20.3").source("o[1]", 2000)
		m.vertex("GroupAggregate[2]", "[2]:GroupAggregate(groupBy=[a], select=[a, MAX(ts) AS ts])<br/>", 1, "Source: o[1]")
		m.passes("GroupAggregate[2]", 0, "GroupAggregate[2]", at0-2500, at1-2500, at0-2500, at1-2500)
		from := "GroupAggregate[2]"
		if between {
			m.vertex("WatermarkAssigner[3]", "[3]:WatermarkAssigner(rowtime=[ts], watermark=[ts])<br/>", 1, from)
			m.passes("WatermarkAssigner[3]", 0, "WatermarkAssigner[3]", at0-2500, at1-2500, at0-2500, at1-2500)
			from = "WatermarkAssigner[3]"
		}
		m.vertex("WindowAggregate[4]", "[4]:WindowAggregate(window=[TUMBLE(time_col=[ts], size=[10 s])], select=[COUNT(*)])<br/>", 1, from)
		return m.passes("WindowAggregate[4]", 0, "WindowAggregate[4]", at0-2600, at1-2600, at0-2600, at1-2600).judge(t)
	}
	if j := job(false); !hasCause(j.Findings, "rowtime-lost") {
		t.Errorf("findings %v", placesOf(j.Findings))
	}
	if j := job(true); hasCause(j.Findings, "rowtime-lost") {
		t.Errorf("an assigner in between: %v", placesOf(j.Findings))
	}
}

// Where metrics name fewer operators than the plan, texts are joined by node id, helpers apart.
func TestTextsByNodeID(t *testing.T) {
	plan := ParseDescription("[31]:StreamRecordTimestampInserter(rowtime field: 2)<br/>+- [31]:Match(partitionBy=[c], orderBy=[ts ASC])<br/>   +- [32]:Calc(select=[a])<br/>")
	ops := buildChain("StreamRecordTimestampInserter[31] -> Match[31] -> Calc[32]", plan, map[string]bool{"Match[31]": true, "StreamRecordTimestampInserter[31]": true}, false)
	if len(ops) != 2 || ops[0].Kind != KindStateless || ops[1].Kind != KindMatch || !strings.HasPrefix(ops[1].Text, "Match(") {
		t.Errorf("operators %+v %+v", ops[0], ops[len(ops)-1])
	}
}

// Low traffic is a distance between records that the source has always had.
func TestOrdinarySilence(t *testing.T) {
	sub := &Subtask{RunMs: 600_000, Splits: []*Split{{ID: "a"}, {ID: "b"}}, Records: Gauge{20, 20}}
	for silence, want := range map[int64]bool{60_000: true, 179_000: true, 181_000: false} { // a record a minute in each of two splits
		if got := sub.ordinarySilence(silence); got != want {
			t.Errorf("%d ms: %v", silence, got)
		}
	}
	sub.Records = Gauge{60_000, 60_000}
	if sub.ordinarySilence(1000) {
		t.Error("a second is no ordinary silence of a hundred records a second")
	}
	sub.Records = Gauge{1, 1}
	if sub.ordinarySilence(60_000) {
		t.Error("one record has no distance to another")
	}
}

// A control stream with a record a minute holds event time for less than a minute at a time: healthy.
func TestSparseInputIsNotSilent(t *testing.T) {
	job := func(records int, idle string) JobReport {
		m := newModel("2.3.0").source("Orders", 2000).source("Rules", 50_000).emits("Rules", 0, at0-50_000, at0-50_000).reads("Rules", 0, records, records)
		m.gauge("Source: Rules", 0, opOf("Rules")+".sourceIdleTime", "30000", idle).offset("Rules", 0, "rules", 0, records, records)
		return m.window(1, at0-50_000, at0-50_000, "Source: Orders", "Source: Rules").judge(t)
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

// Where splits have been idle before there is a timeout: a silence below it is left to it.
func TestTimeoutSeenInIdleTimes(t *testing.T) {
	job := func(everIdle string, silence int64) JobReport {
		m := newModel("2.3.0").source("Orders", 2000).emits("Orders", 0, at0-silence, at0-silence)
		m.split("Orders", 0, "o-0", at0-silence, at0-silence, "accumulatedIdleTimeMs", "0", "0", "accumulatedActiveTimeMs", "1000", "21000").offset("Orders", 0, "o", 0, 50, 50)
		m.split("Orders", 0, "o-1", at0-2000, at1-2000, "accumulatedIdleTimeMs", everIdle, everIdle, "accumulatedActiveTimeMs", "1000", "21000").offset("Orders", 0, "o", 1, 1000, 2000)
		return m.window(1, at0-silence, at0-silence, "Source: Orders").judge(t)
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
