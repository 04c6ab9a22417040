package checks

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/flinkapi"
	"tidemark/internal/jobtest"
)

// fixTable is testdata/flink-fixes.txt: which release holds which fix, read from the sources.
func fixTable(t *testing.T) (releases []string, rows map[string]map[string]string) {
	t.Helper()
	text, err := os.ReadFile("../../testdata/flink-fixes.txt")
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
		"FLINK-40499": lacks("40499 active"),
		"FLINK-39481": lacks("39481 deferrable"),
		"FLINK-37545": both(has("TAW pausable"), lacks("TimestampsAndWatermarksOperator recursion")),
	} {
		b := bugOf(t, issue)
		for _, r := range releases {
			want, known := affected(r)
			if got := b.affects(model.ParseVersion(r)); known && got != want {
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
		"FLINK-39481": "1.19.3- 1.20.0+ 1.20.6- 2.1.3+ 2.2.1+ 2.2.2- 2.3.1-",
	} {
		for _, w := range strings.Fields(want) {
			v := model.ParseVersion(w[:len(w)-1])
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

// ended is a job that has finished, with a split that was idle for so many ms a second when it was read last.
func ended(version, idle string) *jobtest.Job {
	m := healthy(version).Split("Orders", 0, "o-0", jobtest.At0-90_000, jobtest.At0-90_000, "idleTimeMsPerSecond", idle, idle)
	return m.State("FINISHED")
}

// interrupted is a job that has finished and whose window passed on less than it took in.
func interrupted(version, timers string) *jobtest.Job {
	m := healthy(version).Gauge("Window", 0, "Window.currentInputWatermark", jobtest.End, jobtest.End).Gauge("Window", 0, "currentInputWatermark", jobtest.End, jobtest.End)
	m.Gauge("Window", 0, "numFiredTimers", timers, timers)
	for _, s := range m.Samples() {
		s.CheckpointConfig = &flinkapi.CheckpointConfig{Unaligned: true}
	}
	return m.State("FINISHED")
}

// aligned is a source of two subtasks that alignment has stopped, and what it waits for.
func aligned(version string) *jobtest.Job {
	m := jobtest.New(version).Source("Fast", 2000, 2000).Source("Slow", 2000).Window(1, jobtest.At0-300_000, jobtest.At0-300_000, "Source: Fast", "Source: Slow")
	for i := 0; i < 2; i++ {
		m.Emits("Fast", i, jobtest.At0-100_000, jobtest.At0-100_000).Reads("Fast", i, 1000, 1000)
		m.Gauge("Source: Fast", i, jobtest.OpOf("Fast")+".watermarkAlignmentDrift", "60000", "60000")
		m.Split("Fast", i, fmt.Sprintf("f-%d", i), jobtest.At0-100_000, jobtest.At0-100_000, "accumulatedPausedTimeMs", "1000", "21000", "accumulatedActiveTimeMs", "9000", "9001")
	}
	return m.Emits("Slow", 0, jobtest.At0-300_000, jobtest.At0-300_000).Reads("Slow", 0, 1000, 1000)
}

// deadlocked is a group whose every member is ahead of the announced maximum.
func deadlocked(version string) *jobtest.Job {
	m := jobtest.New(version).Source("Fast", 2000, 2000).Window(1, jobtest.At0-300_000, jobtest.At0-300_000, "Source: Fast")
	for i := 0; i < 2; i++ {
		m.Emits("Fast", i, jobtest.At0-100_000, jobtest.At0-100_000).Reads("Fast", i, 1000, 1000)
		m.Gauge("Source: Fast", i, jobtest.OpOf("Fast")+".watermarkAlignmentDrift", "60000", "60000")
	}
	return m
}

const scan = "[1]:TableSourceScan(table=[[default_catalog, default_database, o, watermark=[-(ts, 5000:INTERVAL SECOND)], idletimeout=[60000], watermarkEmitStrategy=[on-periodic]]], fields=[k, ts])<br/>"

func sqlSource(version, text string) *jobtest.Job {
	m := jobtest.New(version)
	m.Vertex("Source: o[1]", text, 1)
	m.Emits("o[1]", 0, jobtest.At0-6000, jobtest.At1-6000).Reads("o[1]", 0, 1000, 2000)
	return m.Window(1, jobtest.At0-6500, jobtest.At1-6500, "Source: o[1]")
}

func healthy(version string) *jobtest.Job {
	return jobtest.New(version).Source("Orders", 2000, 2000).Window(1, jobtest.At0-2500, jobtest.At1-2500, "Source: Orders")
}

// Each bug needs its evidence besides the version: one job that shows it, one that does not.
func TestKnownBugEvidence(t *testing.T) {
	for _, c := range []struct {
		issue        string
		fires, quiet *jobtest.Job
	}{
		{"FLINK-37670", deadlocked("1.20.1"), healthy("1.20.1").Gauge("Source: Orders", 0, jobtest.OpOf("Orders")+".watermarkAlignmentDrift", "-20000", "-20000")},
		{"FLINK-40093",
			healthy("2.3.0").Reads("Orders", 0, 1000, 1000).Gauge("Source: Orders", 0, jobtest.OpOf("Orders")+".pendingRecords", "900", "1900").
				Split("Orders", 0, "o-0", jobtest.At0-90_000, jobtest.At0-90_000, "idleTimeMsPerSecond", "1000", "1000", "accumulatedPausedTimeMs", "5000", "5000", "accumulatedActiveTimeMs", "1", "2"),
			healthy("2.3.0").Split("Orders", 0, "o-0", jobtest.At0-2000, jobtest.At1-2000, "idleTimeMsPerSecond", "0", "0", "accumulatedPausedTimeMs", "5000", "5000", "accumulatedActiveTimeMs", "1", "2")},
		{"FLINK-39073",
			healthy("2.1.1").Split("Orders", 0, "o-0", jobtest.At0-2000, jobtest.At1-2000, "idleTimeMsPerSecond", "500", "500", "pausedTimeMsPerSecond", "500", "500"),
			healthy("2.1.1").Split("Orders", 0, "o-0", jobtest.At0-2000, jobtest.At1-2000, "idleTimeMsPerSecond", "1000", "1000", "pausedTimeMsPerSecond", "0", "0")},
		{"FLINK-35886",
			sqlSource("1.20.0", scan).Gauge("Source: o[1]", 0, "backPressuredTimeMsPerSecond", "700", "700"),
			sqlSource("1.20.0", scan).Gauge("Source: o[1]", 0, "backPressuredTimeMsPerSecond", "0", "0")},
		{"FLINK-36751",
			healthy("1.18.1").Gauge("Source: Orders", 0, jobtest.OpOf("Orders")+".watermarkAlignmentDrift", "-20000", "-20000").Offset("Orders", 0, "o", 0, 10, 20),
			healthy("1.18.1").Offset("Orders", 0, "o", 0, 10, 20)},
		{"FLINK-34252", assignerJob("1.18.1", "60 s"), assignerJob("1.18.1", "0")},
		{"FLINK-37025", sqlSource("1.20.0", scan), sqlSource("1.20.0", strings.ReplaceAll(scan, "on-periodic", "on-event"))},
		{"FLINK-32828", healthy("1.18.1").Offset("Orders", 0, "o", 0, -1, -1).Restored(), healthy("1.18.1").Offset("Orders", 0, "o", 0, -1, -1)},
		{"FLINK-38477", unionOfFinished("2.3.0", "4000"), unionOfFinished("2.3.0", "0")},
		{"FLINK-39586", hybrid("2.3.0", "HybridSource"), hybrid("2.3.0", "Orders")},
		{"FLINK-32548", aligned("1.17.1"), healthy("1.17.1")},
		{"FLINK-35157", aligned("1.18.1").SubtaskStatus("Source: Fast", 1, "FINISHED"), aligned("1.18.1")},
		{"FLINK-40505", aligned("2.2.0").Restarts("2"), aligned("2.2.0")},
		{"FLINK-36663", hop("1.20.3").Restored().Uptime(120_000), hop("1.20.3").Restored()},
		{"FLINK-40504", resumed("3000"), resumed("0")},
		{"FLINK-40475", valve(jobtest.At0 - 90_000), valve(jobtest.At1 - 2500)},
		{"FLINK-40499", ended("2.3.0", "1000"), ended("2.3.0", "0")},
		{"FLINK-39481", interrupted("2.3.0", "12"), interrupted("2.3.0", "0")},
		{"FLINK-31628", healthy("1.17.0").Exception("java.lang.ArrayIndexOutOfBoundsException: -1\n\tat org.apache.flink.streaming.runtime.watermarkstatus.StatusWatermarkValve.x", "Window (1/1)"),
			healthy("1.17.0").Exception("java.lang.ArrayIndexOutOfBoundsException: 3\n\tat my.Function.map", "Window (1/1)")},
		{"FLINK-37545", healthy("1.20.1").Exception("java.lang.StackOverflowError\n\tat org.apache.flink.streaming.runtime.operators.TimestampsAndWatermarksOperator.getMetricGroup", "Window (1/1)"),
			healthy("1.20.1").Exception("java.lang.StackOverflowError\n\tat my.Function.map", "Window (1/1)")},
		{"FLINK-39728", healthy("2.3.0").Exception("java.lang.IllegalStateException: No current assignment for partition o-1\n\tat KafkaConsumer.pause", "Source: Orders (1/2)"),
			healthy("2.3.0").Exception("java.lang.IllegalStateException: closed", "Source: Orders (1/2)")},
	} {
		t.Run(c.issue, func(t *testing.T) {
			f, named := issueOf(c.fires.Build(), c.issue)
			if !named {
				t.Error("is not named where it shows")
			}
			if named && (len(f.Evidence) == 0 || f.Evidence[0].Value == "" || !strings.Contains(f.Summary, c.issue)) {
				t.Errorf("says too little: %+v", f)
			}
			if f, named := issueOf(c.quiet.Build(), c.issue); named {
				t.Errorf("is named though nothing shows it: %s, %v", f.Summary, f.Evidence)
			}
			// Outside of the range the same job is not accused.
			if b := bugOf(t, c.issue); !b.affects(model.ParseVersion("9.0.0")) {
				c.fires.C.Overview.FlinkVersion = "9.0.0"
				if _, named := issueOf(c.fires.Build(), c.issue); named {
					t.Error("is named in a release after the fix")
				}
			}
		})
	}
}

func issueOf(j *model.Job, issue string) (catalog.Finding, bool) {
	for _, f := range runKnownBugs(j) {
		if f.Issue == issue {
			return f, true
		}
	}
	ordinary := Run(j)
	NoteKnownBugs(j, ordinary)
	for _, f := range ordinary {
		for _, note := range f.Notes {
			if strings.HasPrefix(note, issue) {
				f.Summary += note
				return f, true
			}
		}
	}
	return catalog.Finding{}, false
}

func assignerJob(version, timeout string) *jobtest.Job {
	m := jobtest.New(version).Source("o[1]", 2000)
	m.C.Config["table.exec.source.idle-timeout"] = timeout
	m.Vertex("WatermarkAssigner[2]", "[2]:WatermarkAssigner(rowtime=[ts], watermark=[(ts - 5000:INTERVAL SECOND)])<br/>", 1, "Source: o[1]|FORWARD")
	return m.Passes("WatermarkAssigner[2]", 0, "WatermarkAssigner[2]", jobtest.NoMark, jobtest.NoMark, jobtest.At0-6000, jobtest.At1-6000)
}

func unionOfFinished(version, idleMs string) *jobtest.Job {
	m := jobtest.New(version).Source("History", 2000).Source("Live", 2000).Status("Source: History", "FINISHED")
	m.Split("Live", 0, "l-0", jobtest.At0-2000, jobtest.At1-2000, "accumulatedIdleTimeMs", idleMs, idleMs, "accumulatedActiveTimeMs", "1", "2")
	return m.Window(1, jobtest.At0-2500, jobtest.At1-2500, "Source: History", "Source: Live")
}

func hybrid(version, name string) *jobtest.Job {
	m := jobtest.New(version).Source(name, 2000, 2000)
	m.Offset(name, 0, "o", 0, 10, 20).Emits(name, 1, jobtest.At0-300_000, jobtest.At0-300_000).Reads(name, 1, 500, 500)
	return m.Window(1, jobtest.At0-300_000, jobtest.At0-300_000, "Source: "+name)
}

func hop(version string) *jobtest.Job {
	m := jobtest.New(version).Source("o[1]", 2000)
	m.Vertex("GlobalWindowAggregate[2]", "[2]:GlobalWindowAggregate(groupBy=[a], window=[HOP(slice_end=[$slice_end], size=[10 min], slide=[5 min])], select=[a])<br/>", 1, "Source: o[1]")
	return m.Passes("GlobalWindowAggregate[2]", 0, "GlobalWindowAggregate[2]", jobtest.At0-2500, jobtest.At1-2500, jobtest.At0-2500, jobtest.At1-2500)
}

// resumed is a source that reads records older than what it emitted; idleMs is how long it was idle.
func resumed(idleMs string) *jobtest.Job {
	m := jobtest.New("2.3.0").Source("Orders", 2000).Emits("Orders", 0, jobtest.At0-30_000, jobtest.At0-30_000)
	m.Gauge("Source: Orders", 0, jobtest.OpOf("Orders")+".currentEmitEventTimeLag", "90000", "90000")
	m.Split("Orders", 0, "o-0", jobtest.At0-30_000, jobtest.At0-30_000, "accumulatedIdleTimeMs", idleMs, idleMs, "idleTimeMsPerSecond", "0", "0", "accumulatedActiveTimeMs", "5000", "25000")
	return m.Window(1, jobtest.At0-30_000, jobtest.At0-30_000, "Source: Orders")
}

// valve is a task whose input stands at in while its source moves on.
func valve(in int64) *jobtest.Job {
	m := jobtest.New("2.3.0").Source("Orders", 2000, 2000)
	before := in
	if in > jobtest.At0 {
		before = in - jobtest.Gap
	}
	m.Window(1, before, in, "Source: Orders")
	return m.Gauge("Window", 0, "busyTimeMsPerSecond", "20", "20")
}
