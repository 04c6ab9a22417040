package analyze

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"tidemark/flinkapi"
	"tidemark/internal/golden"
	"tidemark/internal/jobtest"
)

// A built fixture is a made-up job, in a state that a cluster shows for moments only.
type built struct {
	file string // below checks, without the version
	do   func(version string) *jobtest.Job
}

var builds = []struct {
	versions []string
	jobs     []built
}{
	{[]string{"1.18.1", "2.3.0"}, []built{
		{"future-record/fires.built-struck-in-order-again", struck},
		{"future-record/quiet.built-clock-half-a-minute-ahead", ahead},
		{"restart-loop/fires.built-lost-then-no-slots", noSlots(60_000)},
		{"restart-loop/quiet.built-lost-then-no-slots-over", noSlots(540_000)},
		{"restarts-ended/fires.built-lost-then-no-slots", noSlots(540_000)},
		{"restarts-ended/quiet.built-lost-then-no-slots-goes-on", noSlots(60_000)},
		{"late-records/fires.built-backpressure", lateUnder("40")},
		{"late-records/quiet.built-backpressure-none-dropped", lateUnder("0")},
		{"backpressure/fires.built-chain-full", jammed(1000, 998)},
		{"backpressure/quiet.built-chain-unpressed", jammed(100, 0)},
	}},
	{[]string{"1.20.3", "2.3.0"}, []built{
		{"quiet-input/fires.built-finished-sent-live-never-spoke", finishedSource(jobtest.NoMark, "0")},
		{"quiet-input/quiet.built-finished-sent-live-stopped-too", finishedSource(jobtest.At0-95_000, "5000")},
		{"all-inputs-quiet/fires.built-finished-sent-live-stopped-too", finishedSource(jobtest.At0-95_000, "5000")},
		{"all-inputs-quiet/quiet.built-finished-sent-live-never-spoke", finishedSource(jobtest.NoMark, "0")},
		{"bound-too-large/fires.built-all-running", comesBack("RUNNING")},
		{"bound-too-large/quiet.built-subtask-comes-back", comesBack("INITIALIZING")},
		{"idle-split/fires.built-only-split-stopped-earlier", onlySplit(270_000)},
		{"idle-split/quiet.built-splits-stopped-together", onlySplit(75_000)},
		{"operator-stall/fires.built-swallowed-unchained", swallowed(false)},
		{"operator-stall/quiet.built-passed-on-unchained", swallowed(true)},
		{"source-backlog/fires.built-offsets-hidden", backlog("90000", "60000", 70_000)},
		{"source-backlog/quiet.built-offsets-hidden-none-wait", backlog("0", "0", jobtest.Gap)},
		{"zone-shift/quiet.built-pending-hidden-an-hour-behind", backlog("", "", 70_000)},
		{"old-data/fires.built-disorder", oldRecords},
		{"source-backlog/quiet.built-disorder-in-old-records", oldRecords},
		{"backpressure/fires.built-hot-key-sql", hotKey(1)},
		{"backpressure/quiet.built-even-keys-sql", hotKey(0)},
		{"idle-split/fires.built-and-large-bound", twoFaults},
		{"bound-too-large/fires.built-and-silent-split", twoFaults},
		{"split-skew/quiet.built-two-faults", twoFaults},
	}},
	{[]string{"1.20.3"}, []built{
		{"epoch-unit/fires.built-one-partition-micros", oneInMicros(jobtest.At0 - jobtest.At1*1000)},
		{"epoch-unit/fires.built-one-partition-seconds", oneInSeconds},
		{"epoch-unit/quiet.built-all-in-millis", oneInMicros(12)},
		{"end-of-input-max/fires.built-finished-idle-in-effect", finishedSubtask("FINISHED", 90_000)},
		{"end-of-input-max/quiet.built-none-finished", finishedSubtask("RUNNING", 90_000)},
	}},
	{[]string{"2.3.0"}, []built{
		{"end-of-input-max/fires.built-finished-idle-before", finishedSplit("8000")},
		{"end-of-input-max/quiet.built-finished-never-idle", finishedSplit("0")},
	}},
}

// The stored fixtures are the built jobs as recordings.
func TestBuiltFixtures(t *testing.T) {
	listed := map[string]bool{}
	for _, group := range builds {
		for _, b := range group.jobs {
			for _, version := range group.versions {
				name := b.file + "-" + version
				listed[name] = true
				var made bytes.Buffer
				if err := b.do(version).Record(&made); err != nil {
					t.Fatal(err)
				}
				path := filepath.Join(checksDir, name+".jsonl.gz")
				if golden.Renew() {
					writeGzip(t, path, made.Bytes())
				}
				stored, err := flinkapi.OpenRecording(path, nil)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(written(t, stored.Entries), made.Bytes()) {
					t.Error(name, golden.Stale)
				}
			}
		}
	}
	for _, f := range filesIn(t, filepath.Join(checksDir, "*", "*.built-*.jsonl.gz")) {
		name, _ := filepath.Rel(checksDir, strings.TrimSuffix(f, ".jsonl.gz"))
		if !listed[filepath.ToSlash(name)] {
			t.Errorf("%s is named built, but no test builds it", name)
		}
	}
}

// The summary says what distinguishes the built fixture.
func TestBuiltFixturesSay(t *testing.T) {
	for _, c := range []struct{ file, code, says string }{
		{"future-record/fires.built-struck-in-order-again-1.18.1", "TM202", "a larger bound does not help"},
		{"restart-loop/fires.built-lost-then-no-slots-2.3.0", "TM701", "TaskManager tm-7 was lost"},
		{"restarts-ended/fires.built-lost-then-no-slots-1.18.1", "TM705", "TaskManager tm-7 was lost"},
		{"idle-split/fires.built-only-split-stopped-earlier-1.20.3", "TM102", "split o-1"},
		{"late-records/fires.built-backpressure-1.18.1", "TM401", "FLINK-35886"},
		{"backpressure/fires.built-hot-key-sql-1.20.3", "TM303", "Only subtask 0 of 4 is busy"},
		{"operator-stall/fires.built-swallowed-unchained-1.20.3", "TM307", "or a processWatermark of the job's own"},
		{"zone-shift/quiet.built-pending-hidden-an-hour-behind-2.3.0", "TM304", "not shown by this connector"},
		{"old-data/fires.built-disorder-1.20.3", "TM306", "Whether more of them wait is not shown"},
	} {
		if f := foundAt(t, "checks/"+c.file, c.code); !strings.Contains(f.Summary, c.says) {
			t.Errorf("%s: want %q in %s", c.file, c.says, f.Summary)
		}
	}
	if f := foundAt(t, "checks/late-records/fires.built-backpressure-2.3.0", "TM401"); strings.Contains(f.Summary, "FLINK-35886") {
		t.Errorf("fixed in this version: %s", f.Summary)
	}
}

// A finished source sends no more records: the age of the last one is no lag.
func TestFinishedSourceHasNoLag(t *testing.T) {
	j := onlyJob(t, checksDir+"/all-inputs-quiet/fires.built-finished-sent-live-stopped-too-1.20.3.jsonl.gz")
	for _, v := range j.Vertices {
		if (v.LagMs == nil) != (v.Name == "Source: History") {
			t.Errorf("%s: lag %v", v.Name, v.LagMs)
		}
	}
}
