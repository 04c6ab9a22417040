package analyze

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"tidemark/flinkapi"
)

// fixTable is testdata/flink-fixes.txt: which release holds which fix, read from the sources.
func fixTable(t *testing.T) (releases []string, rows map[string]map[string]string) {
	t.Helper()
	text, err := os.ReadFile("../testdata/flink-fixes.txt")
	if err != nil {
		t.Fatal(err)
	}
	rows = map[string]map[string]string{}
	for _, line := range strings.Split(string(text), "\n") {
		fields := strings.Fields(line)
		switch {
		case len(fields) > 20 && strings.HasPrefix(fields[0], "1.17"):
			releases = fields
		case len(releases) > 0 && len(fields) > len(releases):
			cut := len(fields) - len(releases)
			row := map[string]string{}
			for i, r := range releases {
				row[r] = fields[cut+i]
			}
			rows[strings.Join(fields[:cut], " ")] = row
		}
	}
	if len(releases) < 20 || len(rows) < 25 {
		t.Fatalf("%d releases and %d rows are too few", len(releases), len(rows))
	}
	return releases, rows
}

// The version range of each known bug is the one that the fix table shows.
func TestKnownBugRanges(t *testing.T) {
	releases, rows := fixTable(t)
	cell := func(row, release string) string {
		for name, r := range rows {
			if strings.HasPrefix(name, row) {
				return r[release]
			}
		}
		t.Fatalf("no row %q", row)
		return ""
	}
	lacks := func(row string) func(string) (bool, bool) {
		return func(r string) (bool, bool) { c := cell(row, r); return c == "n", c == "Y" || c == "n" }
	}
	has := func(row string) func(string) (bool, bool) {
		return func(r string) (bool, bool) { c := cell(row, r); return c == "Y", c == "Y" || c == "n" }
	}
	both := func(a, b func(string) (bool, bool)) func(string) (bool, bool) {
		return func(r string) (bool, bool) {
			x, okX := a(r)
			y, okY := b(r)
			return x && y, okX && okY
		}
	}
	for issue, affected := range map[string]func(string) (bool, bool){
		"FLINK-37670": has("33402-ish"),
		"FLINK-40093": has("39073 defer"),
		"FLINK-39073": both(has("37410 split metrics"), lacks("39073 defer")),
		"FLINK-35886": lacks("35886 Pausable clock"),
		"FLINK-36751": lacks("36751 numSplits removed"),
		"FLINK-34252": lacks("idle fix processedElements"),
		"FLINK-37025": lacks("37025 generated wm"),
		"FLINK-32828": lacks("32828 restored"),
		"FLINK-35157": lacks("35157 DATA_FINISHED"),
		"FLINK-32548": lacks("32414 skip"),
		"FLINK-40475": lacks("40475 valve"),
		"FLINK-37545": both(has("TAW pausable"), lacks("TimestampsAndWatermarksOperator recursion")),
	} {
		b := bugOf(t, issue)
		for _, r := range releases {
			want, known := affected(r)
			if got := b.affects(ParseVersion(r)); known && got != want {
				t.Errorf("%s in %s: %v, the table says %v", issue, r, got, want)
			}
		}
	}
	for issue, want := range map[string]string{
		"FLINK-31628": "1.17.0+ 1.17.1- 2.3.0-",
		"FLINK-36663": "1.19.1+ 1.20.4+ 1.20.5- 2.0.0+ 2.0.1- 2.1.0-",
		"FLINK-38477": "1.17.0+ 2.3.0+",
		"FLINK-39586": "1.17.0+ 2.3.0+",
		"FLINK-40504": "1.17.0+ 2.3.0+",
		"FLINK-40505": "1.17.0+ 2.3.0+",
		"FLINK-39728": "1.17.0+ 2.3.0+",
	} {
		for _, w := range strings.Fields(want) {
			v := ParseVersion(w[:len(w)-1])
			if got := bugOf(t, issue).affects(v); got != strings.HasSuffix(w, "+") {
				t.Errorf("%s in %s: %v", issue, v, got)
			}
		}
	}
}

