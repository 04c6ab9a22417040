package gate

import (
	"path/filepath"
	"tidemark/analyze/policy"
	"tidemark/request"
)

// readRuleFiles reads the Prometheus rules that the policies name. A file that is not there is a
// mistake of the policy.
func readRuleFiles(policies []*policy.Policy, in *policy.Input) error {
	in.RuleFiles = map[string]policy.RuleFile{}
	for _, p := range policies {
		for _, r := range p.Jobs {
			if r.Alerts == nil {
				continue
			}
			for _, file := range r.Alerts.Rules {
				body, err := readSmall(beside(file.At, file.Text), 10*policy.MaxSize)
				if err != nil {
					return mistake(file.At, "rules", err)
				}
				in.RuleFiles[file.Text] = policy.ParseRuleFile(body)
				in.Sources = append(in.Sources, policy.Source{Kind: "rules", Name: file.Text})
			}
		}
	}
	return nil
}

// mistake is what is wrong with a value of a policy.
func mistake(at policy.Location, what string, err error) error {
	return request.Bad(policy.Errors{{At: at, Text: what + ": " + request.Plain(err)}})
}

// beside is a file that a policy names, from the policy's own folder.
func beside(at policy.Location, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(at.File), path)
}
