package checks

import (
	"strings"
	"testing"

	"tidemark/analyze/catalog"
	"tidemark/flinkapi"
	"tidemark/internal/jobtest"
)

// failures gives a job a history of failures, so many ms before the second sample, and its counter.
func failures(m *jobtest.Job, restarts string, uptime int64, trace string, ago ...int64) *jobtest.Job {
	for _, s := range m.Samples() {
		x := &flinkapi.Exceptions{}
		for _, ms := range ago {
			x.History.Entries = append(x.History.Entries, flinkapi.ExceptionEntry{Stacktrace: trace, Timestamp: jobtest.At1 - ms, TaskName: "Window (1/1)"})
		}
		s.Exceptions = x
	}
	return m.Restarts(restarts).Uptime(uptime)
}

// A loop with long runs continues, one that ended is history, and a single restart is reported with its cause.
func TestRestartsThatGoOnAndThatEnded(t *testing.T) {
	const poison, lost = "java.lang.RuntimeException: poison pill", "org.apache.flink.runtime.jobmaster.JobMasterException: TaskManager with id 127.0.0.1:43867-aca1c7 is no longer reachable."
	minute := int64(60_000)
	for _, c := range []struct {
		name     string
		job      *jobtest.Job
		cause    string
		severity catalog.Severity
		says     string
	}{
		{"every three minutes", failures(healthy("2.3.0"), "9", 2*minute, poison, 2*minute, 5*minute, 8*minute), "restart-loop", catalog.Critical, "about every 3 min, the last time 2 min ago: java.lang.RuntimeException: poison pill"},
		{"every few seconds, until five minutes ago", failures(healthy("1.20.3"), "46", 5*minute, poison, 5*minute, 5*minute+3000, 5*minute+6000), "restarts-ended", catalog.Warning, "has restarted 46 times; the last restart was 5 min ago"},
		{"every three minutes, until nine minutes ago", failures(healthy("2.3.0"), "4", 9*minute, poison, 9*minute, 12*minute, 15*minute), "restarts-ended", catalog.Info, "has restarted 4 times"},
		{"a TaskManager was lost", failures(healthy("1.20.3"), "1", 3*minute, lost, 3*minute), "restarts-ended", catalog.Info, "has restarted once; the last restart was 3 min ago, and it has run since. TaskManager 127.0.0.1:43867-aca1c7 was lost"},
		{"a merge of sessions", failures(healthy("2.3.0"), "5", 4*minute, "java.lang.UnsupportedOperationException: The end timestamp of an event-time window cannot become earlier than the current watermark by merging. Current event time: 1", 4*minute, 4*minute+2000, 4*minute+4000), "restarts-ended", catalog.Warning, "Late records cause it"},
	} {
		f, ok := foundIn(c.job, c.cause)
		if !ok || f.Severity != c.severity || !strings.Contains(f.Summary, c.says) {
			t.Errorf("%s: %v %s %s", c.name, ok, f.Severity, f.Summary)
		}
		for _, other := range []string{"restart-loop", "restarts-ended"} {
			if g, both := foundIn(c.job, other); both && other != c.cause {
				t.Errorf("%s: %s as well: %s", c.name, other, g.Summary)
			}
		}
	}
	if f, ok := foundIn(failures(healthy("2.3.0"), "0", 30*minute, poison), "restarts-ended"); ok {
		t.Errorf("a job that never restarted: %s", f.Summary)
	}
}

// late is a window that drops records, behind a source that does.
func late(version string) *jobtest.Job {
	return healthy(version).Gauge("Window", 0, "Window.numLateRecordsDropped", "10", "50").Gauge("Window", 0, "Window.numRecordsIn", "1000", "2000")
}

