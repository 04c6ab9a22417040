package policy

import (
	"fmt"
	"strings"

	"tidemark/analyze/catalog"
	"tidemark/analyze/facts"
)

var (
	_ = catalog.Register(catalog.Check{
		Code: "TM875", Cause: "job-not-found", Title: "The policy demands something of a job that is not there", Severity: catalog.Warning,
		Needs: catalog.Needs(catalog.Or(catalog.Named("a cluster"), catalog.Named("a recording"))),
		Means: "A rule names a job, a table or a source, and nothing of that name was read: its demands were not checked.",
		Why:   "A renamed job, a typo in the policy, or the wrong cluster. A rule that matches nothing would otherwise look like one that passes.",
		Fix:   catalog.Fix{Text: "Correct the name (* and ? match any characters, /…/ is a regular expression), or remove the rule."},
	})
	_ = catalog.Register(catalog.Check{
		Code: "TM876", Cause: "job-without-rule", Title: "A job that was read has no rule", Severity: catalog.Info,
		Needs: catalog.Needs(catalog.Or(catalog.Named("a cluster"), catalog.Named("a recording"))),
		Means: "No rule of the policy matches this job, so nothing was demanded of it and it was not judged.",
		Why:   "A new job that nobody wrote a rule for passes every gate. With JOB arguments only the named jobs are read, and the others are not reported.",
		Fix:   catalog.Fix{Text: "Write a rule for it, or one for every job (name: \"*\")."},
	})
)

// judgeJob compares a job with every rule that means it.
func (e *evaluation) judgeJob(j *Job, rules []*Rule, used map[*Rule]bool) Errors {
	subject := Subject{Kind: "job", Name: j.Report.Name, ShortID: j.Report.ShortID}
	var mine []*Rule
	for _, r := range rules {
		if r.Name != nil && r.Name.Match(j.Report.Name) {
			mine = append(mine, r)
			used[r] = true
		}
	}
	if len(mine) == 0 {
		s := scope{evaluation: e, subject: subject}
		if !e.anyTable(rules, j) {
			s.fail("TM876", "", Location{File: e.policies[0].At.File}, subject, catalog.Certain, nil, "job %s has no rule in the policy and was not judged", quote(j.Report.Name))
			if e.in.Chosen {
				e.incomplete(Location{}, "job "+quote(j.Report.Name)+" was asked for and has no rule in the policy")
			}
		}
		return nil
	}
	if es := pairwise(mine); len(es) > 0 {
		return es
	}
	e.triage(j, mine)
	e.required(subject, mine)
	for _, r := range mine {
		s := scope{evaluation: e, rule: r, subject: subject, job: j}
		s.sources = s.meant(j.Facts.Sources)
		if r.Source != nil && len(s.sources) == 0 && s.unreadable() == "" {
			s.fail("TM875", "source", r.Source.At, subject, catalog.Certain, nil, "job %s has no source %s; it has %s", quote(j.Report.Name), quote(r.Source.Text), sourceNames(j.Facts.Sources))
		}
		s.keys()
	}
	return nil
}

// anyTable reports that a table rule means a source of the job, so that the job has a rule.
func (e *evaluation) anyTable(rules []*Rule, j *Job) bool {
	for _, r := range rules {
		for _, src := range j.Facts.Sources {
			if r.Table != nil && matchTable(r.Table, src) {
				return true
			}
		}
	}
	return false
}

// pairwise finds contradictions among the rules of one subject.
func pairwise(rules []*Rule) Errors {
	var es Errors
	for i, a := range rules {
		for _, b := range rules[i+1:] {
			if a.Source == nil || b.Source == nil || a.Source.overlaps(b.Source) {
				es = append(es, conflicts(a, b)...)
			}
		}
	}
	return es
}

// meant are the sources that the rule's source key means.
func (s scope) meant(all []facts.SourceFacts) []facts.SourceFacts {
	var out []facts.SourceFacts
	for _, src := range all {
		if p := s.rule.Source; p == nil || p.Match(src.Name) || p.Match(src.Vertex.Name) || matchTable(p, src) {
			out = append(out, src)
		}
	}
	return out
}

// matchTable compares with catalog.database.table, the table alone, or from Flink 2.3 on, where the
// scan's text is not shown, the name of the scan without its node number.
func matchTable(p *Pattern, src facts.SourceFacts) bool {
	name := src.Table
	if name == "" {
		var number bool
		if name, _, number = strings.Cut(src.Name, "["); !number {
			return false
		}
	}
	return p.Match(name) || p.Match(name[strings.LastIndex(name, ".")+1:])
}

func sourceNames(all []facts.SourceFacts) string {
	var list []string
	for _, src := range all {
		if len(list) == 8 {
			list = append(list, fmt.Sprintf("%d more", len(all)-8))
			break
		}
		list = append(list, quote(src.Name))
	}
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}

// judgeScript compares a SQL script with the rules that mean its job.
func (e *evaluation) judgeScript(script *Script, rules []*Rule, used map[*Rule]bool) Errors {
	subject := Subject{Kind: "query", Name: script.Job}
	var mine []*Rule
	for _, r := range rules {
		if r.Name != nil && r.Name.Match(script.Job) {
			mine = append(mine, r)
			used[r] = true
		}
	}
	if es := pairwise(mine); len(es) > 0 {
		return es
	}
	e.statements(script, mine)
	if len(mine) > 0 {
		e.required(subject, mine)
	}
	for _, r := range mine {
		s := scope{evaluation: e, rule: r, subject: subject, script: script}
		var all []facts.SourceFacts
		for _, src := range script.Sources {
			if src.Read {
				all = append(all, src.Facts)
			}
		}
		s.sources = s.meant(all)
		s.keys()
	}
	return nil
}

// withoutSubject is a rule that means nothing that was read.
func (e *evaluation) withoutSubject(r *Rule) {
	p, kind := r.Name, "job"
	if p == nil {
		p, kind = r.Table, "table"
	}
	s := scope{evaluation: e, rule: r, subject: Subject{Kind: "policy", Name: p.Text}}
	switch {
	case e.in.JobsRead && !e.in.Chosen, len(e.in.Scripts) > 0 && kind == "table":
		s.fail("TM875", kind, p.At, s.subject, catalog.Certain, nil, "no %s %s was found: its demands were not checked", kind, quote(p.Text))
		return
	case e.in.Chosen && kind == "job":
		s.leave("TM875", kind, p.At, s.subject, "only the jobs named on the command line were read")
		return
	}
	e.required(s.subject, []*Rule{r})
	s.keys()
}
