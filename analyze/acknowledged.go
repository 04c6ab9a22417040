package analyze

import (
	"slices"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
)

// acknowledge lets mark move the accepted findings and renews verdict and headline without them. A job whose only
// faults are accepted is acknowledged, not healthy.
func acknowledge(j *model.Job, r *JobReport, mark func(*JobReport)) {
	before := len(r.Findings)
	mark(r)
	if len(r.Acknowledged) == 0 && len(r.Findings) == before {
		return
	}
	r.Findings = Order(j, r.Findings)
	if j.Now == nil {
		return
	}
	r.Verdict = VerdictOf(r.Findings, r.Incomplete)
	wrong := slices.IndexFunc(r.Acknowledged, func(a Acknowledged) bool { return a.Severity.Rank() > catalog.Info.Rank() })
	if wrong >= 0 && (r.Verdict == VerdictHealthy || r.Verdict == VerdictInfo) {
		a := r.Acknowledged[wrong]
		r.Verdict, r.Headline = VerdictAcknowledged, a.Title+" (acknowledged until "+a.Until+")"
		return
	}
	r.Headline = headline(j, *r)
}