// Drops of a run's first minutes, and of a split that was added, are distinguished from disorder.
func TestLateOfAStartOrANewSplit(t *testing.T) {
	added := func(active string) *jobtest.Job {
		return late("2.3.0").Split("Orders", 1, "o-1", jobtest.At0-2000, jobtest.At1-2000, "accumulatedActiveTimeMs", "1000", active, "accumulatedIdleTimeMs", "0", "0", "accumulatedPausedTimeMs", "0", "0")
	}
	for _, c := range []struct {
		name, says string
		job        *jobtest.Job
	}{
		{"a start", "The job has run for 50 s only: while its sources start", late("1.20.3").Uptime(50_000)},
		{"a restart", "The job restarted 50 s ago", failures(late("2.3.0"), "2", 50_000, "x", 50_000)},
		{"a new split", "Split o-1 was added 26 s ago", added("21000")},
		{"an old split", "", added("3600000")},
		{"an old job", "", late("1.20.3")},
	} {
		f, ok := foundIn(c.job, "late-records")
		if !ok || c.says != "" && !strings.Contains(f.Summary, c.says) {
			t.Errorf("%s: %v %s", c.name, ok, f.Summary)
		}
		if c.says == "" && (strings.Contains(f.Summary, "added") || strings.Contains(f.Summary, "start:")) {
			t.Errorf("%s is explained by its age: %s", c.name, f.Summary)
		}
	}
}

// Under backpressure an idle timeout that REST does not show may be what makes records late, where its clock runs on.
func TestLateUnderBackpressure(t *testing.T) {
	pressed := func(version, back string) *jobtest.Job {
		return late(version).Gauge("Source: Orders", 0, "backPressuredTimeMsPerSecond", back, back)
	}
	for name, c := range map[string]struct {
		job  *jobtest.Job
		says bool
	}{
		"its clock runs on": {pressed("1.18.1", "400"), true},
		"its clock pauses":  {pressed("1.20.3", "400"), false},
		"no backpressure":   {pressed("1.18.1", "0"), false},
	} {
		f, ok := foundIn(c.job, "late-records")
		if !ok || strings.Contains(f.Summary, "FLINK-35886") != c.says || strings.Contains(f.Fix.Text, "Fix the backpressure first") != c.says {
			t.Errorf("%s: %v %s %s", name, ok, f.Summary, f.Fix.Text)
		}
	}
}

// While a subtask comes back its distance to the others is no bound.
func TestNoBoundWhileTasksComeBack(t *testing.T) {
	for status, fires := range map[string]bool{"RUNNING": true, "INITIALIZING": false, "DEPLOYING": false} {
		m := jobtest.New("1.20.3").Source("Orders", 600_000, 600_000).SubtaskStatus("Source: Orders", 1, status)
		for i := range 2 {
			m.Gauge("Source: Orders", i, jobtest.OpOf("Orders")+".currentEmitEventTimeLag", "300", "400").Gauge("Source: Orders", i, jobtest.OpOf("Orders")+".pendingRecords", "0", "0")
		}
		m.Window(1, jobtest.At0-600_000, jobtest.At1-600_000, "Source: Orders")
		if f, ok := foundIn(m, "bound-too-large"); ok != fires {
			t.Errorf("%s: %v %s", status, ok, f.Summary)
		}
	}
}

// The head of an iteration emits end of input by design; a source that does is a fault.
func TestIterationHead(t *testing.T) {
	for name, fires := range map[string]bool{"IterationSource-7": false, "Orders": true} {
		m := jobtest.New("1.20.3").Source(name, 2000).Gauge("Source: "+name, 0, jobtest.OpOf(name)+".currentOutputWatermark", jobtest.End, jobtest.End)
		m.Window(1, jobtest.At0, jobtest.At1, "Source: "+name)
		if f, ok := foundIn(m, "end-of-input-max"); ok != fires {
			t.Errorf("%s: %v %s", name, ok, f.Summary)
		}
	}
}

