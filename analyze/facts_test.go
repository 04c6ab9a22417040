package analyze

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tidemark/analyze/catalog"
	"tidemark/analyze/facts"
	"tidemark/analyze/model"
	"tidemark/flinkapi"
	"tidemark/internal/cases"
	"tidemark/internal/units"
)

func modelOf(t *testing.T, path string) *model.Job {
	t.Helper()
	c := captureFile(t, path)
	return model.BuildJob(c, c.Jobs[0])
}

func factsOf(t *testing.T, file string) (*model.Job, facts.Facts) {
	t.Helper()
	j := modelOf(t, filepath.Join("../testdata", file))
	return j, facts.Of(j)
}

// The facts about the strategies of real jobs, and which of them are unknown.
func TestFactsOfRealJobs(t *testing.T) {
	for _, c := range []struct {
		file, source, delay, idle, align string
		splits                           int
	}{
		{"recordings/flink-1.20.3/sql-tumble-5s.jsonl.gz", "default_catalog.default_database.o", "5 s (declared in the plan)", "none", "not aligned", 4},
		{"checks/drift-below-idle/fires.sql-idle-timeout-aligned-1.18.1.jsonl.gz", "default_catalog.default_database.o", "5 s (declared in the plan)", "1 min", "aligned g 10 s to 10 s", 4},
		{"recordings/flink-2.3.0/lab-healthy.jsonl.gz", "Orders", "about 2.1 s (inferred from the gauges)", "set, of unknown length", "not aligned", 4},
		{"recordings/flink-2.3.0/lab-idle-partition.jsonl.gz", "Orders", "about 1.9 s (inferred from the gauges)", "unknown", "not aligned", 4},
		{"recordings/flink-2.3.0/lab-no-strategy.jsonl.gz", "Orders", "unknown", "unknown", "not aligned", 4},
	} {
		_, f := factsOf(t, c.file)
		if len(f.Sources) != 1 {
			t.Errorf("%s: %d sources", c.file, len(f.Sources))
			continue
		}
		s := f.Sources[0]
		name := s.Table
		if name == "" {
			name = s.Name
		}
		delay := "unknown"
		if s.DelayKnown {
			delay = s.Delay.String()
		}
		align := "unknown"
		if s.Alignment.Known {
			align = "not aligned"
		}
		if s.Alignment.Aligned {
			align = "aligned"
			if s.Alignment.Group != "" {
				align += " " + s.Alignment.Group + " " + units.Duration(s.Alignment.DriftLowMs) + " to " + units.Duration(s.Alignment.DriftHiMs)
			}
		}
		if name != c.source || c.delay != "" && delay != c.delay || c.idle != "" && s.Idle.String() != c.idle || align != c.align || s.SplitsKnown && s.Splits != c.splits {
			t.Errorf("%s: %s delay %s, idle %s, %s, %d splits %v", c.file, name, delay, s.Idle, align, s.Splits, s.SplitsKnown)
		}
	}
}

func TestFactsOfOperators(t *testing.T) {
	for file, want := range map[string]string{
		"recordings/flink-2.3.0/lab-healthy.jsonl.gz":               "Window10s counted",
		"recordings/flink-2.3.0/sql-interval-join.jsonl.gz":         "IntervalJoin[21] uncounted",
		"checks/late-uncounted/fires.sql-late-sort-2.3.0.jsonl.gz":  "uncounted",
		"checks/no-event-time/fires.no-event-time-2.3.0.jsonl.gz":   "",
		"checks/late-records/quiet.late-side-output-2.3.0.jsonl.gz": "Window10s counted",
	} {
		_, f := factsOf(t, file)
		got := ""
		for _, op := range f.Operators {
			switch {
			case op.Counted:
				got += op.Name + " counted "
			case op.Uncounted:
				got += op.Name + " uncounted "
			}
		}
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
	if f := facts.Of((&model.Job{})); f.Running || len(f.Sources) > 0 {
		t.Errorf("a job that was not read has facts: %+v", f)
	}
}

// Every reading that a check of jobs needs exists in some recording, and none in a job without metrics.
func TestEveryNeedCanBeMet(t *testing.T) {
	empty := &model.Job{Now: &flinkapi.Sample{}}
	healthy := modelOf(t, "../testdata/recordings/flink-2.3.0/lab-healthy.jsonl.gz")
	sql := modelOf(t, "../testdata/checks/drift-below-idle/fires.sql-idle-timeout-aligned-1.18.1.jsonl.gz")
	withTheJob := []string{"job state", "job type", "uptime", "numRestarts", "exceptions"}
	for _, c := range catalog.Checks() {
		if c.Run == nil {
			continue
		}
		for _, need := range c.Needs {
			for _, r := range need.Any {
				switch {
				case r.In == nil:
					t.Errorf("%s: reading %q has no function that looks for it", c.Code, r.Text)
				case !r.In(healthy) && !r.In(sql):
					t.Errorf("%s: no job has %q", c.Code, r.Text)
				case r.In(empty) && !slices.Contains(withTheJob, r.Text):
					t.Errorf("%s: a job without metrics has %q", c.Code, r.Text)
				}
			}
		}
	}
}

// A check that fired had what it needs; with one sample a check that needs two has not.
func TestUnmetFollowsTheNeeds(t *testing.T) {
	files := filesIn(t, filepath.Join(checksDir, "*", "fires.*.jsonl.gz"))
	seen := map[string]bool{}
	for _, file := range files {
		cause := filepath.Base(filepath.Dir(file))
		if seen[cause] && cases.Of(0, 1) == 0 {
			continue
		}
		seen[cause] = true
		j := modelOf(t, file)
		c, _ := catalog.FindCheck(cause)
		if c.Run == nil || c.Code == "TM101" && !j.Running() { // found in the exceptions of a restarting job
			continue
		}
		if reason := Unmet(j, c); reason != "" {
			t.Errorf("%s: %s fires, but Unmet says that it could not judge: %s", file, c.Code, reason)
		}
	}
	late, _ := catalog.FindCheck("TM401")
	once := modelOf(t, "../testdata/checks/late-records/quiet.edit-one-fetch.jsonl.gz")
	if reason := Unmet(once, late); !strings.Contains(reason, "one metric fetch only") {
		t.Errorf("one fetch: %q", reason)
	}
	for state, file := range map[string]string{"CANCELED": "checks/not-running/fires.healthy-cancelled-2.3.0.jsonl.gz", "batch": "checks/batch/fires.batch-2.3.0.jsonl.gz"} {
		j := modelOf(t, "../testdata/"+file)
		if reason := Unmet(j, late); !strings.Contains(reason, state) {
			t.Errorf("%s: %q", state, reason)
		}
	}
	if reason := Unmet((&model.Job{}), late); reason == "" {
		t.Error("a job that was not read is judged")
	}
}