func bugOf(t *testing.T, issue string) knownBug {
	t.Helper()
	for _, b := range knownBugs {
		if b.issue == issue {
			return b
		}
	}
	t.Fatalf("%s is not listed", issue)
	return knownBug{}
}

// aligned is a source of two subtasks that alignment has stopped, and what it waits for.
func aligned(version string) *model {
	m := newModel(version).source("Fast", 2000, 2000).source("Slow", 2000).window(1, at0-300_000, at0-300_000, "Source: Fast", "Source: Slow")
	for i := 0; i < 2; i++ {
		m.emits("Fast", i, at0-100_000, at0-100_000).reads("Fast", i, 1000, 1000)
		m.gauge("Source: Fast", i, opOf("Fast")+".watermarkAlignmentDrift", "60000", "60000")
		m.split("Fast", i, fmt.Sprintf("f-%d", i), at0-100_000, at0-100_000, "accumulatedPausedTimeMs", "1000", "21000", "accumulatedActiveTimeMs", "9000", "9001")
	}
	return m.emits("Slow", 0, at0-300_000, at0-300_000).reads("Slow", 0, 1000, 1000)
}

func (m *model) exception(trace, task string) *model {
	x := &flinkapi.Exceptions{}
	x.History.Entries = []flinkapi.ExceptionEntry{{Stacktrace: trace, TaskName: task, Timestamp: at0}}
	m.samples()[1].Exceptions = x
	return m
}

func (m *model) restored() *model {
	for _, s := range m.samples() {
		c := &flinkapi.Checkpoints{}
		c.Latest.Restored = &struct {
			RestoreTimestamp int64 `json:"restore_timestamp"`
			IsSavepoint      bool  `json:"is_savepoint"`
		}{at0 - 60_000, false}
		s.Checkpoints = c
	}
	return m
}

func (m *model) uptime(ms int64) *model {
	for i, s := range m.samples() {
		s.JobMetrics["uptime"] = mark(ms - gap*int64(1-i))
	}
	return m
}

func (m *model) restarts(n string) *model {
	for _, s := range m.samples() {
		s.JobMetrics["numRestarts"] = n
	}
	return m
}

func (m *model) status(vertex, status string) *model {
	for _, s := range m.samples() {
		for i := range s.Job.Vertices {
			if s.Job.Vertices[i].Name == vertex {
				s.Job.Vertices[i].Status = status
			}
		}
	}
	return m
}

func (m *model) subtaskStatus(vertex string, subtask int, status string) *model {
	for _, s := range m.samples() {
		v := s.Vertices[m.ids[vertex]]
		if v.Details == nil {
			v.Details = &flinkapi.VertexDetails{}
		}
		v.Details.Subtasks = append(v.Details.Subtasks, flinkapi.Subtask{Index: subtask, Status: status})
	}
	return m
}

const scan = "[1]:TableSourceScan(table=[[default_catalog, default_database, o, watermark=[-(ts, 5000:INTERVAL SECOND)], idletimeout=[60000], watermarkEmitStrategy=[on-periodic]]], fields=[k, ts])<br/>"

func sqlSource(version, text string) *model {
	m := newModel(version)
	m.vertex("Source: o[1]", text, 1)
	m.emits("o[1]", 0, at0-6000, at1-6000).reads("o[1]", 0, 1000, 2000)
	return m.window(1, at0-6500, at1-6500, "Source: o[1]")
}

func healthy(version string) *model {
	return newModel(version).source("Orders", 2000, 2000).window(1, at0-2500, at1-2500, "Source: Orders")
}

