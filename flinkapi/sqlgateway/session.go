package sqlgateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"tidemark/internal/units"
)

// Session is a session of the gateway, with its own catalog, settings and temporary objects.
type Session struct {
	client *Client
	path   string // /v2/sessions/HANDLE
}

// Result is the result of a statement: rows of JSON values, in the gateway's JSON row format. A
// statement without a result (SET, CREATE) returns one row "OK".
type Result struct {
	Columns []string
	Rows    [][]json.RawMessage
}

// Open starts a session with its own settings, which may be nil.
func (c *Client) Open(ctx context.Context, settings map[string]string) (*Session, error) {
	version, err := c.negotiate(ctx)
	if err != nil {
		return nil, err
	}
	body := map[string]any{"sessionName": "tidemark"}
	if len(settings) > 0 {
		body["properties"] = settings
	}
	var answer struct {
		Handle string `json:"sessionHandle"`
	}
	if err := c.call(ctx, http.MethodPost, version+"/sessions", body, &answer); err != nil {
		return nil, err
	}
	if answer.Handle == "" {
		return nil, &Error{Kind: NotGateway, URL: c.URL(), Hint: notGatewayHint, Causes: []Cause{{Message: "it opened a session without a handle"}}}
	}
	return &Session{client: c, path: version + "/sessions/" + url.PathEscape(answer.Handle)}, nil
}

// Close ends the session and cancels what still runs in it. It also works after the end of ctx,
// and gives up after ten seconds; a session that no longer exists is not an error.
func (s *Session) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	err := s.client.call(ctx, http.MethodDelete, s.path, nil, nil)
	var e *Error
	if errors.As(err, &e) && e.Kind == Unavailable && e.Err == nil {
		return nil
	}
	return err
}

// Run executes one statement and reads its whole result. The error is an *Error, or ctx's.
func (s *Session) Run(ctx context.Context, statement string) (Result, error) {
	r, err := s.run(ctx, statement)
	var e *Error
	if errors.As(err, &e) {
		e.Statement = statement
	}
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return r, err
}

func (s *Session) run(ctx context.Context, statement string) (Result, error) {
	var op struct {
		Handle string `json:"operationHandle"`
	}
	if err := s.client.call(ctx, http.MethodPost, s.path+"/statements", map[string]string{"statement": statement}, &op); err != nil {
		return Result{}, err
	}
	next := s.path + "/operations/" + url.PathEscape(op.Handle) + "/result/0?rowFormat=JSON"
	var out Result
	wait, waited, size := 10*time.Millisecond, time.Duration(0), 0
	for {
		var p page
		if err := s.client.call(ctx, http.MethodGet, next, nil, &p); err != nil {
			return Result{}, err
		}
		if p.Type != "NOT_READY" {
			out.add(p)
		}
		for _, d := range p.Results.Data {
			for _, f := range d.Fields {
				size += len(f) + 1
			}
		}
		if size > maxResult {
			return Result{}, s.endless(fmt.Sprintf("the result has more than %d MiB", maxResult>>20))
		}
		if p.Type == "EOS" || p.Next == "" && p.Type != "NOT_READY" {
			return out, nil
		}
		if p.Next != "" {
			next = nextPath(s.path, p.Next)
		}
		if p.Type == "NOT_READY" || len(p.Results.Data) == 0 {
			if err := s.client.sleep(ctx, wait); err != nil {
				return Result{}, err
			}
			if waited += wait; s.client.patience > 0 && waited > s.client.patience {
				return Result{}, s.endless(fmt.Sprintf("no result after %s of waiting", units.Said(s.client.patience)))
			}
			wait = min(wait*2, s.client.poll)
		}
	}
}

// maxResult limits the rows of one statement: EXPLAIN and SHOW return kilobytes.
const maxResult = 64 << 20

func (s *Session) endless(what string) error {
	return &Error{Kind: Unavailable, URL: s.client.URL(), Hint: "look into the gateway's log", Causes: []Cause{{Message: what}}}
}

// page is one answer of …/result/TOKEN. NOT_READY has no results; EOS is the last page, with or
// without rows.
type page struct {
	Type    string `json:"resultType"`
	Next    string `json:"nextResultUri"`
	Results struct {
		Columns []struct {
			Name string `json:"name"`
		} `json:"columns"`
		Data []struct {
			Fields []json.RawMessage `json:"fields"`
		} `json:"data"`
	} `json:"results"`
}

func (r *Result) add(p page) {
	if len(r.Columns) == 0 {
		for _, c := range p.Results.Columns {
			r.Columns = append(r.Columns, c.Name)
		}
	}
	for _, d := range p.Results.Data {
		r.Rows = append(r.Rows, d.Fields)
	}
}

// nextPath uses only the part of a nextResultUri after the session: a gateway behind a proxy does
// not know its prefix and perhaps not its host, and credentials must not go elsewhere.
func nextPath(session, next string) string {
	if i := strings.Index(next, "/operations/"); i >= 0 {
		return session + next[i:]
	}
	return session + "/" // answered 404
}

// Run opens a session, runs the statements in order, and always closes the session. It returns
// the result of the last statement.
func (c *Client) Run(ctx context.Context, statements []string) (last Result, err error) {
	s, err := c.Open(ctx, nil)
	if err != nil {
		return Result{}, err
	}
	defer func() {
		if closing := s.Close(ctx); err == nil {
			err = closing
		}
	}()
	for i, text := range statements {
		if last, err = s.Run(ctx, text); err != nil {
			return Result{}, fmt.Errorf("statement %d of %d: %w", i+1, len(statements), err)
		}
	}
	return last, nil
}
