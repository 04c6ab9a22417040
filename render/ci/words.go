package ci

import (
	"fmt"
	"strings"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/analyze/policy"
	"tidemark/internal/units"
	"tidemark/render/safe"
	"tidemark/render/words"
)

// counts reports whether a result fails the run: it failed at or above --fail-on.
func counts(run *policy.Run, r *policy.Result) bool {
	return r.Status == policy.Failed && run.FailOn != "none" && r.Severity.Rank() >= catalog.Severity(run.FailOn).Rank()
}

// isIncomplete reports whether a run did not judge everything, so that it must not pass.
func isIncomplete(run *policy.Run) bool {
	return run.Outcome == policy.OutcomeIncomplete || len(run.Incomplete) > 0
}

// reason is why a run is not complete, and the demand that could not be judged.
type reason struct {
	text string
	at   policy.Location
}

// incompleteReasons says why a run is not complete, at least one sentence where it is not.
func incompleteReasons(run *policy.Run) []reason {
	if run.Outcome == policy.OutcomeIncomplete && len(run.Incomplete) == 0 {
		return []reason{{text: "Something the policy demands could not be judged."}}
	}
	var out []reason
	for i, text := range run.Incomplete {
		r := reason{text: text}
		if i < len(run.IncompleteAt) {
			r.at = run.IncompleteAt[i]
		}
		out = append(out, r)
	}
	return out
}

// checkCounts is how many results have each status, and how many of the failed ones do not fail the run.
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
			severities = append(severities, units.Count(n)+" "+string(s))
		}
	}
	if c.failed > 0 {
		failed := units.Count(c.failed) + " failed"
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
			parts = append(parts, units.Count(p.n)+" "+p.word)
		}
	}
	return words.Plural(c.all, "check", "checks") + ": " + strings.Join(parts, ", ")
}

// countsLine is the counts, and how many failed results do not count or are not shown.
func countsLine(run *policy.Run) string {
	c := countResults(run)
	s := c.String()
	if c.mild > 0 {
		s += fmt.Sprintf("; %d of the failed below --fail-on %s", c.mild, safe.Short(run.FailOn, 20))
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
		s := fmt.Sprintf("%s of %s failed", units.Count(c.failed-c.mild), words.Plural(c.all, "check", "checks"))
		if isIncomplete(run) {
			s += ", and not everything could be judged"
		}
		return s
	case isIncomplete(run):
		return "not everything that the policy demands could be judged"
	case c.failed > 0:
		return fmt.Sprintf("nothing at or above %s failed", safe.Short(run.FailOn, 20))
	}
	return "nothing failed"
}

// checkSentence is a result in sentences: what was found, compared with what was demanded, and the next step; without the
// code. full adds the subject where the message does not name it.
func checkSentence(r *policy.Result, full bool) string {
	message := strings.TrimSpace(r.Message)
	if message == "" {
		message = r.Title
	}
	message = safe.Clip(safe.Clean(strings.ReplaceAll(message, model.DefaultPath, "")), 900)
	if name := r.Subject.Name; full && name != "" && !strings.Contains(r.Message, name) {
		message = subjectTitle(r.Subject, longestName) + ": " + message
	}
	parts := []string{message}
	if next := strings.TrimSpace(r.Fix.Text); next != "" && !strings.Contains(r.Message, next) {
		parts = append(parts, safe.Clip(safe.Clean(next), 900))
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
	return "until " + orUnknownDate(safe.Short(r.Suppression.Until, 20)) + ": " + safe.Clip(safe.Clean(r.Suppression.Reason), 400)
}

func orUnknownDate(s string) string {
	if s == "" {
		return "an unknown day"
	}
	return s
}

// checkName is code and cause, and the policy key, if any.
func checkName(r *policy.Result) string {
	s := strings.TrimSpace(safe.Short(r.Code, 12) + " " + safe.Short(r.Cause, 40))
	if r.Key != "" {
		s += " (" + safe.Short(r.Key, longestName) + ")"
	}
	return s
}

// sourcesText says what was read for a run, and when it was judged.
func sourcesText(run *policy.Run) string {
	var parts []string
	for _, s := range run.Sources {
		part := strings.TrimSpace(safe.Short(s.Kind, 20) + " " + safe.Short(s.Name, longestName))
		if s.Note != "" {
			part += " (" + safe.Clip(safe.Clean(s.Note), 200) + ")"
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		parts = []string{"nothing was read"}
	}
	return strings.Join(parts, "; ") + "; judged " + words.Clock(run.AtMs)
}

// skippedText says why a result was skipped, and what that means for the run.
func skippedText(r *policy.Result) string {
	reason := safe.Clip(safe.Clean(r.Reason), 400)
	if reason == "" {
		reason = "no reason is given"
	}
	if r.Essential {
		reason += " (demanded: without it the run is incomplete)"
	}
	return reason
}
