package render

import (
	"bytes"
	"strings"

	"tidemark/analyze"
	"tidemark/analyze/catalog"
	"tidemark/analyze/policy"
)

// checkText is the state of one text rendering of a check run.
type checkText struct {
	*text
	run  *policy.Run
	opts Options
}

// writeCheckText writes what an engineer needs whose build went red: the outcome, what failed by
// subject, what was skipped or suppressed and why, the counts.
func writeCheckText(b *bytes.Buffer, t theme, run *policy.Run, o Options) {
	x := &checkText{&text{w: b, t: t, width: o.width(), fixes: map[catalog.Fix]bool{}}, run, o}
	x.outcome()
	for _, g := range checkGroups(run) {
		x.failures(g)
	}
	x.incomplete()
	x.others("Skipped", policy.Skipped, skippedText)
	x.others("Suppressed", policy.Suppressed, suppressedText)
	if len(run.Results) > 0 || run.LeftOut > 0 {
		x.line("")
		x.wrapped("", countsLine(run))
	}
}

func (x *checkText) outcome() {
	x.labelledAs(outcomeVerdict(x.run.Outcome), string(x.run.Outcome), Short(policyName(x.run, x.opts), 48)+": "+outcomeLine(x.run))
	x.dimmed(sourcesText(x.run))
}

// outcomeVerdict is the verdict that has the colour of an outcome.
func outcomeVerdict(o policy.Outcome) string {
	switch o {
	case policy.OutcomePassed:
		return string(analyze.VerdictHealthy)
	case policy.OutcomeFailed:
		return string(analyze.VerdictCritical)
	}
	return string(analyze.VerdictIncomplete)
}

// labelledAs is labelled with a word of its own.
func (x *checkText) labelledAs(verdict, word, body string) {
	word = strings.ToUpper(Short(word, 20))
	if word == "" {
		word = "UNKNOWN"
	}
	for i, l := range wrapAfter(body, x.width-width(word)-1, x.width-2) {
		if i == 0 {
			x.line(x.t.paint(verdict, word) + " " + l)
		} else {
			x.line("  " + l)
		}
	}
}

func (x *checkText) failures(g *checkGroup) {
	failed := g.failed()
	if len(failed) == 0 {
		return
	}
	x.line("")
	x.line(x.t.strong.Render(g.title(x.width - 22)))
	for i, r := range failed {
		if i > 0 {
			x.line("")
		}
		x.failure(r)
	}
}

func (x *checkText) failure(r *policy.Result) {
	x.labelled(string(r.Severity), checkSentence(r, false)+" ["+Short(r.Code, 12)+"]")
	x.field("at", placeText(located(x.run, r.Location, x.opts)))
	x.field("in", subjectPart(r.Subject, longestName))
	x.field("demanded by", Short(r.Key, longestName))
	x.field("cause", strings.Join(checkTraitsOf(x.run, r), ", "))
	for i, e := range r.Evidence {
		label := ""
		if i == 0 {
			label = "evidence"
		}
		x.field(label, evidenceText(e, Clean))
	}
	if x.fixes[r.Fix] && r.Fix.DataStream+r.Fix.SQL != "" {
		x.field("code", "the same as above")
		return
	}
	x.fixes[r.Fix] = true
	x.code("DataStream", r.Fix.DataStream)
	x.code("SQL", r.Fix.SQL)
}

// checkTraitsOf are the small facts about a failed result.
func checkTraitsOf(run *policy.Run, r *policy.Result) []string {
	t := []string{Short(r.Cause, 40)}
	if r.Confidence != "" {
		t = append(t, Short(string(r.Confidence), 20))
	}
	if !counts(run, r) {
		t = append(t, "below --fail-on "+Short(run.FailOn, 20))
	}
	return t
}

func (x *checkText) incomplete() {
	reasons := incompleteReasons(x.run)
	if len(reasons) == 0 {
		return
	}
	x.line("")
	x.line(x.t.incomplete.Render("Incomplete"))
	for _, reason := range reasons {
		x.wrapped("  ", clip(Clean(reason), 400))
	}
}

// others lists the results of one status with why they have it.
func (x *checkText) others(title string, status policy.Status, why func(*policy.Result) string) {
	first := true
	for _, g := range checkGroups(x.run) {
		for _, r := range g.with(status) {
			if first {
				x.line("")
				x.line(x.t.strong.Render(title))
				first = false
			}
			what := checkName(r) + " at " + g.title(longestName)
			if part := subjectPart(r.Subject, longestName); part != "" {
				what += ", " + part
			}
			x.wrapped("  ", what)
			x.wrapped("      ", why(r))
			if status == policy.Suppressed && r.Suppression != nil {
				x.wrapped("      ", "hides: "+checkSentence(r, false)+" Suppressed at "+placeText(located(x.run, r.Suppression.Location, x.opts))+".")
			}
		}
	}
}

// skippedText says why a result was skipped, and what that means for the run.
func skippedText(r *policy.Result) string {
	reason := clip(Clean(r.Reason), 400)
	if reason == "" {
		reason = "no reason is given"
	}
	if r.Essential {
		reason += " (demanded: without it the run is incomplete)"
	}
	return reason
}

// wrapped writes clean text, indented.
func (x *checkText) wrapped(margin, s string) {
	for _, l := range wrap(s, x.width-len(margin)) {
		x.line(margin + l)
	}
}
