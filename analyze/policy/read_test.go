package policy

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func parsed(t *testing.T, text string) *Policy {
	t.Helper()
	p, err := Parse("p.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestParseKeepsPlaces(t *testing.T) {
	p := parsed(t, `version: 1
fail-on: critical
require: []
jobs:
  - name: "ord*"
    delay:
      declared: 1m30s
      covers: p99.9
      measured: 2 min
      at-most: 2.5x
    late: {share: 0.1%, dropped: 3}
    forbid: TM102
suppress:
  - check: idle-split
    job: /ord(ers)?/
    reason: it is known
    until: 2027-01-31
`)
	r := p.Jobs[0]
	switch {
	case p.FailOn.Text != "critical" || p.FailOn.At.String() != "p.yaml:2:10":
		t.Errorf("fail-on is %+v", p.FailOn)
	case p.Require == nil || len(p.Require) != 0:
		t.Errorf("require is %v", p.Require)
	case r.At.Line != 5 || r.Delay.Declared.Ms != 90_000 || r.Delay.Declared.At != (Location{File: "p.yaml", Line: 7, Column: 17}):
		t.Errorf("delay is %+v", r.Delay.Declared)
	case r.Delay.Measured.Value.Ms != 120_000 || r.Delay.Measured.At.Line != 9:
		t.Errorf("measured is %+v", r.Delay.Measured)
	case r.Late.Share.Value != 0.001 || r.Late.Dropped.N != 3:
		t.Errorf("late is %+v", r.Late)
	case len(r.Forbid) != 1 || r.Forbid[0].Cause != "idle-split":
		t.Errorf("forbid is %v", r.Forbid)
	case p.Suppress[0].Until.Day.Format("2006-01-02") != "2027-01-31" || !p.Suppress[0].Job.Match("orders") || p.Suppress[0].Job.Match("orders-2"):
		t.Errorf("suppress is %+v", p.Suppress[0])
	}
}

func TestDurationsAreReadAsGoAndFlinkDo(t *testing.T) {
	for text, want := range map[string]int64{"5s": 5000, "1m30s": 90_000, "200ms": 200, "2 min": 120_000, "1 d": 86_400_000, "90 s": 90_000, "1.5s": 1500, "0": 0, "3 h": 10_800_000, "5 seconds": 5000, "1 h 30 min": 5_400_000, "PT5S": 5000} {
		if ms, wrong := parseDuration(text); ms != want || wrong != "" {
			t.Errorf("%q is %d ms, %s", text, ms, wrong)
		}
	}
	for _, text := range []string{"", "5", "-5s", "1y", "1e3s", "0.5ms", "100000000h", strings.Repeat("1s", 60), "١s"} {
		if ms, wrong := parseDuration(text); wrong == "" {
			t.Errorf("%q is %d ms", text, ms)
		}
	}
}

func TestPatternsMatchWholeNames(t *testing.T) {
	pattern := func(text string) *Pattern {
		p := parsed(t, "version: 1\njobs: [{name: '"+text+"', owner: x}]\n")
		return p.Jobs[0].Name
	}
	for _, c := range []struct {
		pattern, name string
		match         bool
	}{
		{"orders", "orders", true}, {"orders", "orders2", false}, {"ord*", "orders", true}, {"*", "", true}, {"*", "a\nb", true},
		{"a.c", "abc", false}, {"o?ders", "orders", true}, {"/a|b/", "a", true}, {"/a|b/", "ab", false}, {"a/b", "a/b", true}, {"[x]", "[x]", true}, {"/", "/", true},
	} {
		if got := pattern(c.pattern).Match(c.name); got != c.match {
			t.Errorf("%s matches %q: %v", c.pattern, c.name, got)
		}
	}
	for _, c := range []struct {
		a, b string
		both bool
	}{{"a", "a", true}, {"a", "b", false}, {"a*", "abc", true}, {"/x.*/", "xy", true}, {"a*", "*b", false}, {"a*", "a*", true}} {
		if got := pattern(c.a).overlaps(pattern(c.b)); got != c.both {
			t.Errorf("%s and %s overlap: %v", c.a, c.b, got)
		}
	}
}

// Whatever the text, reading ends with a policy or with errors that each have a place, and what is
// read meets the published schema.
func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob(filepath.Join(checkDir, "*", "*.yaml"))
	for i, file := range files {
		if text, err := os.ReadFile(file); err == nil && i%5 == 0 && len(text) < 3000 {
			f.Add(string(text))
		}
	}
	for _, s := range []string{"a: &a [*a]", "{", "- - -", "version: 1\njobs: [{name: !!binary aGk=}]", "? {a: b}\n: c", "version: 0x1", "version: 1\njobs: [{<<: {name: x}}]", "%YAML 1.1\n---\nversion: 1", "version: 1\nfail-on: &x none\nrequire: [*x]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse("p.yaml", []byte(text))
		if err == nil {
			for _, r := range p.Jobs {
				if r.At.Line == 0 || (r.Name == nil) == (r.Table == nil) {
					t.Errorf("rule %+v", r)
				}
			}
			Contradictions([]*Policy{p, p})
			return
		}
		var es Errors
		if !errors.As(err, &es) || len(es) == 0 {
			t.Fatalf("error %v", err)
		}
		for _, e := range es {
			if e.At.File != "p.yaml" || e.At.Line < 1 || e.At.Column < 1 || e.Text == "" {
				t.Errorf("%q has no place", e)
			}
		}
	})
}
