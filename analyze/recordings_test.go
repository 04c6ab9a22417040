package analyze

import (
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Every recording of a real cluster gives the findings of VERDICTS.txt at their places, and no others.
func TestRecordings(t *testing.T) {
	want := readVerdicts(t, filepath.Join(recordingsDir, "VERDICTS.txt"))
	files := filesIn(t, filepath.Join(recordingsDir, "*", "*.jsonl.gz"))
	seen := map[string]bool{}
	for _, file := range files {
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(file), recordingsDir+"/"), ".jsonl.gz")
		seen[name] = true
		t.Run(name, func(t *testing.T) {
			o, ok := want[name]
			if !ok {
				t.Fatalf("VERDICTS.txt has no entry for this recording")
			}
			j := onlyJob(t, file)
			if j.Verdict != o.verdict {
				t.Errorf("verdict %s, want %s (%s)", j.Verdict, o.verdict, j.Headline)
			}
			sort.Strings(o.findings)
			if diff := cmp.Diff(o.findings, placesOf(j.Findings)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
			for _, nc := range o.notChecked {
				code, word, _ := strings.Cut(nc, " ")
				if !notCheckedFor(j, code, word) {
					t.Errorf("not_checked lacks %s with %q: %+v", code, word, j.NotChecked)
				}
			}
			checkReport(t, j)
		})
	}
	for name := range want {
		if !seen[name] {
			t.Errorf("VERDICTS.txt names %s, which does not exist", name)
		}
	}
}

func notCheckedFor(j JobReport, code, word string) bool {
	for _, n := range j.NotChecked {
		if n.Code == code && strings.Contains(n.Reason, word) {
			return true
		}
	}
	return false
}

// checkReport checks what is true of every report: a headline, evidence and a fix with each finding, budgets that add up,
// the worst finding first.
func checkReport(t *testing.T, j JobReport) {
	t.Helper()
	if j.Headline == "" {
		t.Error("no headline")
	}
	for i, f := range j.Findings {
		if f.Summary == "" || f.Title == "" || f.Fix.Text == "" || f.Confidence == "" {
			t.Errorf("%s lacks a summary, title, fix or confidence: %+v", f.Code, f)
		}
		if len(f.Evidence) == 0 {
			t.Errorf("%s has no evidence", f.Code)
		}
		for _, e := range f.Evidence {
			if e.Subject == "" || e.Metric == "" || e.Value == "" {
				t.Errorf("%s: empty evidence %+v", f.Code, e)
			}
		}
		if i > 0 && f.Severity.Rank() > j.Findings[i-1].Severity.Rank() {
			t.Errorf("%s comes after a less severe finding", f.Code)
		}
		if f.SinceMs != nil && *f.SinceMs < 0 {
			t.Errorf("%s: since %d ms", f.Code, *f.SinceMs)
		}
	}
	for _, v := range j.Vertices {
		if v.LagMs == nil {
			if len(v.Budget) > 0 {
				t.Errorf("%s: a budget without a lag", v.Name)
			}
			continue
		}
		sum := int64(0)
		for _, p := range v.Budget {
			sum += p.Ms
		}
		if sum != *v.LagMs {
			t.Errorf("%s: budget %v adds up to %d, lag is %d", v.Name, v.Budget, sum, *v.LagMs)
		}
		if *v.LocalLagMs+*v.InheritedLagMs != *v.LagMs {
			t.Errorf("%s: local %d + inherited %d is not %d", v.Name, *v.LocalLagMs, *v.InheritedLagMs, *v.LagMs)
		}
	}
}