// Subtasks that have finished next to living ones jump to end of input once those are idle: a warning where they have
// been or may be, nothing where none ever was, and open where that is not shown.
func TestFinishedBesideLiving(t *testing.T) {
	build := func(version string) *jobtest.Job {
		m := jobtest.New(version).Source("Orders", 2000, 2000, 2000).SubtaskStatus("Source: Orders", 2, "FINISHED")
		return m.Window(1, jobtest.At0-2000, jobtest.At1-2000, "Source: Orders")
	}
	split := func(m *jobtest.Job, idle string) *jobtest.Job {
		return m.Split("Orders", 0, "o-0", jobtest.At0-2000, jobtest.At1-2000, "accumulatedIdleTimeMs", idle, idle)
	}
	passed := build("1.18.1").Emits("Orders", 1, jobtest.At0-90_000, jobtest.At0-90_000)
	for name, c := range map[string]struct {
		job  *jobtest.Job
		want catalog.Severity
	}{
		"idle before":    {split(build("2.3.0"), "8000"), catalog.Warning},
		"never idle":     {split(build("2.3.0"), "0"), ""},
		"idle in effect": {passed, catalog.Warning},
		"not shown":      {build("1.20.3"), catalog.Info},
	} {
		f, _ := foundIn(c.job, "end-of-input-max")
		if f.Severity != c.want || c.want != "" && !f.Latent {
			t.Errorf("%s: %q, want %q: %s", name, f.Severity, c.want, f.Summary)
		}
	}
}

// One subtask of one split that stopped before the others is that split, though this version shows no watermark of it.
func TestOnlySplitOfASubtaskIsNamed(t *testing.T) {
	m := jobtest.New("1.20.3").Source("Orders", 2000, 2000)
	for i := range 2 {
		m.Offset("Orders", i, "o", i, 90, 90).Gauge("Source: Orders", i, jobtest.OpOf("Orders")+".numRecordsOut", "900", "900").
			Gauge("Source: Orders", i, jobtest.OpOf("Orders")+".sourceIdleTime", "60000", "80000")
	}
	m.Emits("Orders", 0, jobtest.At0-70_000, jobtest.At0-70_000).Emits("Orders", 1, jobtest.At0-270_000, jobtest.At0-270_000)
	m.Window(1, jobtest.At0-270_000, jobtest.At0-270_000, "Source: Orders")
	if f, ok := foundIn(m, "idle-split"); !ok || f.Split != "o-1" {
		t.Errorf("%v: split %q: %s", ok, f.Split, f.Summary)
	}
}

// A split whose own gauge is missing is not as far as its siblings: what its subtask emitted tells.
func TestMissingSplitGaugeHidesNothing(t *testing.T) {
	m := jobtest.New("2.3.0").Source("Orders", 2000)
	m.Emits("Orders", 0, jobtest.At0-700_000, jobtest.At0-700_000).Split("Orders", 0, "o-0", jobtest.At0-90_000, jobtest.At0-90_000)
	m.Offset("Orders", 0, "o", 0, 900, 900).Offset("Orders", 0, "o", 1, 900, 900)
	m.Gauge("Source: Orders", 0, jobtest.OpOf("Orders")+".numRecordsOut", "1800", "1800").Gauge("Source: Orders", 0, jobtest.OpOf("Orders")+".sourceIdleTime", "60000", "80000")
	m.Window(1, jobtest.At0-700_000, jobtest.At0-700_000, "Source: Orders").Gauge("Window", 0, "numRecordsIn", "1800", "1800")
	if f, ok := foundIn(m, "all-inputs-quiet"); ok {
		t.Errorf("cleared: %s", f.Summary)
	}
	if f, ok := foundIn(m, "idle-split"); !ok {
		t.Errorf("not named: %+v", f)
	}
}

// Splits that fell silent together are not apart: that says nothing of their silence.
func TestSilenceThatNoClockTells(t *testing.T) {
	m := jobtest.New("2.3.0").Source("Orders", 2000).Source("Payments", 2000)
	m.Emits("Payments", 0, jobtest.At0-70_000, jobtest.At0-70_000).Split("Payments", 0, "p-0", jobtest.At0-70_000, jobtest.At0-70_000).Offset("Payments", 0, "p", 0, 900, 900)
	m.Gauge("Source: Payments", 0, jobtest.OpOf("Payments")+".numRecordsOut", "901", "901")
	m.Window(1, jobtest.At0-70_000, jobtest.At0-70_000, "Source: Orders", "Source: Payments")
	if f, ok := foundIn(m, "sparse-input"); ok {
		t.Errorf("called its rhythm: %s", f.Summary)
	}
}

