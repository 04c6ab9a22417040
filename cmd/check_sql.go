package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"tidemark/analyze/policy"
	"tidemark/analyze/sqlplan"
	"tidemark/flinkapi/sqlgateway"
)

// maxScript is how many bytes of a SQL script are read.
const maxScript = 16 << 20

// readScripts reads the SQL scripts: with a gateway each in a session of its own, else their tables alone.
func (o *checkOptions) readScripts(ctx context.Context, g *globals, in *policy.Input) error {
	if len(o.sql) == 0 {
		return nil
	}
	var client *sqlgateway.Client
	if o.gateway != "" {
		var err error
		if client, err = g.gateway(ctx, o.gateway); err != nil {
			return err
		}
		in.Sources = append(in.Sources, policy.Source{Kind: "sql-gateway", Name: client.URL()})
	}
	for _, path := range o.sql {
		text, err := readSmall(path, maxScript)
		if err != nil {
			return usagef("--sql: %w", err)
		}
		if len(text) > maxScript {
			return usagef("%s:1:1: the script has more than %d bytes", path, maxScript)
		}
		answer, err := readScript(ctx, client, path, string(text))
		if err != nil {
			return err
		}
		note := "tables only: no --sql-gateway"
		if answer.Gateway != "" {
			note = "explained by Flink " + answer.FlinkVersion
			in.Sources[indexOf(in.Sources, "sql-gateway")].Note = "Flink " + answer.FlinkVersion
		}
		in.Sources = append(in.Sources, policy.Source{Kind: "sql", Name: path, Note: note})
		in.Scripts = append(in.Scripts, scriptOf(answer, jobOf(path, string(text))))
		for _, why := range answer.Incomplete {
			in.Incomplete = append(in.Incomplete, path+": "+strings.TrimSuffix(why, "."))
		}
	}
	return nil
}

func indexOf(sources []policy.Source, kind string) int {
	for i, s := range sources {
		if s.Kind == kind {
			return i
		}
	}
	return 0
}

func readScript(ctx context.Context, client *sqlgateway.Client, path, text string) (sqlplan.Answer, error) {
	if client == nil {
		return sqlplan.ReadDDL(path, text), nil
	}
	session, err := client.Open(ctx, nil)
	if err == nil {
		defer func() { _ = session.Close(ctx) }() // the gateway ends it by itself, too
		var answer sqlplan.Answer
		if answer, err = sqlplan.Read(ctx, sqlSession{client, session}, path, text); err == nil {
			return answer, nil
		}
	}
	if ctx.Err() != nil {
		return sqlplan.Answer{}, ctx.Err()
	}
	return sqlplan.Answer{}, fmt.Errorf("%s:1:1: the script was not read: %w", path, err)
}

// gateway connects with what flags and environment say. The settings of a context belong to its
// cluster, and its credentials are not sent elsewhere.
func (g *globals) gateway(ctx context.Context, url string) (*sqlgateway.Client, error) {
	alone := *g
	alone.flink, alone.context = url, ""
	alone.Getenv = func(name string) string {
		if name == "TIDEMARK_CONTEXT" {
			return ""
		}
		return g.Getenv(name)
	}
	connection, err := alone.target(ctx)
	if err != nil {
		return nil, err
	}
	client, err := sqlgateway.New(sqlgateway.Options{Connection: connection})
	if err != nil {
		return nil, usageError{fmt.Errorf("--sql-gateway: %w", err)}
	}
	return client, nil
}

// sqlSession is a session as the reader of scripts wants it.
type sqlSession struct {
	client  *sqlgateway.Client
	session *sqlgateway.Session
}

func (s sqlSession) URL() string { return s.client.URL() }

func (s sqlSession) Version(ctx context.Context) (string, error) {
	info, err := s.client.Info(ctx)
	return info.Version, err
}

func (s sqlSession) Run(ctx context.Context, statement string) ([][]string, error) {
	result, err := s.session.Run(ctx, statement)
	if err != nil {
		return nil, refusalOf(err)
	}
	var rows [][]string
	for _, cells := range result.Rows {
		row := make([]string, len(cells))
		for i, cell := range cells {
			row[i] = cellText(cell)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// refusalOf tells a statement that Flink refuses from a gateway that does not answer.
func refusalOf(err error) error {
	var e *sqlgateway.Error
	if !sqlgateway.IsRefused(err) || !errors.As(err, &e) {
		return err
	}
	refusal := &sqlplan.Refusal{}
	for _, c := range e.Causes {
		refusal.Causes = append(refusal.Causes, sqlplan.Cause{Class: c.Class, Message: c.Message})
	}
	return refusal
}

// cellText is a JSON value as text; null is "".
func cellText(cell json.RawMessage) string {
	var text string
	switch {
	case string(cell) == "null":
		return ""
	case json.Unmarshal(cell, &text) == nil:
		return text
	}
	return string(cell)
}

var pipelineName = regexp.MustCompile(`(?im)^\s*SET\s+'?pipeline\.name'?\s*=\s*'((?:[^'\n]|'')+)'`)

// jobOf is the name by which rules mean the script: what it sets as pipeline.name, else its file's.
func jobOf(path, text string) string {
	if m := pipelineName.FindStringSubmatch(text); m != nil {
		return strings.ReplaceAll(m[1], "''", "'")
	}
	return strings.TrimSuffix(filepath.Base(path), ".sql")
}
