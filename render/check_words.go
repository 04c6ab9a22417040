package render

import (
	"fmt"
	"strings"

	"tidemark/analyze/catalog"
	"tidemark/analyze/policy"
)

// counts reports a failed result that fails the run: at or above --fail-on.
func counts(run *policy.Run, r *policy.Result) bool {
	return r.Status == policy.Failed && run.FailOn != "none" && r.Severity.Rank() >= catalog.Severity(run.FailOn).Rank()
}

// isIncomplete reports a run that must not be taken for a pass.
func isIncomplete(run *policy.Run) bool {
	return run.Outcome == policy.OutcomeIncomplete || len(run.Incomplete) > 0
}

// incompleteReasons says why a run is not complete, at least one sentence where it is not.
func incompleteReasons(run *policy.Run) []string {
	if run.Outcome == policy.OutcomeIncomplete && len(run.Incomplete) == 0 {
		return []string{"Something the policy demands could not be judged."}
	}
	return run.Incomplete
}

// incompletePlace is the place of a reason why a run is not complete: that of the skipped result behind it.
func incompletePlace(run *policy.Run, reason string) policy.Location {
	for i := range run.Results {
		if r := &run.Results[i]; r.Status == policy.Skipped && r.Location.Line > 0 && strings.HasPrefix(reason, r.Location.String()+": ") {
			return r.Location
		}
	}
	return policy.Location{}
}

// checkCounts is how many results have each status, and how many of the failed ones do not count.
type checkCounts struct {
	all, passed, failed, skipped, suppressed int
	mild                                     int // failed below --fail-on
	bySeverity                               map[catalog.Severity]int
}

func countResults(run *policy.Run) checkCounts {
	c := checkCounts{all: len(run.Results), bySeverity: map[catalog.Severity]int{}}
	for i := range run.Results {
		r := &run.Results[i]
		switch r.Status {
		case policy.Passed:
			c.passed++
		case policy.Failed:
			c.failed++
			c.bySeverity[r.Severity]++
			if !counts(run, r) {
				c.mild++
			}
		case policy.Skipped:
			c.skipped++
		case policy.Suppressed:
			c.suppressed++
		}
	}
	for severity, n := range run.LeftOutOf {
		c.all += n
		c.failed += n
		c.bySeverity[severity] += n
		if !counts(run, &policy.Result{Status: policy.Failed, Severity: severity}) {
			c.mild += n
		}
	}
	return c
}

// String is "12 checks: 3 failed (2 critical, 1 warning), 1 skipped, 1 suppressed, 7 passed".
func (c checkCounts) String() string {
	if c.all == 0 {
		return "no checks"
	}
	var severities, parts []string
	for _, s := range []catalog.Severity{catalog.Critical, catalog.Warning, catalog.Info} {
		if n := c.bySeverity[s]; n > 0 {
			severities = append(severities, fmt.Sprintf("%d %s", n, s))
		}
	}
	if c.failed > 0 {
		failed := fmt.Sprintf("%d failed", c.failed)
		if len(severities) > 0 {
			failed += " (" + strings.Join(severities, ", ") + ")"
		}
		parts = append(parts, failed)
	}
	for _, p := range []struct {
		n    int
		word string
	}{{c.skipped, "skipped"}, {c.suppressed, "suppressed"}, {c.passed, "passed"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.word))
		}
	}
	return plural(c.all, "check", "checks") + ": " + strings.Join(parts, ", ")
}

// countsLine is the counts with what is not among them.
func countsLine(run *policy.Run) string {
	c := countResults(run)
	s := c.String()
	if c.mild > 0 {
		s += fmt.Sprintf("; %d of the failed below --fail-on %s", c.mild, Short(run.FailOn, 20))
	}
	if run.LeftOut > 0 {
		s += fmt.Sprintf("; %d of the failed not shown (--min-severity)", run.LeftOut)
	}
	return s
}

// outcomeLine is the outcome in a sentence without a full stop.
func outcomeLine(run *policy.Run) string {
	c := countResults(run)
	switch {
	case c.all == 0 && len(run.Incomplete) == 0 && run.Outcome != policy.OutcomeIncomplete:
		return "no check applies"
	case run.Outcome == policy.OutcomeFailed:
		s := fmt.Sprintf("%d of %s failed", c.failed-c.mild, plural(c.all, "check", "checks"))
		if isIncomplete(run) {
			s += ", and not everything could be judged"
		}
		return s
	case isIncomplete(run):
		return "not everything that the policy demands could be judged"
	case c.failed > 0:
		return fmt.Sprintf("nothing at or above %s failed", Short(run.FailOn, 20))
	}
	return "nothing failed"
}

// checkSentence is a result by the message grammar: what was found against what was demanded, next
// step. The code stands apart. full adds the subject where the message does not name it.
func checkSentence(r *policy.Result, full bool) string {
	message := strings.TrimSpace(r.Message)
	if message == "" {
		message = r.Title
	}
	message = clip(Clean(strings.ReplaceAll(message, defaultPath, "")), 900)
	if name := r.Subject.Name; full && name != "" && !strings.Contains(r.Message, name) {
		message = subjectTitle(r.Subject.Kind, name, longestName) + ": " + message
	}
	parts := []string{message}
	if next := strings.TrimSpace(r.Fix.Text); next != "" && !strings.Contains(r.Message, next) {
		parts = append(parts, clip(Clean(next), 900))
	}
	for i, p := range parts {
		if !strings.HasSuffix(p, ".") && !strings.HasSuffix(p, "!") && !strings.HasSuffix(p, "?") {
			parts[i] = p + "."
		}
	}
	return strings.Join(parts, " ")
}

// suppressedText says why a result does not count and until when.
func suppressedText(r *policy.Result) string {
	if r.Suppression == nil {
		return "without a reason"
	}
	return "until " + orUnknownDate(Short(r.Suppression.Until, 20)) + ": " + clip(Clean(r.Suppression.Reason), 400)
}

func orUnknownDate(s string) string {
	if s == "" {
		return "an unknown day"
	}
	return s
}

// checkName is code and cause, and the policy key where there is one.
func checkName(r *policy.Result) string {
	s := strings.TrimSpace(Short(r.Code, 12) + " " + Short(r.Cause, 40))
	if r.Key != "" {
		s += " (" + Short(r.Key, longestName) + ")"
	}
	return s
}

// sourcesText says what was read for a run, and when it was judged.
func sourcesText(run *policy.Run) string {
	var parts []string
	for _, s := range run.Sources {
		part := strings.TrimSpace(Short(s.Kind, 20) + " " + Short(s.Name, longestName))
		if s.Note != "" {
			part += " (" + clip(Clean(s.Note), 200) + ")"
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		parts = []string{"nothing was read"}
	}
	return strings.Join(parts, "; ") + "; judged " + clock(run.At)
}
