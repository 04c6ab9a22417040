package policy

import (
	"cmp"
	"slices"

	"tidemark/analyze/catalog"
	"tidemark/internal/redact"
	"tidemark/internal/units"
)

// evaluation is a run in the making.
type evaluation struct {
	in       Input
	policies []*Policy
	run      *Run
	failOn   catalog.Severity // "" = nothing fails the run
}

// Evaluate compares what was read with the policies. The error is Errors: demands that contradict
// each other at a subject that was read.
func Evaluate(policies []*Policy, in Input) (*Run, error) {
	e := &evaluation{in: in, policies: policies, run: &Run{
		Schema: SchemaCheck, Tool: in.Tool, At: units.Time(in.AtMs), AtMs: in.AtMs, Sources: append([]Source{}, in.Sources...),
		Results: []Result{}, Incomplete: append([]string{}, in.Incomplete...), IncompleteAt: make([]Location, len(in.Incomplete)),
	}}
	for i, p := range policies {
		if i > 0 {
			e.run.Policy += ", "
		}
		e.run.Policy += p.At.File
	}
	e.run.FailOn = failOn(policies, in.FailOn)
	if e.run.FailOn != "none" {
		e.failOn = catalog.Severity(e.run.FailOn)
	}
	if es := e.judgeAll(); len(es) > 0 {
		return nil, es
	}
	e.conclude()
	redact.All(e.run)
	return e.run, nil
}

// failOn is the flag's, the policy's, or warning: what is wrong or fragile must not go live.
func failOn(policies []*Policy, flag string) string {
	if flag != "" {
		return flag
	}
	for _, p := range policies {
		if p.FailOn != nil {
			return p.FailOn.Text
		}
	}
	return string(catalog.Warning)
}

func (e *evaluation) rules() []*Rule {
	var all []*Rule
	for _, p := range e.policies {
		all = append(all, p.Jobs...)
	}
	return all
}

func (e *evaluation) judgeAll() Errors {
	rules := e.rules()
	used := map[*Rule]bool{}
	var es Errors
	for i := range e.in.Jobs {
		if j := &e.in.Jobs[i]; j.Report.Timeline != nil {
			e.run.Watched = append(e.run.Watched, Watched{j.Report.Name, j.Report.ID, j.Report.Timeline, j.Drill})
		}
		es = append(es, e.judgeJob(&e.in.Jobs[i], rules, used)...)
	}
	for i := range e.in.Scripts {
		es = append(es, e.judgeScript(&e.in.Scripts[i], rules, used)...)
	}
	es = append(es, e.judgeTables(rules, used)...)
	for _, r := range rules {
		if !used[r] {
			e.withoutSubject(r)
		}
		e.judgeRule(r)
	}
	slices.SortStableFunc(es, func(a, b Error) int { return compareLocations(a.At, b.At) })
	return slices.Compact(es) // two jobs show the same contradiction
}

// conclude names, suppresses, sorts and counts, and says the outcome.
func (e *evaluation) conclude() {
	e.suppress()
	if !slices.ContainsFunc(e.run.Results, aboutASubject) && len(e.run.Incomplete) == 0 {
		e.incomplete(Location{}, "nothing was judged: no rule of the policy means what was read")
	}
	fingerprints(e.run.Results)
	if e.in.Baseline != nil {
		e.run.Baseline = compare(e.run.Results, e.in.Baseline, e.in.BaselineFile)
	}
	failed := false
	var shown []Result
	for _, r := range e.run.Results {
		if r.Status == Failed && e.failOn != "" && r.Severity.Rank() >= e.failOn.Rank() {
			failed = true
		}
		if r.Status == Skipped && r.Essential {
			e.incomplete(r.Location, r.Message)
		}
		if r.Status == Failed && r.Severity.Rank() < e.in.MinSeverity.Rank() {
			e.run.LeftOut++
			if e.run.LeftOutOf == nil {
				e.run.LeftOutOf = map[catalog.Severity]int{}
			}
			e.run.LeftOutOf[r.Severity]++
			continue
		}
		if r.Evidence == nil {
			r.Evidence = []catalog.Evidence{}
		}
		shown = append(shown, r)
	}
	slices.SortStableFunc(shown, compareResults)
	e.run.Results = append([]Result{}, shown...)
	switch {
	case failed:
		e.run.Outcome = OutcomeFailed
	case len(e.run.Incomplete) > 0:
		e.run.Outcome = OutcomeIncomplete
	default:
		e.run.Outcome = OutcomePassed
	}
}

// aboutASubject reports a result that says something of what was read, and not only of the policy.
func aboutASubject(r Result) bool {
	switch r.Code {
	case "TM873", "TM874", "TM875", "TM876":
		return false
	}
	return true
}

func (e *evaluation) incomplete(at Location, text string) {
	if at.Line > 0 {
		text = at.String() + ": " + text
	}
	if !slices.Contains(e.run.Incomplete, text) {
		e.run.Incomplete, e.run.IncompleteAt = append(e.run.Incomplete, text), append(e.run.IncompleteAt, at)
	}
}

func compareResults(a, b Result) int {
	return cmp.Or(cmp.Compare(a.Subject.Kind, b.Subject.Kind), cmp.Compare(a.Subject.Name, b.Subject.Name), cmp.Compare(vertexName(a.Subject), vertexName(b.Subject)),
		cmp.Compare(a.Subject.Operator, b.Subject.Operator), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Key, b.Key), compareLocations(a.Location, b.Location),
		cmp.Compare(a.Subject.Split, b.Subject.Split), slices.Compare(a.Subject.Subtasks, b.Subject.Subtasks), cmp.Compare(a.Message, b.Message))
}

func vertexName(s Subject) string {
	if s.Vertex == nil {
		return ""
	}
	return s.Vertex.Name
}
