// Package judge lets the product judge worlds and recordings whose truth is known, and counts the
// outcomes.
package judge

import (
	"tidemark/analyze"
	"tidemark/analyze/catalog"
	"tidemark/flinkapi"
)

// Verdict is what the product reports about one job, independent of its packages.
type Verdict struct {
	Exit       int // of the command: 0 clean, 1 findings, 3 incomplete
	Word       string
	Headline   string
	Findings   []catalog.Finding
	NotChecked []string
}

// Loud reports a finding of severity warning or critical.
func Loud(f catalog.Finding) bool { return f.Severity != catalog.Info }

// Judge triages the answers of a cluster with one job. ok is false if the report contains no job:
// then the verdict is that of the cluster.
func Judge(c *flinkapi.Capture) (v Verdict, ok bool) {
	r := analyze.Triage(c, analyze.Options{})
	for _, n := range r.NotChecked {
		v.NotChecked = append(v.NotChecked, n.Code+" "+n.Reason)
	}
	v.Exit = 3
	if len(r.Jobs) == 0 {
		return v, false
	}
	j := r.Jobs[0]
	v.Word, v.Headline, v.Findings = string(j.Verdict), j.Headline, j.Findings
	for _, n := range j.NotChecked {
		v.NotChecked = append(v.NotChecked, n.Code+" "+n.Reason)
	}
	switch v.Word {
	case "critical":
		v.Exit = 1
	case "warning", "info", "healthy":
		v.Exit = 0 // a warning does not fail by default: --fail-on is critical
	}
	return v, true
}
