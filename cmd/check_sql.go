package cmd

import (
	"context"

	"tidemark/analyze/policy"
)

// readScripts reads the SQL scripts.
func (o *checkOptions) readScripts(_ context.Context, _ *globals, _ *policy.Input) error {
	if len(o.sql) > 0 {
		return usagef("--sql is not read yet")
	}
	return nil
}