// Each bug needs its evidence besides the version: one job that shows it, one that does not.
func TestKnownBugEvidence(t *testing.T) {
	for _, c := range []struct {
		issue        string
		fires, quiet *model
	}{
		{"FLINK-37670", aligned("1.20.1"), healthy("1.20.1").gauge("Source: Orders", 0, opOf("Orders")+".watermarkAlignmentDrift", "-20000", "-20000")},
		{"FLINK-40093",
			healthy("2.3.0").reads("Orders", 0, 1000, 1000).gauge("Source: Orders", 0, opOf("Orders")+".pendingRecords", "900", "1900").
				split("Orders", 0, "o-0", at0-90_000, at0-90_000, "idleTimeMsPerSecond", "1000", "1000", "accumulatedPausedTimeMs", "5000", "5000", "accumulatedActiveTimeMs", "1", "2"),
			healthy("2.3.0").split("Orders", 0, "o-0", at0-2000, at1-2000, "idleTimeMsPerSecond", "0", "0", "accumulatedPausedTimeMs", "5000", "5000", "accumulatedActiveTimeMs", "1", "2")},
		{"FLINK-39073",
			healthy("2.1.1").split("Orders", 0, "o-0", at0-2000, at1-2000, "idleTimeMsPerSecond", "500", "500", "pausedTimeMsPerSecond", "500", "500"),
			healthy("2.1.1").split("Orders", 0, "o-0", at0-2000, at1-2000, "idleTimeMsPerSecond", "1000", "1000", "pausedTimeMsPerSecond", "0", "0")},
		{"FLINK-35886",
			sqlSource("1.20.0", scan).gauge("Source: o[1]", 0, "backPressuredTimeMsPerSecond", "700", "700"),
			sqlSource("1.20.0", scan).gauge("Source: o[1]", 0, "backPressuredTimeMsPerSecond", "0", "0")},
		{"FLINK-36751",
			healthy("1.18.1").gauge("Source: Orders", 0, opOf("Orders")+".watermarkAlignmentDrift", "-20000", "-20000").offset("Orders", 0, "o", 0, 10, 20),
			healthy("1.18.1").offset("Orders", 0, "o", 0, 10, 20)},
		{"FLINK-34252", assignerJob("1.18.1", "60 s"), assignerJob("1.18.1", "0")},
		{"FLINK-37025", sqlSource("1.20.0", scan), sqlSource("1.20.0", strings.ReplaceAll(scan, "on-periodic", "on-event"))},
		{"FLINK-32828", healthy("1.18.1").offset("Orders", 0, "o", 0, -1, -1).restored(), healthy("1.18.1").offset("Orders", 0, "o", 0, -1, -1)},
		{"FLINK-38477", unionOfFinished("2.3.0", "4000"), unionOfFinished("2.3.0", "0")},
		{"FLINK-39586", hybrid("2.3.0", "HybridSource"), hybrid("2.3.0", "Orders")},
		{"FLINK-32548", aligned("1.17.1"), healthy("1.17.1")},
		{"FLINK-35157", aligned("1.18.1").subtaskStatus("Source: Fast", 1, "FINISHED"), aligned("1.18.1")},
		{"FLINK-40505", aligned("2.2.0").restarts("2"), aligned("2.2.0")},
		{"FLINK-36663", hop("1.20.3").restored().uptime(120_000), hop("1.20.3").restored()},
		{"FLINK-40504", resumed("3000"), resumed("0")},
		{"FLINK-40475", valve(at0 - 90_000), valve(at1 - 2500)},
		{"FLINK-31628", healthy("1.17.0").exception("java.lang.ArrayIndexOutOfBoundsException: -1\n\tat org.apache.flink.streaming.runtime.watermarkstatus.StatusWatermarkValve.x", "Window (1/1)"),
			healthy("1.17.0").exception("java.lang.ArrayIndexOutOfBoundsException: 3\n\tat my.Function.map", "Window (1/1)")},
		{"FLINK-37545", healthy("1.20.1").exception("java.lang.StackOverflowError\n\tat org.apache.flink.streaming.runtime.operators.TimestampsAndWatermarksOperator.getMetricGroup", "Window (1/1)"),
			healthy("1.20.1").exception("java.lang.StackOverflowError\n\tat my.Function.map", "Window (1/1)")},
		{"FLINK-39728", healthy("2.3.0").exception("java.lang.IllegalStateException: No current assignment for partition o-1\n\tat KafkaConsumer.pause", "Source: Orders (1/2)"),
			healthy("2.3.0").exception("java.lang.IllegalStateException: closed", "Source: Orders (1/2)")},
	} {
		t.Run(c.issue, func(t *testing.T) {
			f, named := issueOf(c.fires.build(), c.issue)
			if !named {
				t.Error("is not named where it shows")
			}
			if named && (len(f.Evidence) == 0 || f.Evidence[0].Value == "" || !strings.Contains(f.Summary, c.issue)) {
				t.Errorf("says too little: %+v", f)
			}
			if f, named := issueOf(c.quiet.build(), c.issue); named {
				t.Errorf("is named though nothing shows it: %s, %v", f.Summary, f.Evidence)
			}
			// Outside of the range the same job is not accused.
			if b := bugOf(t, c.issue); !b.affects(ParseVersion("9.0.0")) {
				c.fires.c.Overview.FlinkVersion = "9.0.0"
				if _, named := issueOf(c.fires.build(), c.issue); named {
					t.Error("is named in a release after the fix")
				}
			}
		})
	}
}

