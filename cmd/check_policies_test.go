package cmd

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tidemark/analyze/policy"
	"tidemark/internal/cases"
)

const checkDir = "../testdata/check"

var header = regexp.MustCompile(`(?m)^# (args|exit|failed|passed|skipped): ?(.*)$`)

// policyCase is what the head of a test policy says: how it is run, and what must come out.
type policyCase struct {
	args []string
	exit string
	want [][2]string // status, "CODE key"
}

func readCase(t *testing.T, path string) policyCase {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var c policyCase
	for _, m := range header.FindAllStringSubmatch(string(text), -1) {
		switch m[1] {
		case "args":
			c.args = strings.Fields(m[2])
		case "exit":
			c.exit = m[2]
		default:
			c.want = append(c.want, [2]string{m[1], m[2]})
		}
	}
	if len(c.want) == 0 || c.exit == "" {
		t.Fatalf("%s does not say what must come out", path)
	}
	return c
}

// checked runs check and reads its JSON.
func checked(t *testing.T, args ...string) (code int, run policy.Run, stderr string) {
	t.Helper()
	f := newFake(nil)
	code = Main(append([]string{"check", "-o", "json"}, args...), f.env)
	if f.out.Len() > 0 {
		if err := json.Unmarshal(f.out.Bytes(), &run); err != nil {
			t.Fatalf("%v: %s", err, f.out)
		}
	}
	return code, run, f.err.String()
}

// Every policy under testdata/check/<slug> refuses what it is for, and passes its fixed twin.
func TestPoliciesRefuseAndPass(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(checkDir, "*", "*.yaml"))
	if err != nil || len(files) < 50 {
		t.Fatalf("%d policies, %v", len(files), err)
	}
	var policies []string
	kinds := map[string][]string{} // what a policy is about, and how it ends
	for _, file := range files {
		if about := filepath.Base(filepath.Dir(file)); about != "bad" {
			end, _, _ := strings.Cut(filepath.Base(file), ".")
			kinds[about+" "+end] = append(kinds[about+" "+end], file)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		policies = append(policies, cases.Some(kinds[kind], 1)...)
	}
	for _, file := range policies {
		t.Run(filepath.Base(filepath.Dir(file))+"/"+filepath.Base(file), func(t *testing.T) {
			c := readCase(t, file)
			t.Chdir(filepath.Dir(file))
			code, run, stderr := checked(t, append(c.args, "--policy", filepath.Base(file))...)
			if got := string(rune('0' + code)); got != c.exit {
				t.Errorf("exit code %s, want %s; %s\n%s", got, c.exit, stderr, summary(run, policy.Failed))
			}
			for _, want := range c.want {
				if !slices.ContainsFunc(run.Results, func(r policy.Result) bool {
					return string(r.Status) == want[0] && strings.TrimSpace(r.Code+" "+r.Key) == want[1]
				}) {
					t.Errorf("%s is not %s; %s\n%s", want[1], want[0], stderr, summary(run, ""))
				}
			}
			checkRun(t, run)
		})
	}
}

// checkedAt is checked at another hour than the fixture's.
func checkedAt(t *testing.T, now time.Time, args ...string) (code int, run policy.Run) {
	t.Helper()
	f := newFake(nil)
	e := f.env
	e.Now = func() time.Time { return now }
	code = Main(append([]string{"check", "-o", "json"}, args...), e)
	if err := json.Unmarshal(f.out.Bytes(), &run); err != nil {
		t.Fatalf("%v: %s %s", err, f.out, f.err)
	}
	return code, run
}

func summary(run policy.Run, only policy.Status) string {
	var b strings.Builder
	for _, r := range run.Results {
		if only == "" && (r.Key != "" || r.Status == policy.Failed) || r.Status == only {
			b.WriteString(string(r.Status) + " " + r.Code + " " + r.Key + " " + string(r.Severity) + ": " + r.Message + "\n")
		}
	}
	return b.String() + strings.Join(run.Incomplete, "\n")
}

// checkRun holds what every run must hold.
func checkRun(t *testing.T, run policy.Run) {
	t.Helper()
	seen := map[string]bool{}
	for _, r := range run.Results {
		switch {
		case seen[r.Fingerprint]:
			t.Errorf("two results have the fingerprint of %s %s", r.Code, r.Key)
		case r.Status == policy.Skipped && r.Reason == "":
			t.Errorf("%s %s is skipped without a reason", r.Code, r.Key)
		case r.Message == "" || r.Title == "" || r.Fingerprint == "" || r.Fix.Text == "" || r.Location.File == "":
			t.Errorf("%s %s lacks a message, title, fix, file or fingerprint", r.Code, r.Key)
		case r.Essential && run.Outcome == policy.OutcomePassed:
			t.Errorf("%s %s was not judged, and the run passed", r.Code, r.Key)
		case r.Status == policy.Failed && r.Confidence == "":
			t.Errorf("%s %s failed without a confidence", r.Code, r.Key)
		}
		seen[r.Fingerprint] = true
	}
}

// The go-live checklist and the symptom map each have a key, a check and a test.
func TestTheChecklistIsCovered(t *testing.T) {
	for _, item := range append(append([]policy.Item{}, policy.Checklist...), policy.Symptoms...) {
		for _, kind := range []string{"refuse", "pass"} {
			files, _ := filepath.Glob(filepath.Join(checkDir, item.Slug, kind+".*.yaml"))
			covered := false
			for _, file := range files {
				for _, want := range readCase(t, file).want {
					code, key, _ := strings.Cut(want[1], " ")
					covered = covered || slices.Contains(item.Checks, code) && slices.ContainsFunc(item.Keys, func(k string) bool { return strings.HasPrefix(key, k) })
				}
			}
			if !covered {
				t.Errorf("%s has no policy that shows %s for one of its keys and checks", item.Slug, kind)
			}
		}
	}
}
