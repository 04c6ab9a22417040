package analyze

import (
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"tidemark/analyze/catalog"
)

const checksDir = "../testdata/checks"

// A check is tested by recordings: in checks/<cause>/fires.<why> the cause must be found, in quiet.<why> it must not,
// however similar it looks.
func TestChecks(t *testing.T) {
	files := filesIn(t, filepath.Join(checksDir, "*", "*.jsonl.gz"))
	for _, file := range files {
		cause := filepath.Base(filepath.Dir(file))
		kind, why, ok := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".jsonl.gz"), ".")
		t.Run(cause+"/"+kind+"."+why, func(t *testing.T) {
			if _, known := catalog.FindCheck(cause); !known {
				t.Fatalf("no check has the cause %s", cause)
			}
			if !ok || kind != "fires" && kind != "quiet" {
				t.Fatalf("the name must be fires.<why> or quiet.<why>")
			}
			j := onlyJob(t, file)
			if named := hasCause(j.Findings, cause); named != (kind == "fires") {
				t.Errorf("%s found: %v, want %v; findings %v, not checked %v", cause, named, kind == "fires", placesOf(j.Findings), j.NotChecked)
			}
			checkReport(t, j)
		})
	}
}

// Every check of jobs has a recording in which it fires and one in which it does not.
func TestChecksAreCovered(t *testing.T) {
	for _, c := range catalog.Checks() {
		if c.Run == nil {
			continue
		}
		for _, kind := range []string{"fires", "quiet"} {
			files, _ := filepath.Glob(filepath.Join(checksDir, c.Cause, kind+".*.jsonl.gz"))
			if len(files) == 0 {
				t.Errorf("%s (%s) has no recording in which it %s", c.Cause, c.Code, kind)
			}
		}
	}
}

// explain, SARIF and the README are made from the catalogue.
func TestCatalogue(t *testing.T) {
	codes, causes := map[string]bool{}, map[string]bool{}
	all := catalog.Checks()
	if !sort.SliceIsSorted(all, func(i, k int) bool { return all[i].Code < all[k].Code }) {
		t.Error("checks are not sorted by code")
	}
	for _, c := range all {
		if codes[c.Code] || causes[c.Cause] {
			t.Errorf("%s %s is there twice", c.Code, c.Cause)
		}
		codes[c.Code], causes[c.Cause] = true, true
		if c.Title == "" || c.Means == "" || c.Why == "" || c.Fix.Text == "" || c.Severity.Rank() == 0 {
			t.Errorf("%s lacks a title, meaning, reason, fix or severity", c.Code)
		}
		if c.Symptom < 0 || c.Symptom > 6 {
			t.Errorf("%s: symptom %d", c.Code, c.Symptom)
		}
		for _, h := range c.Hides {
			if _, ok := catalog.FindCheck(h); !ok {
				t.Errorf("%s hides %s, which is no check", c.Code, h)
			}
		}
		for _, name := range []string{c.Code, c.Cause} {
			if found, ok := catalog.FindCheck(name); !ok || found.Code != c.Code {
				t.Errorf("%s cannot be looked up by %s", c.Code, name)
			}
		}
	}
}
