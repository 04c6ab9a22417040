package ci

import (
	"strings"

	"tidemark/analyze/catalog"
	"tidemark/analyze/policy"
	"tidemark/render/safe"
	"tidemark/render/words"
)

const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// sarifOf is a run as SARIF. Its results are the failed and the suppressed ones only: GitHub's code scanning makes an
// alert of every result, whatever its kind. Skipped ones are notifications of the run, which is not successful if
// something demanded is missing.
func sarifOf(run *policy.Run, o Options) sarifLog {
	rules, index := sarifRules(run)
	out := sarifRun{
		Tool:        sarifTool{sarifDriver{Name: "tidemark", Version: safe.Short(run.Tool.Version, 80), Rules: rules}},
		Invocations: []sarifInvocation{{!isIncomplete(run), sarifNotifications(run, index)}},
		ColumnKind:  "unicodeCodePoints",
		Results:     []sarifResult{},
		Properties: map[string]any{"outcome": safe.Short(string(run.Outcome), 20), "policy": safe.Short(underRoot(run.Policy, o.Root), 200),
			"failOn": safe.Short(run.FailOn, 20), "judgedAt": safe.Short(run.At, 40), "leftOut": run.LeftOut},
	}
	for i := range run.Results {
		if r := &run.Results[i]; r.Status == policy.Failed || r.Status == policy.Suppressed {
			out.Results = append(out.Results, sarifResultOf(run, r, index[r.Code], o))
		}
	}
	return sarifLog{sarifSchema, "2.1.0", []sarifRun{out}}
}

func sarifResultOf(run *policy.Run, r *policy.Result, rule int, o Options) sarifResult {
	out := sarifResult{
		RuleID: sarifID(r.Code), RuleIndex: rule, Kind: "fail", Level: sarifLevel(r.Severity),
		Message:   sarifText{Text: sarifProse(checkSentence(r, true))},
		Locations: []sarifLocation{sarifPlace(run, r.Location, o)},
		// GitHub identifies an alert by the first. GitHub's own would be the hash of the policy line, which is the same for
		// all jobs of a rule.
		Partial:      map[string]string{"primaryLocationLineHash": r.Fingerprint, "tidemark/v1": r.Fingerprint},
		Suppressions: []sarifSuppression{}, // all results have it or none (SARIF 3.27.23)
		Properties:   map[string]any{"cause": safe.Short(r.Cause, 60)},
	}
	name := subjectTitle(r.Subject, 200)
	if part := subjectPart(r.Subject, 200); part != "" {
		name += ", " + part
	}
	if name != "" {
		out.Locations[0].Logical = []sarifLogical{{name, safe.Short(r.Subject.Kind, 20)}}
	}
	if r.Key != "" {
		out.Properties["key"] = safe.Short(r.Key, 200)
	}
	if r.Confidence != "" {
		out.Properties["confidence"] = safe.Short(string(r.Confidence), 20)
	}
	if len(r.Evidence) > 0 {
		var lines []string
		for _, e := range r.Evidence {
			lines = append(lines, words.Evidence(e, safe.Clean))
		}
		out.Properties["evidence"] = lines
	}
	if r.Status == policy.Suppressed {
		s := sarifSuppression{Kind: "external", Status: "accepted", Justification: suppressedText(r)}
		if r.Suppression != nil {
			at := sarifPlace(run, r.Suppression.Location, o)
			s.Location = &at
		}
		out.Suppressions = append(out.Suppressions, s)
	}
	return out
}

// sarifNotifications say why the run is not complete, what happened to watched jobs, and what was skipped.
func sarifNotifications(run *policy.Run, index map[string]int) []sarifNotification {
	out := []sarifNotification{}
	for _, reason := range incompleteReasons(run) {
		out = append(out, sarifNotification{"error", sarifText{Text: sarifProse(safe.Clip(safe.Clean(reason.text), 400))}, nil})
	}
	for _, w := range run.Watched {
		out = append(out, sarifNotification{"note", sarifText{Text: sarifProse(strings.Join(watchedLines(w), "\n"))}, nil})
	}
	for i := range run.Results {
		r := &run.Results[i]
		if r.Status != policy.Skipped {
			continue
		}
		level := "note"
		if r.Essential {
			level = "error"
		}
		text := checkName(r) + " at " + subjectTitle(r.Subject, longestName) + " was skipped: " + skippedText(r)
		out = append(out, sarifNotification{level, sarifText{Text: sarifProse(text)}, &sarifReference{sarifID(r.Code), index[r.Code]}})
	}
	return out
}

// sarifPlace is a location, always with a file: GitHub refuses a whole upload for one result without.
func sarifPlace(run *policy.Run, l policy.Location, o Options) sarifLocation {
	l = located(run, l, o)
	p := sarifPhysical{Artifact: sarifFile(l.File)}
	if l.Line > 0 {
		p.Region = &sarifRegion{l.Line, max(0, l.Column)}
	}
	return sarifLocation{Physical: p}
}

func sarifLevel(s catalog.Severity) string {
	switch s {
	case catalog.Critical:
		return "error"
	case catalog.Warning:
		return "warning"
	}
	return "note"
}

// sarifProse escapes links in foreign text: [text](target) is one in a message.
func sarifProse(s string) string { return strings.ReplaceAll(s, "](", `\](`) }

// sarifID is a code as an identifier, never empty.
func sarifID(code string) string {
	if code == "" {
		return "unknown"
	}
	return safe.Short(code, 12)
}
