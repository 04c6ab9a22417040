package cmd

import (
	"bytes"
	"errors"
	"os"

	"tidemark/analyze/policy"
)

// load reads the policies; contradictions among them are found before anything else is read.
func (o *checkOptions) load() ([]*policy.Policy, error) {
	paths := o.policies
	if len(paths) == 0 {
		_, err := os.Stat(defaultPolicy)
		switch {
		case err == nil:
			paths = []string{defaultPolicy}
		case o.replay != "" && len(o.expect) > 0:
			p, err := o.replayPolicy()
			return []*policy.Policy{p}, err
		case len(o.sql) > 0:
			return nil, usagef("no policy: there is no %s here; name one with --policy, or begin with one that says only {version: 1, jobs: [{name: \"*\", owner: YOU}]}", defaultPolicy)
		default:
			return nil, usagef("no policy: there is no %s here; name one with --policy, or write one: `tidemark check init --from RECORDING > %s`", defaultPolicy, defaultPolicy)
		}
	}
	var all []*policy.Policy
	var mistakes policy.Errors
	seen := map[string]bool{}
	for _, path := range paths {
		if seen[path] {
			return nil, usagef("--policy names %s twice", path)
		}
		seen[path] = true
		p, err := readPolicy(path)
		var es policy.Errors
		switch {
		case errors.As(err, &es):
			mistakes = append(mistakes, es...)
		case err != nil:
			return nil, err
		default:
			all = append(all, p)
		}
	}
	if len(mistakes) == 0 {
		mistakes = policy.Contradictions(all)
		for _, p := range all {
			mistakes = append(mistakes, checkReplays(p)...)
		}
	}
	if len(mistakes) > 0 {
		return nil, usageError{mistakes}
	}
	return all, nil
}

func readPolicy(path string) (*policy.Policy, error) {
	text, err := readSmall(path, policy.MaxSize)
	if err != nil {
		return nil, usagef("policy cannot be read: %w", err)
	}
	return policy.Parse(path, text)
}

// readSmall reads a file whole; one that is larger than most is cut there, for the reader to refuse.
func readSmall(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // nothing is written
	var b bytes.Buffer
	_, err = b.ReadFrom(limited(f, most+1))
	return b.Bytes(), err
}
