package policy

import (
	"fmt"
	"strings"

	"tidemark/analyze/catalog"
	_ "tidemark/analyze/checks" // puts the checks of jobs into the catalogue: some of their codes stand here as well
	"tidemark/analyze/facts"
	"tidemark/analyze/model"
)

// scope is one rule at one subject: a job, a table or a script.
type scope struct {
	*evaluation
	rule    *Rule
	subject Subject
	job     *Job // nil where no job is behind the subject
	script  *Script
	sources []facts.SourceFacts // those the rule means
}

// finish is how a result ends.
type finish struct {
	status     Status
	confidence catalog.Confidence
	message    string
	reason     string
	essential  bool
	evidence   []catalog.Evidence
	severity   catalog.Severity // "" = the check's own
	fix        catalog.Fix      // likewise: the fix of the finding that it rests on
}

func (s scope) add(code, key string, at Location, subject Subject, f finish) {
	c, ok := catalog.FindCheck(code)
	if !ok {
		panic("policy: no check " + code) // a mistake of this package, met by its first test
	}
	r := Result{Code: c.Code, Cause: c.Cause, Title: c.Title, Page: catalog.Page(c.Code), Key: key, Status: f.status, Severity: c.Severity, Confidence: f.confidence,
		Subject: subject, Message: f.message, Reason: f.reason, Essential: f.essential, Location: at, Evidence: f.evidence, Fix: c.Fix}
	if f.severity != "" {
		r.Severity = f.severity
	}
	if f.fix.Text != "" {
		r.Fix = f.fix
	}
	s.run.Results = append(s.run.Results, r)
}

func (s scope) pass(code, key string, at Location, subject Subject, format string, a ...any) {
	s.add(code, key, at, subject, finish{status: Passed, message: fmt.Sprintf(format, a...)})
}

func (s scope) fail(code, key string, at Location, subject Subject, c catalog.Confidence, evidence []catalog.Evidence, format string, a ...any) {
	s.add(code, key, at, subject, finish{status: Failed, confidence: c, evidence: evidence, message: fmt.Sprintf(format, a...)})
}

// found is a demand that a finding of the job breaks; severity "" is that of the demand's own check.
func (s scope) found(code, key string, at Location, f catalog.Finding, severity catalog.Severity) {
	s.add(code, key, at, s.subject.At(f.Place), finish{status: Failed, confidence: f.Confidence, evidence: f.Evidence, fix: f.Fix, message: f.Summary, severity: severity})
}

// skip is a demand that could not be judged: the run is incomplete.
func (s scope) skip(code, key string, at Location, subject Subject, format string, a ...any) {
	reason := fmt.Sprintf(format, a...)
	s.add(code, key, at, subject, finish{status: Skipped, reason: reason, message: key + " was not judged: " + reason, essential: true})
}

// leave is a demand that does not apply to the subject.
func (s scope) leave(code, key string, at Location, subject Subject, format string, a ...any) {
	reason := fmt.Sprintf(format, a...)
	s.add(code, key, at, subject, finish{status: Skipped, reason: reason, message: key + " does not apply: " + reason})
}

// at is the subject of one source.
func (s scope) at(src facts.SourceFacts) Subject {
	p := model.Place{Operator: src.Name}
	if src.Vertex.ID != "" {
		p.Vertex = &src.Vertex
	}
	return s.subject.At(p)
}

// eachSource judges a key at every source that the rule means. Where there is none to look at, the
// key is not judged.
func (s scope) eachSource(code, key string, at Location, judge func(facts.SourceFacts, Subject)) {
	if reason := s.unreadable(); reason != "" {
		s.skip(code, key, at, s.subject, "%s", reason)
		return
	}
	if len(s.sources) == 0 {
		s.skip(code, key, at, s.subject, "no source to judge")
		return
	}
	for _, src := range s.sources {
		if src.Used == model.UseNo {
			s.leave(code, key, at, s.at(src), "no operator behind %s uses event time", quote(src.Name))
			continue
		}
		judge(src, s.at(src))
	}
}

// unreadable says why nothing of the job's metrics can be judged, "" where it can.
func (s scope) unreadable() string {
	switch {
	case s.job == nil && s.script == nil && len(s.in.Scripts) > 0:
		return "no job or SQL script that it means was read; to rules, script " + s.in.Scripts[0].Name + " is job " + quote(s.in.Scripts[0].Job)
	case s.job == nil && s.script == nil:
		return "no job, recording or SQL script that it means was read"
	case s.job == nil:
		return s.script.Skipped
	case s.job.Report.Unread:
		return s.job.Report.Headline
	case s.job.Facts.Batch:
		return "batch job: watermarks do not apply"
	case !s.job.Facts.Running:
		return "the job is " + s.job.Report.State + ", not RUNNING"
	}
	return ""
}

// young says that a job has not run for long enough to be judged.
func (s scope) young() string {
	if s.job != nil && s.job.Facts.WarmingUp {
		return "the job just started"
	}
	return ""
}

// findings lists what triage found at the job under these codes, at any vertex, or at one.
func (s scope) findings(vertex string, codes ...string) []catalog.Finding {
	var out []catalog.Finding
	if s.job == nil {
		return nil
	}
	for _, f := range s.job.Report.Findings {
		for _, c := range codes {
			if f.Code == c && (vertex == "" || f.Vertex != nil && f.Vertex.ID == vertex) {
				out = append(out, f)
			}
		}
	}
	return out
}

func evidence(subject, metric, value string) []catalog.Evidence {
	return []catalog.Evidence{{Subject: subject, Metric: metric, Value: value}}
}

func sentence(s string) string { return strings.TrimSuffix(s, ".") }
