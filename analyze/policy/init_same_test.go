package policy

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tidemark/analyze"
	"tidemark/analyze/catalog"
	"tidemark/analyze/facts"
	"tidemark/analyze/lag"
	"tidemark/analyze/model"
	"tidemark/internal/cases"
)

const recordings = "../../testdata/recordings/flink-2.3.0/"

// named reads the jobs of recordings under one name.
func named(t *testing.T, name string, files ...string) []Job {
	t.Helper()
	var jobs []Job
	for i, f := range files {
		for _, j := range jobsOf(t, recordings+f+".jsonl.gz") {
			j.Report.Name, j.Report.ID = name, strings.Repeat(string(rune('a'+i)), 32)
			jobs = append(jobs, j)
		}
	}
	return jobs
}

// Jobs that share a name get one rule that all of them meet where they are well.
func TestJobsOfANameAreOneRule(t *testing.T) {
	jobs := named(t, "orders", "lab-healthy", "lab-healthy-2", "lab-idle-partition")
	text := string(Draft(jobs, "three"))
	if n := strings.Count(text, "\n  - name: "); n != 1 {
		t.Fatalf("%d rules, want one:\n%s", n, text)
	}
	for _, want := range []string{"3 jobs of this name; verdicts of triage: info (aaaaaaaa), healthy (bbbbbbbb), critical (cccccccc)", "\n    max-lag: 30 s # twice what was read"} {
		if !strings.Contains(text, want) {
			t.Errorf("the draft lacks %q:\n%s", want, text)
		}
	}
	p, err := Parse("p.yaml", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	run, err := Evaluate([]*Policy{p}, Input{Jobs: jobs, JobsRead: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range run.Results {
		if r.Status == Failed && !draftMayFail(r, jobs) || r.Code == "TM875" || r.Code == "TM876" {
			t.Errorf("%s at %+v: %s\n%s", r.Key, r.Subject, r.Message, text)
		}
	}
}

// A limit is never that of an outage: only a job that is well gives one.
func TestNoOutageBecomesALimit(t *testing.T) {
	files, _ := filepath.Glob("../../testdata/recordings/*/*.jsonl.gz")
	limits := 0
	for _, file := range cases.Some(files, len(files)/2) {
		for _, j := range jobsOf(t, file) {
			text := string(Draft([]Job{j}, file))
			well := j.Report.Verdict == analyze.VerdictHealthy || j.Report.Verdict == analyze.VerdictInfo
			limit := strings.Contains(text, "\n    max-lag: ")
			if limit && !well {
				t.Errorf("%s: a limit of a job that is %s:\n%s", file, j.Report.Verdict, text)
			}
			if limit {
				limits++
			}
			for _, f := range j.Report.Findings {
				if f.Code == "TM301" && regexp.MustCompile(`\n +delay:`).MatchString(text) {
					t.Errorf("%s: the delay that TM301 finds too large is declared:\n%s", file, text)
				}
			}
		}
	}
	if limits < 3 {
		t.Errorf("%d recordings give a limit", limits)
	}
}

func sourceJob(id string, verdict analyze.Verdict, lagMs int64, s facts.SourceFacts) Job {
	s.Name, s.Used = "Orders", model.UseYes
	j := Job{Report: analyze.JobReport{ID: id, Name: "orders", State: "RUNNING", Verdict: verdict, Vertices: []analyze.VertexReport{{LagMs: &lagMs}}}, Facts: facts.Facts{Running: true, Sources: []facts.SourceFacts{s}}}
	if verdict == analyze.VerdictCritical {
		j.Report.Findings = []catalog.Finding{{Code: "TM303", Cause: "backpressure", Severity: catalog.Critical}}
	}
	return j
}

func TestLimitsHoldForAllJobsOfAName(t *testing.T) {
	idle := func(ms int64) facts.IdleFact {
		return facts.IdleFact{State: facts.IdleSet, LowMs: ms, HighMs: ms, How: "by the plan"}
	}
	source := func(delay, timeout, interval int64, splits int) facts.SourceFacts {
		return facts.SourceFacts{Delay: lag.Bound{Ms: delay, Declared: true}, DelayKnown: true, Idle: idle(timeout), Emission: facts.EmissionFact{IntervalMs: interval}, SplitsKnown: true, Splits: splits, Parallelism: 4}
	}
	for name, c := range map[string]struct {
		jobs []Job
		want []string
	}{
		"the largest": {[]Job{sourceJob("a", analyze.VerdictHealthy, 20_000, source(5000, 10_000, 200, 4)), sourceJob("b", analyze.VerdictHealthy, 100_000, source(5000, 30_000, 1000, 4))},
			[]string{"    max-lag: 5 min # twice what was read: 1 min 40 s; the largest of 2 jobs of this name\n", "      declared: 5 s", "    idleness: {required: true, min: 10 s, max: 30 s}", "    emission-interval: {max: 1 s}", "    parallelism: {at-most-partitions: true}"}},
		"an outage is left out": {[]Job{sourceJob("a", analyze.VerdictCritical, 7_200_000, source(5000, 10_000, 0, 4)), sourceJob("b", analyze.VerdictInfo, 10_000, source(5000, 10_000, 200, 2))},
			[]string{"    max-lag: 30 s # twice what was read: 10 s; the largest of 2 jobs of this name, 1 left out: the lag that was read (2 h) is that of a job which is not well: backpressure\n",
				"    emission-interval: {max: 200 ms} #", "1 left out: pipeline.auto-watermark-interval is 0", "    # parallelism: {at-most-partitions: true} # would fail: 4 subtasks over 2 splits"}},
		"only outages": {[]Job{sourceJob("a", analyze.VerdictCritical, 7_200_000, source(5000, 10_000, 0, 4)), sourceJob("b", analyze.VerdictIncomplete, 60_000, source(5000, 10_000, 0, 4))},
			[]string{"    # max-lag: 1m # ", "    # emission-interval: {max: 200 ms}"}},
		"they differ": {[]Job{sourceJob("a", analyze.VerdictHealthy, 0, source(5000, 10_000, 200, 4)), sourceJob("b", analyze.VerdictHealthy, 0, source(9000, 0, 200, 4))},
			[]string{"    # delay: # jobs of this name differ: ", "declared: 5 s", "declared: 9 s", "    idleness: {required: true} # no limits"}},
	} {
		text := string(Draft(c.jobs, name))
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: the draft lacks %q:\n%s", name, want, text)
			}
		}
		if _, err := Parse("p.yaml", []byte(text)); err != nil {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
}

// A source that only some jobs of a name have is no rule: the others would fail it.
func TestSourcesOfSomeJobsAreAComment(t *testing.T) {
	a, b := sourceJob("a", analyze.VerdictHealthy, 0, facts.SourceFacts{}), sourceJob("b", analyze.VerdictHealthy, 0, facts.SourceFacts{})
	b.Facts.Sources = append(b.Facts.Sources, facts.SourceFacts{Name: "Payments", Used: model.UseYes})
	text := string(Draft([]Job{a, b}, "two"))
	if !strings.Contains(text, `# - {name: "orders", source: "Payments"} # only 1 of the 2 jobs of this name have it`) || !strings.Contains(text, "\n    source: \"Orders\"") {
		t.Error(text)
	}
	b.Report.State, b.Facts.Running = "FAILED", false
	if text := string(Draft([]Job{a, b}, "two")); strings.Contains(text, "Payments") || !strings.Contains(text, "not judged here (b)") {
		t.Error(text)
	}
}
