package gate

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"tidemark/analyze/policy"
	"tidemark/analyze/sqlplan"
	"tidemark/flinkapi"
	"tidemark/request"
)

// maxScript is how many bytes of a SQL script are read.
const maxScript = 16 << 20

// readScripts reads the SQL scripts: with a gateway each in a separate session, else their tables alone.
func (r *run) readScripts(ctx context.Context, in *policy.Input) error {
	if len(r.SQL) == 0 {
		return nil
	}
	var connection flinkapi.ClientOptions
	if r.Gateway != "" {
		var err error
		if connection, err = r.access.Gateway(ctx, r.Gateway); err != nil {
			return err
		}
	}
	for _, path := range r.SQL {
		text, err := readSmall(path, maxScript)
		if err != nil {
			return request.Wrong("sql", "cannot be read: %w", err)
		}
		if len(text) > maxScript {
			return request.Badf("%s:1:1: the script has more than %d bytes", path, maxScript)
		}
		answer, err := readSQL(ctx, connection, path, string(text))
		var mistake *request.Mistake
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, &mistake):
			return err
		case err != nil:
			return fmt.Errorf("%s:1:1: the script was not read: %w", path, err)
		}
		scriptRead(answer, string(text), in)
	}
	return nil
}

// scriptRead adds what a script says to the input of the run.
func scriptRead(a sqlplan.Answer, text string, in *policy.Input) {
	note := "tables only: no --sql-gateway"
	if a.Gateway != "" {
		note = "explained by Flink " + a.FlinkVersion
		if !slices.ContainsFunc(in.Sources, func(s policy.Source) bool { return s.Kind == "sql-gateway" }) {
			in.Sources = append(in.Sources, policy.Source{Kind: "sql-gateway", Name: a.Gateway, Note: "Flink " + a.FlinkVersion})
		}
	}
	in.Sources = append(in.Sources, policy.Source{Kind: "sql", Name: a.File, Note: note})
	in.Scripts = append(in.Scripts, scriptOf(a, jobOf(a.File, text)))
	if a.Gateway == "" && len(a.Sources) == 0 && len(a.Queries) == 0 {
		in.Incomplete = append(in.Incomplete, a.File+": no table was read from it, and without --sql-gateway its other statements are not parsed")
	}
	for _, why := range a.Incomplete {
		in.Incomplete = append(in.Incomplete, a.File+": "+strings.TrimSuffix(why, "."))
	}
}

var pipelineName = regexp.MustCompile(`(?im)^\s*SET\s+'?pipeline\.name'?\s*=\s*'((?:[^'\n]|'')+)'`)

// jobOf is the name by which rules mean the script: what it sets as pipeline.name, else its file's.
func jobOf(path, text string) string {
	if m := pipelineName.FindStringSubmatch(text); m != nil {
		return strings.ReplaceAll(m[1], "''", "'")
	}
	return strings.TrimSuffix(filepath.Base(path), ".sql")
}