// What a source that has finished sent waits for the others as well: one that never spoke, or stopped before, holds it.
func TestFinishedSourcesCount(t *testing.T) {
	for name, c := range map[string]struct {
		mark        int64
		sent, cause string
	}{
		"never spoke":     {jobtest.NoMark, "0", "quiet-input"},
		"stopped earlier": {jobtest.At0 - 900_000, "5000", "idle-subtask"},
		"stopped with it": {jobtest.At0 - 95_000, "5000", "all-inputs-quiet"},
	} {
		m := jobtest.New("1.20.3").Source("History", 2000).Source("Live", 2000)
		m.Status("Source: History", "FINISHED").SubtaskStatus("Source: History", 0, "FINISHED").Emits("History", 0, jobtest.At0-90_000, jobtest.At0-90_000)
		m.Emits("Live", 0, c.mark, c.mark)
		for source, sent := range map[string]string{"History": "5000", "Live": c.sent} {
			m.Gauge("Source: "+source, 0, jobtest.OpOf(source)+".numRecordsOut", sent, sent).Gauge("Source: "+source, 0, jobtest.OpOf(source)+".sourceIdleTime", "60000", "80000")
		}
		m.Window(1, c.mark, c.mark, "Source: History", "Source: Live").Gauge("Window", 0, "numRecordsIn", "9000", "9000")
		for _, cause := range []string{"quiet-input", "idle-subtask", "all-inputs-quiet"} {
			if f, ok := foundIn(m, cause); ok != (cause == c.cause) {
				t.Errorf("%s: %s is %v: %s", name, cause, ok, f.Summary)
			}
		}
	}
}

// A record from the future that has struck is seen behind a source that is in order again and shows no splits.
func TestFutureRecordSeenBehindItsSource(t *testing.T) {
	for ahead, fires := range map[int64]bool{7_200_000: true, 30_000: false} {
		m := jobtest.New("1.18.1").Source("Orders", 2000).Window(1, jobtest.At0+ahead, jobtest.At0+ahead, "Source: Orders")
		f, ok := foundIn(m, "future-record")
		if ok != fires || ok && (f.Latent || f.Vertex.Name != "Source: Orders" || !strings.Contains(f.Summary, "2 h ahead")) {
			t.Errorf("%d: %v %+v", ahead, ok, f)
		}
	}
}

// Want of slots is what a lost TaskManager brings about: the failure before it is named.
func TestTellingFailure(t *testing.T) {
	slots := flinkapi.ExceptionEntry{Stacktrace: "org.apache.flink.runtime.jobmanager.scheduler.NoResourceAvailableException: Could not acquire the minimum required resources."}
	lost := flinkapi.ExceptionEntry{Stacktrace: "java.util.concurrent.TimeoutException: Heartbeat of TaskManager with id tm-7 timed out."}
	if got := causeOf(telling([]flinkapi.ExceptionEntry{slots, slots, lost})); got != "TaskManager tm-7 was lost" {
		t.Error(got)
	}
	if got := telling([]flinkapi.ExceptionEntry{slots, slots}); got.Stacktrace != slots.Stacktrace {
		t.Error(got)
	}
}

// A job that was stopped with a savepoint says so, and whether it was drained where that was seen.
func TestStoppedWithSavepoint(t *testing.T) {
	stopped := func(mark string) *jobtest.Job {
		m := healthy("2.3.0").Gauge("Window", 0, "currentInputWatermark", mark, mark).State("FINISHED")
		for _, s := range m.Samples() {
			s.Checkpoints = &flinkapi.Checkpoints{History: []flinkapi.Snapshot{{Status: "COMPLETED", Type: "SYNC_SAVEPOINT"}}}
		}
		return m
	}
	for mark, drained := range map[string]bool{jobtest.End: true, jobtest.Mark(jobtest.At1): false} {
		f, ok := foundIn(stopped(mark), "not-running")
		if !ok || !strings.HasPrefix(f.Summary, "The job was stopped with a savepoint") || strings.Contains(f.Summary, "so it was drained") != drained {
			t.Errorf("%s: %v %s", mark, ok, f.Summary)
		}
	}
}
