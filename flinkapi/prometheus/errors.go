package prometheus

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"tidemark/flinkapi"
)

// Error is a query without a result. Its text is one line and holds no secret.
type Error struct {
	URL    string // of the server
	Status int    // 0 if there was no answer
	Cause  string
	Hint   string // what to do
	Err    error
}

func (e *Error) Error() string {
	text := "Prometheus " + e.URL + ": "
	if e.Status != 0 {
		text += fmt.Sprintf("%d, ", e.Status)
	}
	text += e.Cause
	if e.Hint != "" {
		text += "; " + e.Hint
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }

// passing reports a failure that may be gone later: overload, or a server that is starting.
func (e *Error) passing() bool {
	return e.Status == 429 || e.Status == 502 || e.Status == 503 || e.Status == 504
}

func errorOf(shown string, e flinkapi.Entry, err error) *Error {
	out := &Error{URL: shown, Status: e.Status, Cause: err.Error(), Err: err}
	var api *flinkapi.APIError
	if errors.As(err, &api) {
		out.Cause, out.Status, out.Hint = api.Cause, api.Status, api.Hint
	}
	if said := gjson.GetBytes(e.Body, "error").String(); said != "" {
		out.Cause = strings.Join(strings.Fields(said), " ")
	}
	switch {
	case out.Status == 401:
		out.Hint = "give a token, or user and password, that this server accepts"
	case out.Status == 403:
		out.Hint = "these credentials may not query it: ask for read access, or check the tenant header"
	case out.Status == 404, flinkapi.IsNotFlink(err):
		out.Cause, out.Hint = "no Prometheus answers here", "give its URL with the path prefix that /api/v1/query is below"
	case out.Status == 400:
		out.Hint = "check the label matchers"
	case out.Status == 422:
		out.Hint = "the server refused to evaluate it: ask for a shorter stretch, or raise its limits (query.max-samples)"
	case out.Status == 429:
		out.Hint = "the server limits queries: try again later"
	case out.Status == 502, out.Status == 503, out.Status == 504:
		out.Hint = "it is overloaded, starts, or timed out: try again in a moment, or ask for a shorter stretch"
	case out.Status == 0 && api != nil && api.Kind == flinkapi.TimedOut:
		out.Hint = "raise --timeout, or ask for a shorter stretch"
	case out.Status == 0 && api != nil && api.Kind == flinkapi.Unreachable:
		out.Hint = "check that a Prometheus runs there"
	case out.Status >= 500:
		out.Hint = "look at the log of the server"
	}
	return out
}
