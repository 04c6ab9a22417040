package cmd

import (
	"strings"
	"testing"

	"tidemark/analyze/catalog"
	"tidemark/kafkastats/advise"
)

// Every code that recommend prints can be explained, and is told apart from what a job can have.
func TestExplainKnowsWhatRecommendFinds(t *testing.T) {
	codes := advise.Codes()
	if len(codes) != len(measuredChecks) {
		t.Errorf("%d causes, %d explained", len(codes), len(measuredChecks))
	}
	for code, cause := range codes {
		out, _, err := run(t, newExplain, "", "", strings.ToLower(code))
		if err != nil || !strings.HasPrefix(out, code+" "+cause+": ") {
			t.Errorf("%s: %v\n%.200s", code, err, out)
		}
		for _, section := range []string{"What one sees", "Why, and how it is told apart", "What to do"} {
			if !strings.Contains(out, section) {
				t.Errorf("%s has no %q", code, section)
			}
		}
		if _, ok := catalog.FindCheck(code); ok {
			t.Errorf("%s is a check of jobs as well", code)
		}
	}
	if out, _, err := run(t, newExplain, "", "", "zone-shift"); err != nil || !strings.HasPrefix(out, "TM203 ") {
		t.Errorf("zone-shift: %v %.80s", err, out)
	}
	if out, _, err := run(t, newExplain, "", "", "seasonality"); err != nil || !strings.HasPrefix(out, "TM828 ") {
		t.Errorf("seasonality: %v %.80s", err, out)
	}
}
