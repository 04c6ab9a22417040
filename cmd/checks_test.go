package cmd

import (
	"slices"
	"strings"
	"testing"

	"tidemark/analyze/catalog"
	"tidemark/internal/cases"
)

// Everything that a command can find is in the catalogue once, is explained, and says what it needs.
func TestCatalogueIsWhole(t *testing.T) {
	taken, measured := map[string]string{}, 0
	list, _, err := run(t, newChecks, "", "")
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range catalog.Checks() {
		for _, name := range []string{c.Code, c.Cause} {
			if taken[name] != "" {
				t.Errorf("%s is %s and %s", name, taken[name], c.Code)
			}
			taken[name] = c.Code
			ways := []string{name, strings.ToLower(name), strings.ToUpper(name)}
			for _, spelled := range cases.Some(slices.Concat(ways[i%3:], ways[:i%3]), 1) {
				out, _, err := run(t, newExplain, "", "", spelled)
				if err != nil || !strings.HasPrefix(out, c.Code+" "+c.Cause+": ") {
					t.Errorf("explain %s: %v\n%.200s", spelled, err, out)
				}
				for _, section := range []string{"What you see", "Why, and how to distinguish it", "What to do"} {
					if !strings.Contains(out, section) {
						t.Errorf("explain %s has no %q", spelled, section)
					}
				}
			}
		}
		if c.Title == "" || c.Severity.Rank() == 0 {
			t.Errorf("%s lacks a title or severity", c.Code)
		}
		if !strings.Contains(list, c.Code+"  "+c.Cause) {
			t.Errorf("checks does not list %s", c.Code)
		}
		for _, n := range c.NeedTexts() {
			if n == "" || strings.HasSuffix(n, " or ") {
				t.Errorf("%s has an empty need", c.Code)
			}
		}
		switch needs := strings.Join(c.NeedTexts(), ", "); {
		case !strings.Contains(needs, "SQL script"):
		case c.Script == "":
			t.Errorf("%s needs a script, and does not say which part of it", c.Code)
		case (c.Script == catalog.ByPlan) != strings.Contains(needs, "SQL gateway"):
			t.Errorf("%s is told by the %s, and needs %s", c.Code, c.Script, needs)
		}
		if c.Measured {
			measured++
			if c.Run != nil || len(c.Explains) > 0 {
				t.Errorf("%s is found in records, and judges jobs", c.Code)
			}
		}
	}
	if measured != 31 {
		t.Errorf("%d checks of records", measured)
	}
}

// A cause belongs to one code. What records had in common with jobs was renamed: the old slug means the
// job's check, as it did before, and the other is named as well.
func TestFormerCauses(t *testing.T) {
	for cause, codes := range map[string][2]string{
		"epoch-unit":    {"TM201", "TM820 record-epoch-unit"},
		"zone-shift":    {"TM203", "TM821 record-zone-shift"},
		"future-record": {"TM202", "TM822 record-in-future"},
	} {
		out, errs, err := run(t, newExplain, "", "", cause)
		if err != nil || !strings.HasPrefix(out, codes[0]+" "+cause) || !strings.Contains(errs, codes[1]) {
			t.Errorf("%s: %v\n%s%.80s", cause, err, errs, out)
		}
		code, _, _ := strings.Cut(codes[1], " ")
		if out, _, _ = run(t, newExplain, "", "", code); !strings.Contains(out, "formerly "+cause) {
			t.Errorf("%s does not say that it was %s", code, cause)
		}
	}
}
