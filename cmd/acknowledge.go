package cmd

import (
	"strings"

	"tidemark/analyze"
	"tidemark/analyze/policy"
	"tidemark/analyze/policy/gate"
	"tidemark/request"
)

// acknowledgeOptions name the policies whose suppress accepts findings.
type acknowledgeOptions struct {
	Policies []string `flag:"policy" doc:"accept the findings listed under suppress in this policy {FILE}: they are shown separately and do not affect the exit code; may repeat"`
}

// mark is what marks accepted findings, nil where no policy is named.
func (o acknowledgeOptions) mark(g *globals) (func(*analyze.JobReport), error) {
	if len(o.Policies) == 0 {
		return nil, nil
	}
	policies, err := gate.Load(gateAccess{g}, o.Policies)
	if err != nil {
		return nil, err
	}
	for _, p := range policies {
		if len(p.Suppress) > 0 {
			return policy.Acknowledge(policies, func() int64 { return g.Now().UnixMilli() }), nil
		}
	}
	return nil, request.Badf("--policy %s has no suppress, and nothing else of a policy is used here; `tidemark check` holds jobs against it", strings.Join(o.Policies, ", "))
}
