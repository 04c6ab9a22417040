package policy

import (
	"strings"

	"tidemark/analyze/catalog"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM869", Cause: "alert-missing", Title: "No alert watches the event-time lag of the job",
	Severity: catalog.Warning, Needs: catalog.Needs(asks("alerts.rules")),
	Means: "The Prometheus rule files that the policy names hold no alert that compares the watermark of this job with the clock.",
	Why: "Other alerts do not notice a watermark that stands still: the job runs, records flow, checkpoints succeed. " +
		"An alert counts when its expression, with the recording rules it reads, takes a watermark gauge of Flink's reporter and time(), or watermarkLag, or tidemark_event_time_lag_seconds, and its job_name matcher matches the job.",
	Fix: catalog.Fix{Text: "Write the rules with tidemark alerts (with --policy it takes the limits from here), load them into Prometheus, and name the file."},
})

// alerted looks for an alert on event-time lag in the rule files.
func (s scope) alerted(a *Alerts) {
	const code, key = "TM869", "alerts.rules"
	name, known := s.jobName()
	if !known {
		s.skip(code, key, a.At, s.subject, "the rule means jobs by a pattern, and no job was read")
		return
	}
	var files, broken []string
	for _, path := range a.Rules {
		f := s.in.RuleFiles[path.Text]
		if f.Err != "" {
			broken = append(broken, path.Text+": "+f.Err)
			continue
		}
		if alert := f.LagAlert(name); alert != "" {
			s.pass(code, key, path.At, s.subject, "alert %s of %s watches the event-time lag", quote(alert), path.Text)
			return
		}
		files = append(files, path.Text)
	}
	if len(broken) > 0 {
		s.skip(code, key, a.At, s.subject, "%s", strings.Join(broken, "; "))
		return
	}
	s.fail(code, key, a.Rules[0].At, s.subject, catalog.Certain, nil, "no alert in %s watches the event-time lag of job %s", strings.Join(files, ", "), quote(name))
}

// jobName is the job that the scope is about, as the cluster or the policy names it.
func (s scope) jobName() (string, bool) {
	switch {
	case s.job != nil:
		return s.job.Report.Name, true
	case s.script != nil:
		return s.script.Job, true
	case s.rule.Name != nil && s.rule.Name.literal():
		return s.rule.Name.Text, true
	}
	return "", false
}
