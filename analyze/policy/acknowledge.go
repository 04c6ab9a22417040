package policy

import (
	"slices"

	"tidemark/analyze"
	"tidemark/analyze/catalog"
)

// Acknowledge gives what marks the findings of a job that policies accept, as of nowMs, epoch ms of today's clock.
// A suppression that has expired accepts nothing: where it would have, its own finding is added (TM873).
func Acknowledge(policies []*Policy, nowMs func() int64) func(*analyze.JobReport) {
	return func(j *analyze.JobReport) {
		now := nowMs()
		open := []catalog.Finding{}
		var lapsed []*Exemption
		for _, f := range j.Findings {
			switch x := acceptedBy(policies, j.Name, f, now); {
			case x == nil:
				open = append(open, f)
			case x.expired(now):
				if open = append(open, f); !slices.Contains(lapsed, x) {
					lapsed = append(lapsed, x)
				}
			default:
				j.Acknowledged = append(j.Acknowledged, analyze.Acknowledged{Finding: f, Acceptance: x.acceptance()})
			}
		}
		for _, x := range lapsed {
			f := catalog.NewFinding("TM873", nil)
			f.Summary = x.At.String() + ": " + x.lapse()
			open = append(open, f)
		}
		j.Findings = open
	}
}

// acceptedBy is the suppression that means a finding: one that holds before one that has expired, nil where none does.
func acceptedBy(policies []*Policy, job string, f catalog.Finding, nowMs int64) (found *Exemption) {
	at := Subject{Kind: "job", Name: job}.At(f.Place)
	for _, p := range policies {
		for _, x := range p.Suppress {
			if x.means(f.Code, at) && x.fits(at) && (found == nil || found.expired(nowMs)) {
				found = x
			}
		}
	}
	return found
}
