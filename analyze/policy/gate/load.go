package gate

import (
	"bytes"
	"errors"
	"io"
	"os"

	"tidemark/analyze/policy"
	"tidemark/request"
)

// load reads the policies; contradictions among them are found before anything else is read.
func (r *run) load() ([]*policy.Policy, error) {
	paths := r.Policies
	if len(paths) == 0 {
		_, err := os.Stat(DefaultPolicy)
		switch {
		case err == nil:
			paths = []string{DefaultPolicy}
		case r.Replay != "" && len(r.Play.Expect) > 0:
			p := r.alone()
			q, err := r.replayFor(p.Jobs[0])
			r.replayed[p.Jobs[0].Replay] = q
			return []*policy.Policy{p}, err
		case len(r.SQL) > 0:
			return nil, request.Badf("no policy: there is no %s here; name one with --policy, or begin with one that says only {version: 1, jobs: [{name: \"*\", owner: YOU}]}", DefaultPolicy)
		default:
			return nil, request.Badf("no policy: there is no %s here; name one with --policy, or write one: `tidemark check init --from RECORDING > %s`", DefaultPolicy, DefaultPolicy)
		}
	}
	if err := r.Given.Unused("the policy says how records are replayed", playSettings()...); err != nil {
		return nil, err
	}
	var all []*policy.Policy
	var mistakes policy.Errors
	seen := map[string]bool{}
	for _, path := range paths {
		if seen[path] {
			return nil, request.Wrong("policy", "names %s twice", path)
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
			mistakes = append(mistakes, r.prepare(p)...)
		}
	}
	if len(mistakes) > 0 {
		return nil, request.Bad(mistakes)
	}
	return all, nil
}

func readPolicy(path string) (*policy.Policy, error) {
	text, err := readSmall(path, policy.MaxSize)
	if err != nil {
		return nil, request.Wrong("policy", "cannot be read: %w", err)
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
	_, err = b.ReadFrom(io.LimitReader(f, most+1))
	return b.Bytes(), err
}
