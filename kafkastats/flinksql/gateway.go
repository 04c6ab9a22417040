package flinksql

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Gateway talks to a Flink SQL gateway's REST endpoint (v1).
type Gateway struct {
	URL    string
	Client *http.Client // nil: http.DefaultClient
	Poll   time.Duration
}

// Run executes statements in one session and gives the rows of the last. The session is closed
// whatever happens; an interrupted query is cancelled with it.
func (g Gateway) Run(ctx context.Context, statements []string) (rows []Row, err error) {
	var session struct {
		Handle string `json:"sessionHandle"`
	}
	if err := g.call(ctx, http.MethodPost, "/v1/sessions", struct{}{}, &session); err != nil {
		return nil, fmt.Errorf("open a session: %w", err)
	}
	path := "/v1/sessions/" + url.PathEscape(session.Handle)
	defer func() {
		// The caller's context may be over; the session must go all the same.
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		err = errors.Join(err, g.call(closing, http.MethodDelete, path, nil, nil))
	}()
	for i, s := range statements {
		if rows, err = g.statement(ctx, path, s); err != nil {
			return nil, fmt.Errorf("statement %d of %d: %w", i+1, len(statements), err)
		}
	}
	return rows, nil
}

func (g Gateway) statement(ctx context.Context, session, text string) ([]Row, error) {
	var op struct {
		Handle string `json:"operationHandle"`
	}
	if err := g.call(ctx, http.MethodPost, session+"/statements", map[string]string{"statement": text}, &op); err != nil {
		return nil, err
	}
	next := session + "/operations/" + url.PathEscape(op.Handle) + "/result/0?rowFormat=JSON"
	var rows []Row
	for {
		var page struct {
			Type    string `json:"resultType"`
			Next    string `json:"nextResultUri"`
			Results struct {
				Data []struct {
					Fields []json.RawMessage `json:"fields"`
				} `json:"data"`
			} `json:"results"`
		}
		if err := g.call(ctx, http.MethodGet, next, nil, &page); err != nil {
			return nil, err
		}
		for _, d := range page.Results.Data {
			if len(d.Fields) != 5 {
				continue // "OK" of SET and CREATE
			}
			r, err := row(d.Fields)
			if err != nil {
				return nil, err
			}
			rows = append(rows, r)
		}
		if page.Type == "EOS" || page.Next == "" {
			return rows, nil
		}
		next = page.Next
		if page.Type == "NOT_READY" || len(page.Results.Data) == 0 {
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(g.Poll):
			}
		}
	}
}

func row(fields []json.RawMessage) (Row, error) {
	var r Row
	for i, into := range []any{&r.Partition, nil, &r.N, &r.Min, &r.Max} {
		if into == nil {
			continue
		}
		if err := json.Unmarshal(fields[i], into); err != nil {
			return r, fmt.Errorf("column %d of the result is %.40s: %w", i+1, fields[i], err)
		}
	}
	return r, nil
}

func (g Gateway) call(ctx context.Context, method, path string, body, into any) error {
	var in io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return err
		}
		in = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(g.URL, "/")+path, in)
	if err != nil {
		return fmt.Errorf("SQL gateway: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	client := g.Client
	if client == nil {
		client = http.DefaultClient
	}
	res, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("SQL gateway: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(res.Body, 64<<20))
	if err != nil {
		return fmt.Errorf("SQL gateway: %w", err)
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("SQL gateway answers %s: %s", res.Status, deepest(text))
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("SQL gateway answers no JSON: %w", err)
	}
	return nil
}

// deepest finds the last cause in the stack traces the gateway answers errors with.
func deepest(body []byte) string {
	var answer struct {
		Errors []string `json:"errors"`
	}
	text := string(body)
	if json.Unmarshal(body, &answer) == nil && len(answer.Errors) > 0 {
		text = strings.Join(answer.Errors, "\n")
	}
	cause := strings.SplitN(text, "\n", 2)[0]
	for line := range strings.SplitSeq(text, "\n") {
		if rest, ok := strings.CutPrefix(line, "Caused by: "); ok {
			cause = rest
		}
	}
	if len(cause) > 500 {
		cause = cause[:500] + "…"
	}
	return fmt.Sprintf("%q", cause)
}
