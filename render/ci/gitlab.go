package ci

import (
	"crypto/sha256"
	"fmt"

	"tidemark/analyze/catalog"
	"tidemark/analyze/policy"
	"tidemark/render/safe"
)

// gitlabIssue is an entry of GitLab's code quality report: the properties that its documentation
// names, all of them required.
type gitlabIssue struct {
	Description string         `json:"description"`
	CheckName   string         `json:"check_name"`
	Fingerprint string         `json:"fingerprint"`
	Severity    string         `json:"severity"` // info, minor, major, critical or blocker
	Location    gitlabLocation `json:"location"`
}

type gitlabLocation struct {
	Path  string      `json:"path"` // relative to the repository
	Lines gitlabLines `json:"lines"`
}

type gitlabLines struct {
	Begin int `json:"begin"`
}

// gitlabIssues are the failed results, and why the run is not complete. The format knows neither
// passed nor suppressed ones: an entry is a fault.
func gitlabIssues(run *policy.Run, o Options) []gitlabIssue {
	issues := []gitlabIssue{}
	for _, reason := range incompleteReasons(run) {
		issues = append(issues, gitlabIssue{"The check is incomplete: " + safe.Clip(safe.Clean(reason.text), 400), "incomplete",
			"incomplete " + reason.text, "blocker", gitlabPlace(run, reason.at, o)})
	}
	for i := range run.Results {
		r := &run.Results[i]
		if r.Status != policy.Failed {
			continue
		}
		issues = append(issues, gitlabIssue{checkSentence(r, true), safe.Short(r.Code+" "+r.Cause, 60),
			r.Fingerprint, gitlabSeverity(r.Severity), gitlabPlace(run, r.Location, o)})
	}
	seen := map[string]int{}
	for i := range issues {
		f := &issues[i].Fingerprint
		seen[*f]++
		*f = fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", *f, seen[*f])))
	}
	return issues
}

func gitlabSeverity(s catalog.Severity) string {
	switch s {
	case catalog.Critical:
		return "critical"
	case catalog.Warning:
		return "major"
	}
	return "info"
}

// gitlabPlace is where an issue is shown. GitLab knows only files of the repository: one outside of
// it is shown by its last name.
func gitlabPlace(run *policy.Run, l policy.Location, o Options) gitlabLocation {
	l = located(run, l, o)
	return gitlabLocation{safe.Clean(insideRoot(l.File)), gitlabLines{max(1, l.Line)}}
}
