package gate

import (
	"strings"

	"tidemark/analyze/catalog"
	"tidemark/analyze/facts"
	"tidemark/analyze/lag"
	"tidemark/analyze/model"
	"tidemark/analyze/policy"
	"tidemark/analyze/sqlplan"
)

// scriptOf turns what a script says into the form that a policy is compared with.
func scriptOf(a sqlplan.Answer, job string) policy.Script {
	s := policy.Script{Name: a.File, Job: job}
	explained := a.Gateway != ""
	for _, src := range a.Sources {
		s.Sources = append(s.Sources, policy.ScriptSource{Facts: scriptSource(src, explained), At: src.Location,
			Named: src.Read || !explained, Sink: src.OnlyWritten, Read: src.Read || !explained && src.HasWatermark()})
	}
	found := map[string]bool{}
	for _, f := range a.Findings {
		found[f.Code] = true
		s.Results = append(s.Results, policy.Result{Code: f.Code, Cause: f.Cause, Title: f.Title, Status: policy.Failed, Severity: f.Severity, Confidence: f.Confidence,
			Subject: f.Subject.At(f.Place), Message: f.Summary, Location: f.Location, Evidence: f.Evidence, Fix: f.Fix})
	}
	s.Results = append(s.Results, silentChecks(a, job, found)...)
	return s
}

// silentChecks are the checks that found nothing in the script, or could not look.
func silentChecks(a sqlplan.Answer, job string, found map[string]bool) []policy.Result {
	unread := ""
	for _, q := range a.Queries {
		if q.Status == sqlplan.Skipped && unread == "" {
			unread = "a statement was not explained: " + strings.TrimSuffix(q.Reason, ".")
		}
	}
	if a.Gateway == "" {
		unread = "the queries were not checked: no SQL gateway was given (--sql-gateway)"
	}
	var out []policy.Result
	for _, c := range catalog.Checks() {
		if c.Script == "" || found[c.Code] {
			continue
		}
		r := policy.Result{Code: c.Code, Cause: c.Cause, Title: c.Title, Status: policy.Passed, Severity: c.Severity, Message: "not found: " + c.Title,
			Subject: policy.Subject{Kind: "query", Name: job}, Location: policy.Location{File: a.File, Line: 1, Column: 1}, Fix: c.Fix}
		if c.Script == catalog.ByPlan && unread != "" {
			r.Status, r.Message, r.Reason = policy.Skipped, "not judged: "+unread, unread
		}
		out = append(out, r)
	}
	return out
}

// scriptSource is a table as a source of a job that does not run yet.
func scriptSource(s sqlplan.Source, explained bool) facts.SourceFacts {
	f := facts.SourceFacts{Name: s.Table, Table: s.Table, Used: model.UseUnknown, Expr: s.WatermarkExpr, Rowtime: s.RowtimeColumn, EpochColumn: s.EpochColumn, EpochUnit: s.EpochUnit}
	switch {
	case s.EventTime:
		f.Used = model.UseYes
	case explained && s.Read:
		f.Used = model.UseNo
	}
	if s.Delay.State == sqlplan.SpanKnown {
		f.Delay, f.DelayKnown = lag.Bound{Ms: s.Delay.Ms, Declared: true, Where: "the WATERMARK clause"}, true
	}
	switch {
	case s.IdleTimeout.State == sqlplan.SpanKnown && s.IdleTimeout.Ms > 0:
		f.Idle = facts.IdleFact{State: facts.IdleSet, LowMs: s.IdleTimeout.Ms, HighMs: s.IdleTimeout.Ms, How: "the script sets it"}
	case s.IdleTimeout.State != sqlplan.SpanUnknown && !s.SourceWatermark:
		f.Idle = facts.IdleFact{State: facts.IdleUnset, How: "neither the table nor the session sets one"}
	}
	if s.Emit != sqlplan.EmitUnknown {
		f.Emission.Strategy = string(s.Emit)
	}
	f.Alignment = facts.AlignmentFact{Known: true, Aligned: s.AlignGroup != "", Group: s.AlignGroup}
	if s.AlignDrift.State == sqlplan.SpanKnown {
		f.Alignment.DriftLowMs, f.Alignment.DriftHiMs = s.AlignDrift.Ms, s.AlignDrift.Ms
	}
	return f
}