func issueOf(j *Job, issue string) (Finding, bool) {
	for _, f := range runKnownBugs(j) {
		if f.Issue == issue {
			return f, true
		}
	}
	return Finding{}, false
}

func assignerJob(version, timeout string) *model {
	m := newModel(version).source("o[1]", 2000)
	m.c.Config["table.exec.source.idle-timeout"] = timeout
	m.vertex("WatermarkAssigner[2]", "[2]:WatermarkAssigner(rowtime=[ts], watermark=[(ts - 5000:INTERVAL SECOND)])<br/>", 1, "Source: o[1]|FORWARD")
	return m.passes("WatermarkAssigner[2]", 0, "WatermarkAssigner[2]", noMark, noMark, at0-6000, at1-6000)
}

func unionOfFinished(version, idleMs string) *model {
	m := newModel(version).source("History", 2000).source("Live", 2000).status("Source: History", "FINISHED")
	m.split("Live", 0, "l-0", at0-2000, at1-2000, "accumulatedIdleTimeMs", idleMs, idleMs, "accumulatedActiveTimeMs", "1", "2")
	return m.window(1, at0-2500, at1-2500, "Source: History", "Source: Live")
}

func hybrid(version, name string) *model {
	m := newModel(version).source(name, 2000, 2000)
	m.offset(name, 0, "o", 0, 10, 20).emits(name, 1, at0-300_000, at0-300_000).reads(name, 1, 500, 500)
	return m.window(1, at0-300_000, at0-300_000, "Source: "+name)
}

func hop(version string) *model {
	m := newModel(version).source("o[1]", 2000)
	m.vertex("GlobalWindowAggregate[2]", "[2]:GlobalWindowAggregate(groupBy=[a], window=[HOP(slice_end=[$slice_end], size=[10 min], slide=[5 min])], select=[a])<br/>", 1, "Source: o[1]")
	return m.passes("GlobalWindowAggregate[2]", 0, "GlobalWindowAggregate[2]", at0-2500, at1-2500, at0-2500, at1-2500)
}

// resumed is a source that reads records older than what it emitted; idleMs is how long it was idle.
func resumed(idleMs string) *model {
	m := newModel("2.3.0").source("Orders", 2000).emits("Orders", 0, at0-30_000, at0-30_000)
	m.gauge("Source: Orders", 0, opOf("Orders")+".currentEmitEventTimeLag", "90000", "90000")
	m.split("Orders", 0, "o-0", at0-30_000, at0-30_000, "accumulatedIdleTimeMs", idleMs, idleMs, "idleTimeMsPerSecond", "0", "0", "accumulatedActiveTimeMs", "5000", "25000")
	return m.window(1, at0-30_000, at0-30_000, "Source: Orders")
}

// valve is a task whose input stands at in while its source moves on.
func valve(in int64) *model {
	m := newModel("2.3.0").source("Orders", 2000, 2000)
	before := in
	if in > at0 {
		before = in - gap
	}
	m.window(1, before, in, "Source: Orders")
	return m.gauge("Window", 0, "busyTimeMsPerSecond", "20", "20")
}
