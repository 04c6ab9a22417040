package gate

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"tidemark/analyze/sqlplan"
	"tidemark/flinkapi"
	"tidemark/flinkapi/sqlgateway"
	"tidemark/request"
)

// explainPatience is how long a definition or EXPLAIN may take; it plans and runs nothing.
const explainPatience = 2 * time.Minute

// readSQL reads what a SQL script says about event time: through the gateway at conn.URL, or from its
// CREATE TABLE statements alone where that is "". Errors: the URL is none (a request.Mistake), or the
// gateway does not answer.
func readSQL(ctx context.Context, conn flinkapi.ClientOptions, file, text string) (sqlplan.Answer, error) {
	if conn.URL == "" {
		return sqlplan.ReadDDL(file, text), nil
	}
	client, err := sqlgateway.New(sqlgateway.Options{Connection: conn, Patience: explainPatience})
	if err != nil {
		return sqlplan.Answer{}, request.Wrong("sql-gateway", "cannot be used: %w", err)
	}
	return explainSQL(ctx, client, file, text, func(g sqlplan.Gateway) sqlplan.Gateway { return g })
}

// explainSQL reads a script in a separate session, which is closed whatever happens.
func explainSQL(ctx context.Context, client *sqlgateway.Client, file, text string, through func(sqlplan.Gateway) sqlplan.Gateway) (sqlplan.Answer, error) {
	session, err := client.Open(ctx, nil)
	if err != nil {
		return sqlplan.Answer{}, err
	}
	answer, err := sqlplan.Read(ctx, through(gatewaySession{client, session}), file, text)
	if closing := session.Close(ctx); err == nil {
		err = closing
	}
	return answer, err
}

// gatewaySession makes a session of the gateway the one that sqlplan reads through.
type gatewaySession struct {
	client  *sqlgateway.Client
	session *sqlgateway.Session
}

func (g gatewaySession) URL() string { return g.client.URL() }

func (g gatewaySession) Version(ctx context.Context) (string, error) {
	info, err := g.client.Info(ctx)
	return info.Version, err
}

func (g gatewaySession) Run(ctx context.Context, statement string) ([][]string, error) {
	result, err := g.session.Run(ctx, statement)
	var e *sqlgateway.Error
	if errors.As(err, &e) && e.Kind == sqlgateway.Refused {
		refusal := &sqlplan.Refusal{}
		for _, c := range e.Causes {
			refusal.Causes = append(refusal.Causes, sqlplan.Cause{Class: c.Class, Message: c.Message})
		}
		return nil, refusal
	}
	if err != nil {
		return nil, err
	}
	rows := make([][]string, 0, len(result.Rows))
	for _, fields := range result.Rows {
		row := make([]string, 0, len(fields))
		for _, f := range fields {
			row = append(row, cell(f))
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// cell is a value as text: a string without its quotes, null as "".
func cell(value json.RawMessage) string {
	var s string
	if json.Unmarshal(value, &s) == nil {
		return s
	}
	if string(value) == "null" {
		return ""
	}
	return string(value)
}
