package triage

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tidemark/analyze"
	"tidemark/analyze/catalog"
)

func jobWith(v analyze.Verdict, severities ...catalog.Severity) analyze.JobReport {
	j := analyze.JobReport{Name: "j", Verdict: v}
	for _, s := range severities {
		j.Findings = append(j.Findings, catalog.Finding{Severity: s})
	}
	return j
}

func TestOutcome(t *testing.T) {
	broken := []error{errors.New("breaks off")}
	for _, c := range []struct {
		name   string
		jobs   []analyze.JobReport
		failOn string
		damage []error
		want   int
	}{
		{"healthy", []analyze.JobReport{jobWith(analyze.VerdictHealthy)}, "critical", nil, 0},
		{"info", []analyze.JobReport{jobWith(analyze.VerdictInfo, catalog.Info)}, "critical", nil, 0},
		{"warning below", []analyze.JobReport{jobWith(analyze.VerdictWarning, catalog.Warning)}, "critical", nil, 0},
		{"warning at", []analyze.JobReport{jobWith(analyze.VerdictWarning, catalog.Warning)}, "warning", nil, 1},
		{"critical above", []analyze.JobReport{jobWith(analyze.VerdictCritical, catalog.Critical)}, "info", nil, 1},
		{"warning left out by --min-severity", []analyze.JobReport{jobWith(analyze.VerdictWarning)}, "warning", nil, 1},
		{"none never fails", []analyze.JobReport{jobWith(analyze.VerdictCritical, catalog.Critical)}, "none", nil, 0},
		{"second job", []analyze.JobReport{jobWith(analyze.VerdictHealthy), jobWith(analyze.VerdictCritical, catalog.Info, catalog.Critical)}, "critical", nil, 1},
		{"nothing read", nil, "critical", nil, 3},
		{"nothing read, none", nil, "none", nil, 3},
		{"incomplete", []analyze.JobReport{jobWith(analyze.VerdictHealthy), jobWith(analyze.VerdictIncomplete)}, "critical", nil, 3},
		{"two incomplete", []analyze.JobReport{jobWith(analyze.VerdictIncomplete), jobWith(analyze.VerdictIncomplete)}, "none", nil, 3},
		{"a finding outranks what is unknown", []analyze.JobReport{jobWith(analyze.VerdictIncomplete), jobWith(analyze.VerdictCritical, catalog.Critical)}, "critical", nil, 1},
		{"damaged", []analyze.JobReport{jobWith(analyze.VerdictHealthy)}, "critical", broken, 3},
		{"damaged, yet critical", []analyze.JobReport{jobWith(analyze.VerdictCritical, catalog.Critical)}, "critical", broken, 1},
	} {
		got, err := 0, Outcome(c.jobs, catalog.Severity(c.failOn), c.damage)
		switch {
		case errors.Is(err, ErrFindings):
			got = 1
		case err != nil:
			got = 3
		}
		if got != c.want {
			t.Errorf("%s: exit code %d (%v), want %d", c.name, got, err, c.want)
		}
	}
}

func TestMergeOfSeveralRecordings(t *testing.T) {
	report := func(url, version, at, job string) *analyze.Report {
		return &analyze.Report{Schema: "s", CapturedAt: at, Cluster: analyze.Cluster{URL: url, FlinkVersion: version},
			Jobs: []analyze.JobReport{{Name: job}}, NotChecked: []catalog.NotChecked{{Code: job}}}
	}
	a, b := report("u", "2.3.0", "2026-01-02", "a"), report("u", "1.20.3", "2026-01-01", "b")
	got := merge([]*analyze.Report{a, b})
	want := &analyze.Report{Schema: "s", CapturedAt: "2026-01-02", Cluster: analyze.Cluster{URL: "u"},
		Jobs: []analyze.JobReport{{Name: "a"}, {Name: "b"}}, NotChecked: []catalog.NotChecked{{Code: "a"}, {Code: "b"}}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if len(a.Jobs) != 1 || a.Cluster.FlinkVersion != "2.3.0" {
		t.Error("the first report was changed")
	}
}

func TestLeftOutCountsHiddenVerdicts(t *testing.T) {
	r := &analyze.Report{Jobs: []analyze.JobReport{
		{Verdict: analyze.VerdictWarning}, {Verdict: analyze.VerdictInfo}, {Verdict: analyze.VerdictCritical},
		{Verdict: analyze.VerdictHealthy}, {Verdict: analyze.VerdictIncomplete},
	}}
	for least, want := range map[string]int{"info": 0, "warning": 1, "critical": 2} {
		if got := (Request{MinSeverity: least}).LeftOut(r); got != want {
			t.Errorf("--min-severity %s leaves out %d, want %d", least, got, want)
		}
	}
}
