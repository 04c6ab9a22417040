package checks

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"tidemark/analyze/catalog"
	"tidemark/internal/jobtest"
)

// load sets the busy and the backpressured time of a subtask, ms per second.
func load(m *jobtest.Job, vertex string, subtask, busy, back int) {
	for name, x := range map[string]int{"busyTimeMsPerSecond": busy, "backPressuredTimeMsPerSecond": back, "idleTimeMsPerSecond": 1000 - min(busy+back, 1000)} {
		m.Gauge(vertex, subtask, name, strconv.Itoa(x), strconv.Itoa(x))
	}
}

// jammedJob is a source under full backpressure, a chain of vertices that are held up as well, and a slow
// one of which the given subtasks are busy, before a window.
func jammedJob(version, ship string, chain, parallelism int, busy ...int) *jobtest.Job {
	m := jobtest.New(version).Source("Orders", 60_000, 60_000)
	for i := range 2 {
		m.Emits("Orders", i, jobtest.At0-60_000, jobtest.At0-60_000).Reads("Orders", i, 20_000, 20_000)
		m.Gauge("Source: Orders", i, jobtest.OpOf("Orders")+".currentEmitEventTimeLag", "38000", "58000")
		m.Gauge("Source: Orders", i, jobtest.OpOf("Orders")+".sourceIdleTime", "0", "0")
		m.Offset("Orders", i, "slow", i, 20_000, 20_000)
		load(m, "Source: Orders", i, 2, 998)
	}
	from := "Source: Orders"
	for i := range chain {
		name := "Map" + strconv.Itoa(i)
		m.Relay(name, 2, jobtest.At0-60_000, jobtest.At0-60_000, from+"|REBALANCE")
		load(m, name, 0, 3, 997)
		load(m, name, 1, 3, 900)
		from = name
	}
	m.Relay("Score", parallelism, jobtest.At0-62_000, jobtest.At0-62_000, from+"|"+ship)
	for i := range parallelism {
		load(m, "Score", i, 10, 0)
		m.Gauge("Score", i, "numRecordsIn", "5000", "5010")
	}
	for _, i := range busy {
		load(m, "Score", i, 1000, 0)
		m.Gauge("Score", i, "numRecordsIn", "5000", "5400")
	}
	return m.Window(1, jobtest.At0-62_000, jobtest.At0-62_000, "Score")
}

// Full backpressure names the slow task at any length of queue, through any chain, and no silent split.
func TestFullBackpressure(t *testing.T) {
	for _, version := range []string{"1.17.2", "2.3.0"} {
		for chain := range 3 {
			m := jammedJob(version, "HASH", chain, 1, 0)
			f, ok := foundIn(m, "backpressure")
			if !ok || f.Vertex.Name != "Score" || f.Confidence != catalog.Certain {
				t.Fatalf("%s, chain of %d: %v %+v", version, chain, ok, f)
			}
			for _, cause := range []string{"source-backlog", "idle-split", "idle-subtask", "all-inputs-quiet", "never-emitted"} {
				if g, ok := foundIn(m, cause); ok {
					t.Errorf("%s, chain of %d: %s as well: %s", version, chain, cause, g.Summary)
				}
			}
		}
	}
}

// One busy subtask among idle ones is key skew behind a keyed exchange, and something else elsewhere.
func TestUnevenLoad(t *testing.T) {
	for _, c := range []struct {
		ship        string
		parallelism int
		busy        []int
		says        string
		subtasks    []int
	}{
		{"HASH", 2, []int{1}, "key skew", []int{1}},
		{"HASH", 8, []int{2, 5}, "key skew", []int{2, 5}},
		{"REBALANCE", 4, []int{3}, "not keyed", []int{3}},
		{"HASH", 4, []int{0, 1, 2}, "", nil},
		{"HASH", 1, []int{0}, "", nil},
	} {
		f, ok := foundIn(jammedJob("1.20.3", c.ship, 0, c.parallelism, c.busy...), "backpressure")
		if !ok || !slices.Equal(f.Subtasks, c.subtasks) || !strings.Contains(f.Summary, c.says) {
			t.Errorf("%v of %d over %s: %v, subtasks %v: %s", c.busy, c.parallelism, c.ship, ok, f.Subtasks, f.Summary)
		}
		if skew := strings.Contains(f.Summary, "key skew"); skew == strings.Contains(f.Fix.DataStream, "setParallelism") && c.ship == "HASH" {
			t.Errorf("%v of %d over %s: the fix is %q", c.busy, c.parallelism, c.ship, f.Fix.DataStream)
		}
	}
}

// A job that is catching up, or works at its capacity and is on time, is not called slow.
func TestBusyWithoutHarm(t *testing.T) {
	catchingUp := jammedJob("2.3.0", "HASH", 0, 1, 0)
	onTime := jammedJob("2.3.0", "HASH", 0, 1, 0)
	for i := range 2 {
		catchingUp.Emits("Orders", i, jobtest.At0-600_000, jobtest.At1-500_000).Reads("Orders", i, 20_000, 40_000)
		onTime.Emits("Orders", i, jobtest.At0-2000, jobtest.At1-2000).Reads("Orders", i, 20_000, 40_000)
		onTime.Gauge("Source: Orders", i, jobtest.OpOf("Orders")+".currentEmitEventTimeLag", "60", "80")
	}
	catchingUp.Passes("Score", 0, "Score", jobtest.At0-601_000, jobtest.At1-501_000, jobtest.At0-601_000, jobtest.At1-501_000)
	onTime.Passes("Score", 0, "Score", jobtest.At0-2500, jobtest.At1-2500, jobtest.At0-2500, jobtest.At1-2500)
	for name, m := range map[string]*jobtest.Job{"catching up": catchingUp, "on time": onTime} {
		if f, ok := foundIn(m, "backpressure"); ok {
			t.Errorf("%s: %s", name, f.Summary)
		}
	}
}

// A source subtask without a split holds for certain only where the plan shows that no idle timeout is set.
func TestEmptySubtaskConfidence(t *testing.T) {
	build := func(scan string) *jobtest.Job {
		m := jobtest.New("1.20.3")
		m.Vertex("Source: o[1]", scan+"<br/>", 2)
		for i, p := range []int64{jobtest.At0 - 2000, jobtest.NoMark} {
			now := p
			if p != jobtest.NoMark {
				now += jobtest.Gap
			}
			m.Gauge("Source: o[1]", i, "Source__o[1].currentOutputWatermark", jobtest.Mark(p), jobtest.Mark(now))
			m.Gauge("Source: o[1]", i, "Source__o[1].numRecordsOut", strconv.Itoa(1000*(1-i)), strconv.Itoa(2000*(1-i)))
		}
		m.Gauge("Source: o[1]", 0, "Source__o[1].KafkaSourceReader.topic.o.partition.0.currentOffset", "10", "20")
		return m.Window(1, jobtest.NoMark, jobtest.NoMark, "Source: o[1]")
	}
	for scan, want := range map[string]catalog.Confidence{
		"[1]:TableSourceScan(table=[[c, d, o, watermark=[-(ts, 5000:INTERVAL SECOND)]]], fields=[ts])": catalog.Certain,
		"Source: o": catalog.Likely,
	} {
		if f, ok := foundIn(build(scan), "excess-parallelism"); !ok || f.Confidence != want {
			t.Errorf("%s: %v, %s, want %s", scan, ok, f.Confidence, want)
		}
	}
}
