package gate

import (
	"errors"
	"io/fs"
	"os"

	"tidemark/analyze/policy"
	"tidemark/request"
)

// baseline is the earlier run that was named; nil where none was. It is read before anything else, since this run
// may write its own report to the same file.
func (r Request) baseline() (*policy.Run, error) {
	if !r.Given["baseline"] && r.Baseline == "" {
		return nil, nil
	}
	data, err := os.ReadFile(r.Baseline)
	if err != nil {
		var at *fs.PathError
		if errors.As(err, &at) {
			err = at.Err
		}
		return nil, request.Wrong("baseline", "%s cannot be read: %w; it takes the JSON report of an earlier check, from -o json", r.Baseline, err)
	}
	run, err := policy.ReadBaseline(data)
	if err != nil {
		return nil, request.Wrong("baseline", "%s is no JSON report of an earlier check: %w; write one with -o json or --report json=FILE", r.Baseline, err)
	}
	return run, nil
}
