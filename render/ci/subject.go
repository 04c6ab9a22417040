package ci

import (
	"fmt"
	"sort"
	"strings"

	"tidemark/analyze/model"
	"tidemark/analyze/policy"
	"tidemark/render/safe"
)

// longestName is how many cells of a foreign name the formats for people show.
const longestName = 60

// checkGroup is what a run says about one subject: a job, a table, a query, a replay, the policy.
type checkGroup struct {
	subject policy.Subject // job, table or what else, without a place inside it
	results []*policy.Result
}

// checkGroups groups the results by subject, in the order of the run.
func checkGroups(run *policy.Run) []*checkGroup {
	type key struct{ kind, name, short string }
	var groups []*checkGroup
	known := map[key]*checkGroup{}
	for i := range run.Results {
		r := &run.Results[i]
		k := key{r.Subject.Kind, r.Subject.Name, r.Subject.ShortID}
		if known[k] == nil {
			known[k] = &checkGroup{subject: r.Subject}
			groups = append(groups, known[k])
		}
		known[k].results = append(known[k].results, r)
	}
	return groups
}

// with are the results of the group that have a status.
func (g *checkGroup) with(s policy.Status) []*policy.Result {
	var out []*policy.Result
	for _, r := range g.results {
		if r.Status == s {
			out = append(out, r)
		}
	}
	return out
}

// failed are the failed results of the group, the worst first.
func (g *checkGroup) failed() []*policy.Result {
	out := g.with(policy.Failed)
	sort.SliceStable(out, func(i, k int) bool { return out[i].Severity.Rank() > out[k].Severity.Rank() })
	return out
}

// title names a subject: "job orders-by-region".
func (g *checkGroup) title(max int) string { return subjectTitle(g.subject, max) }

func subjectTitle(s policy.Subject, max int) string {
	return strings.TrimSpace(safe.Short(s.Kind, 20) + " " + safe.Name(model.JobLabel(s.Name, s.ShortID), max))
}

// subjectPart names the place inside a subject: vertex, operator, subtasks and split.
func subjectPart(s policy.Subject, max int) string {
	var parts []string
	if s.Vertex != nil {
		parts = append(parts, `vertex "`+safe.Name(s.Vertex.Name, max)+`"`)
	}
	if s.Operator != "" {
		parts = append(parts, `operator "`+safe.Name(s.Operator, max)+`"`)
	}
	if n := len(s.Subtasks); n > 0 {
		parts = append(parts, numbered(s.Subtasks))
	}
	if s.Split != "" {
		parts = append(parts, "split "+safe.Short(s.Split, max))
	}
	return strings.Join(parts, ", ")
}

// numbered lists at most eight subtasks.
func numbered(subtasks []int) string {
	const most = 8
	word := "subtasks"
	if len(subtasks) == 1 {
		word = "subtask"
	}
	shown := subtasks[:min(most, len(subtasks))]
	s := word + " " + strings.ReplaceAll(strings.Trim(fmt.Sprint(shown), "[]"), " ", ", ")
	if more := len(subtasks) - len(shown); more > 0 {
		s += fmt.Sprintf(" and %d more", more)
	}
	return s
}

// located is the location of a result, always with a file: the (first) policy where the result has none, and the default
// name of a policy where that is unknown.
func located(run *policy.Run, l policy.Location, o Options) policy.Location {
	if l.File == "" {
		first, _, _ := strings.Cut(run.Policy, ", ")
		l = policy.Location{File: first}
	}
	if l.File == "" {
		l.File = "tidemark.yaml"
	}
	l.File = underRoot(l.File, o.Root)
	return l
}

// policyName names the policy of a run for people.
func policyName(run *policy.Run, o Options) string {
	if run.Policy == "" {
		return "without a policy file"
	}
	return underRoot(run.Policy, o.Root)
}

// placeText is file:line:column as compilers write it.
func placeText(l policy.Location) string {
	s := safe.Short(l.File, 200)
	if l.Line > 0 {
		s += fmt.Sprintf(":%d", l.Line)
		if l.Column > 0 {
			s += fmt.Sprintf(":%d", l.Column)
		}
	}
	return s
}
