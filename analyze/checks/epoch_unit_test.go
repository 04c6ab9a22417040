package checks

import (
	"strings"
	"testing"

	"tidemark/analyze/catalog"
	"tidemark/analyze/fix"
	"tidemark/internal/jobtest"
)

// foundIn is the first finding of a cause in a job made up for a test.
func foundIn(m *jobtest.Job, cause string) (catalog.Finding, bool) {
	for _, f := range Run(m.Build()) {
		if f.Cause == cause {
			return f, true
		}
	}
	return catalog.Finding{}, false
}

const (
	seconds = jobtest.At1 / 1000
	micros  = jobtest.At1 * 1000
	nanos   = jobtest.At1 * 1_000_000
)

// One split in another unit than its siblings is named, whichever unit and place, moving or stopped.
func TestUnitOfOneSplit(t *testing.T) {
	for name, value := range map[string]int64{"seconds": seconds, "micros": micros, "nanos": nanos} {
		for _, step := range []int64{0, 20} {
			for at := range 3 {
				m := jobtest.New("2.1.0").Source("Orders", 2000, 2000, 2000)
				for i := range 3 {
					before, now := jobtest.At0-2000, jobtest.At1-2000
					if i == at {
						before, now = value-step, value
					}
					id := "gps-" + string(rune('0'+i))
					m.Split("Orders", i, id, before, now).Emits("Orders", i, before, now)
					offsets := 200
					if i == at && step == 0 {
						offsets = 100
						m.Reads("Orders", i, 1000, 1000)
					}
					m.Offset("Orders", i, "gps", i, 100, offsets)
				}
				m.Window(2, jobtest.At0-2000, jobtest.At1-2000, "Source: Orders")
				f, ok := foundIn(m, "epoch-unit")
				if want := "gps-" + string(rune('0'+at)); !ok || f.Split != want || len(f.Subtasks) != 1 {
					t.Errorf("%s at %s, moving by %d ms: found %v at split %q, subtasks %v", name, want, step, ok, f.Split, f.Subtasks)
				}
				if name != "seconds" && len(f.HeldBack) > 0 {
					t.Errorf("%s: a time ahead holds %v back", name, f.HeldBack)
				}
				for _, cause := range []string{"future-record", "idle-split", "split-skew", "bound-too-large"} {
					if g, ok := foundIn(m, cause); ok {
						t.Errorf("%s at gps-%d: %s as well: %s", name, at, cause, g.Summary)
					}
				}
			}
		}
	}
}

// Before 2.1 the watermark of a subtask shows its slowest split only: the record read last tells.
func TestUnitBehindAnotherSplit(t *testing.T) {
	m := jobtest.New("1.20.3").Source("Orders", 2000, 2000)
	for i, p := range []int{0, 0, 1, 1} {
		m.Offset("Orders", p, "gps", i, 100, 200)
	}
	age := jobtest.Mark(jobtest.At0 - micros)
	m.Gauge("Source: Orders", 1, jobtest.OpOf("Orders")+".currentEmitEventTimeLag", age, "12")
	m.Window(2, jobtest.At0-2000, jobtest.At1-2000, "Source: Orders")
	if f, ok := foundIn(m, "epoch-unit"); !ok || f.Subtasks[0] != 1 || f.Confidence != catalog.Likely || !strings.Contains(f.Summary, "microseconds") {
		t.Errorf("%v %+v", ok, f)
	}
}

// A single record in another unit is a record from the future, since those after it are right.
func TestOneRecordInAnotherUnit(t *testing.T) {
	m := jobtest.New("2.3.0").Source("Orders", 2000, 2000)
	m.Split("Orders", 0, "gps-0", jobtest.At0-2000, jobtest.At1-2000).Offset("Orders", 0, "gps", 0, 100, 200)
	m.Split("Orders", 1, "gps-1", micros, micros).Emits("Orders", 1, micros, micros).Offset("Orders", 1, "gps", 1, 100, 200)
	m.Gauge("Source: Orders", 1, jobtest.OpOf("Orders")+".currentEmitEventTimeLag", "12", "9")
	m.Window(2, jobtest.At0-2000, jobtest.At1-2000, "Source: Orders")
	if f, ok := foundIn(m, "epoch-unit"); ok {
		t.Errorf("called a unit: %s", f.Summary)
	}
	if f, ok := foundIn(m, "future-record"); !ok || f.Split != "gps-1" {
		t.Errorf("future-record: %v %+v", ok, f)
	}
}

// The fix of a time that is ahead must not be the multiplication that made it.
func TestUnitFix(t *testing.T) {
	for _, c := range []struct {
		ms   int64
		want string
		not  string
	}{{seconds, "* 1000L", "/ 1000L"}, {micros, "/ 1000L", "* 1000L"}, {nanos, "/ 1_000_000L", "* 1000L"}} {
		if f := fix.Unit(c.ms, jobtest.At1); !strings.Contains(f.DataStream, c.want) || strings.Contains(f.DataStream, c.not) {
			t.Errorf("%d: %s", c.ms, f.DataStream)
		}
	}
}

// Where only some splits are in another unit, no code changes the records that are right.
func TestUnitFixOfOneSplit(t *testing.T) {
	for value, want := range map[int64]string{seconds: "x < 100_000_000_000L ? x * 1000L : x", micros: "x > 100_000_000_000_000L ? x / 1000L : x", nanos: "x > 100_000_000_000_000_000L ? x / 1_000_000L : x"} {
		m := jobtest.New("2.1.0").Source("Orders", 2000, 2000)
		m.Split("Orders", 0, "gps-0", jobtest.At0-2000, jobtest.At1-2000).Split("Orders", 1, "gps-1", value-20, value).Emits("Orders", 1, value-20, value)
		m.Window(2, jobtest.At0-2000, jobtest.At1-2000, "Source: Orders")
		f, ok := foundIn(m, "epoch-unit")
		if !ok || !strings.HasPrefix(f.Fix.Text, "Only split gps-1 is in ") || !strings.Contains(f.Fix.Text, "fix the producer") || !strings.Contains(f.Fix.DataStream, want) || !strings.HasSuffix(f.Fix.SQL, "ELSE x END, 3)") {
			t.Errorf("%d: %v %+v", value, ok, f.Fix)
		}
	}
}
