package policy

import (
	"fmt"

	"tidemark/analyze/catalog"
)

// triage makes a result of every check of a running job: each finding, or that there is none, or why
// it could not be told. Rules can forbid a check, or lower it to info.
func (e *evaluation) triage(j *Job, rules []*Rule) {
	subject := Subject{Kind: "job", Name: j.Report.Name, ShortID: j.Report.ShortID}
	s := scope{evaluation: e, rule: rules[0], subject: subject, job: j}
	for _, c := range catalog.Checks() {
		if c.Run == nil {
			continue
		}
		t := treatmentOf(c.Code, rules)
		fired := s.findings("", c.Code)
		for _, f := range fired {
			s.found(c.Code, t.key, t.at, f, e.treat(f.Severity, t))
		}
		switch reason := j.Unmet[c.Code]; {
		case len(fired) > 0:
		case reason != "" && t.key == "forbid":
			s.skip(c.Code, t.key, t.at, subject, "%s", reason)
		case reason != "":
			s.add(c.Code, t.key, t.at, subject, finish{status: Skipped, reason: reason, message: "not judged: " + reason})
		default:
			s.pass(c.Code, t.key, t.at, subject, "not found: %s", c.Title)
		}
	}
	e.unjudged(j, rules[0])
}

// unjudged says why a job as a whole was not judged.
func (e *evaluation) unjudged(j *Job, r *Rule) {
	name := quote(j.Report.Name)
	switch {
	case j.Report.Unread:
		e.incomplete(r.At, "job "+name+": "+j.Report.Headline)
	case j.Facts.Batch:
	case !j.Facts.Running:
		e.incomplete(r.At, fmt.Sprintf("job %s is %s: its event time was not judged", name, j.Report.State))
	case j.Facts.WarmingUp:
		e.incomplete(r.At, fmt.Sprintf("job %s just started: judge it again in a minute", name))
	case j.Essential:
		for _, n := range j.Report.NotChecked {
			if n.Code != "TM650" && n.Code != "TM905" {
				e.incomplete(Location{}, fmt.Sprintf("job %s: %s (%s)", name, sentence(n.Reason), n.Code))
			}
		}
	}
}

// treatment is what the rules of a subject say about a check.
type treatment struct {
	key string // forbid, warn or ""
	at  Location
}

func treatmentOf(code string, rules []*Rule) treatment {
	t := treatment{at: rules[0].At}
	for _, r := range rules {
		for _, w := range r.Warn {
			if w.Code == code && t.key == "" {
				t = treatment{"warn", w.At}
			}
		}
		for _, f := range r.Forbid {
			if f.Code == code {
				t = treatment{"forbid", f.At}
			}
		}
	}
	return t
}

// treat gives a finding the severity by which it counts.
func (e *evaluation) treat(s catalog.Severity, t treatment) catalog.Severity {
	switch {
	case t.key == "warn":
		return catalog.Info
	case t.key == "forbid" && s.Rank() < e.failOn.Rank():
		return e.failOn
	}
	return s
}

// statements are the findings of a SQL script, treated as those of a job.
func (e *evaluation) statements(script *Script, rules []*Rule) {
	for _, r := range script.Results {
		if len(rules) > 0 {
			t := treatmentOf(r.Code, rules)
			if r.Key == "" {
				r.Key = t.key
			}
			if r.Status == Failed {
				r.Severity = e.treat(r.Severity, t)
			}
			if r.Status == Skipped && t.key == "forbid" {
				r.Essential = true
			}
		}
		e.run.Results = append(e.run.Results, r)
	}
}
