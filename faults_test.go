package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tidemark/cmd"
	"tidemark/internal/cases"
)

const faultsDir = "testdata/faults"

// fault is an input that was judged wrongly once, with what its report must and must not say.
type fault struct {
	ID, File, Args, Right string
	Expect                struct {
		Exit       []int
		Any, None  []string // causes
		At         string   // a regular expression that what a person reads matches
		NotAt      string   `json:"not_at"`   // that no finding matches
		TextNot    string   `json:"text_not"` // that no job matches
		VerdictIn  []string `json:"verdict_in"`
		VerdictNot []string `json:"verdict_not"`
		MinMs      int64    `json:"min_ms"` // of the recommended delay
		AnyExit    bool     `json:"any_exit"`
	}
}

// faultReport is what the tests read of a report of triage, check or recommend.
type faultReport struct {
	Jobs []struct {
		Verdict  string
		Findings []json.RawMessage
	}
	Findings, Results []json.RawMessage
	Recommendation    struct {
		RoundedMs *int64 `json:"rounded_ms"`
	}
}

func (r faultReport) findings() (all []json.RawMessage) {
	for _, j := range r.Jobs {
		all = append(all, j.Findings...)
	}
	return append(all, r.Findings...)
}

// TestFaults compares every input that was judged wrongly once with the right value.
func TestFaults(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join(faultsDir, "expect.json"))
	if err != nil {
		t.Fatal(err)
	}
	var faults []fault
	if err := json.Unmarshal(raw, &faults); err != nil {
		t.Fatal(err)
	}
	for _, f := range cases.Some(faults, len(faults)/2) {
		t.Run(f.ID, func(t *testing.T) {
			t.Parallel()
			f.hold(t)
		})
	}
}

func (f fault) hold(t *testing.T) {
	var out, errs bytes.Buffer
	e := cmd.OS()
	e.In, e.Out, e.Err, e.Getenv = strings.NewReader(""), &out, &errs, func(string) string { return "" }
	args := strings.Fields(strings.NewReplacer("{f}", filepath.Join(faultsDir, f.File), "{d}", faultsDir).Replace(f.Args))
	code := cmd.Main(args, e)
	var r faultReport
	if err := json.Unmarshal(out.Bytes(), &r); err != nil && code == 0 {
		t.Fatalf("%v: %s", err, out.Bytes())
	}
	if want := f.Expect.Exit; want != nil && !slices.Contains(want, code) {
		t.Errorf("exit code %d, want %v: %s", code, want, f.Right)
	}
	causes := r.causes()
	if f.Expect.Any != nil && !slices.ContainsFunc(f.Expect.Any, func(c string) bool { return causes[c] }) {
		t.Errorf("none of %v in %v: %s", f.Expect.Any, causes, f.Right)
	}
	for _, c := range f.Expect.None {
		if causes[c] {
			t.Errorf("%s is claimed: %s", c, f.Right)
		}
	}
	whole := out.String() + errs.String()
	found := string(mustMarshal(t, r.findings()))
	if len(r.Jobs) == 0 {
		found = whole
	}
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{{f.Expect.At, whole, true}, {f.Expect.NotAt, found, false}, {f.Expect.TextNot, whole, false}} {
		if c.pattern != "" && regexp.MustCompile(c.pattern).MatchString(c.text) != c.want {
			t.Errorf("/%s/ is said: %v, want %v: %s", c.pattern, !c.want, c.want, f.Right)
		}
	}
	for _, j := range r.Jobs {
		if f.Expect.VerdictIn != nil && !slices.Contains(f.Expect.VerdictIn, j.Verdict) || slices.Contains(f.Expect.VerdictNot, j.Verdict) {
			t.Errorf("verdict %s: %s", j.Verdict, f.Right)
		}
	}
	if ms := r.Recommendation.RoundedMs; f.Expect.MinMs > 0 && (code == 0 || f.Expect.AnyExit) && (ms == nil || *ms < f.Expect.MinMs) {
		t.Errorf("exit code %d and a delay of %v, want at least %d ms: %s", code, ms, f.Expect.MinMs, f.Right)
	}
}

func (r faultReport) causes() map[string]bool {
	out := map[string]bool{}
	for _, raw := range append(r.findings(), r.Results...) {
		var c struct{ Cause string }
		if json.Unmarshal(raw, &c) == nil && c.Cause != "" {
			out[c.Cause] = true
		}
	}
	return out
}

func mustMarshal(t *testing.T, v any) []byte {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return b
}
