package flinkapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"syscall"

	"github.com/go-resty/resty/v2"
)

// ErrorKind says what went wrong with a request.
type ErrorKind string

// The kinds of APIError.
const (
	Unreachable  ErrorKind = "unreachable"  // no connection, TLS refused
	TimedOut     ErrorKind = "timed-out"    // connected, but no answer in time
	Unauthorized ErrorKind = "unauthorized" // 401, 403, or a redirect to a login page
	NotFound     ErrorKind = "not-found"    // 404: no such job, vertex, or endpoint
	Unavailable  ErrorKind = "unavailable"  // 502, 503, 504: no leader, or a proxy without a backend
	NotFlink     ErrorKind = "not-flink"    // an HTML page or a redirect elsewhere
	Malformed    ErrorKind = "malformed"    // truncated JSON
	ServerError  ErrorKind = "server-error" // any other status
)

// APIError is a request that got no usable answer. Its text is one line and holds no secret.
type APIError struct {
	Kind   ErrorKind
	URL    string // the requested URL, secrets masked
	Status int    // 0 if there was no answer
	Cause  string // the deepest cause
	Hint   string // what to do
	Err    error  // underlying error, may be nil

	tooLarge bool // the answer was larger than maxAnswer
}

func (e *APIError) Error() string {
	var b strings.Builder
	b.WriteString(e.URL)
	b.WriteString(": ")
	if e.Status != 0 {
		fmt.Fprintf(&b, "%d %s", e.Status, http.StatusText(e.Status))
		if e.Cause != "" {
			b.WriteString(", ")
		}
	}
	b.WriteString(e.Cause)
	if e.Hint != "" {
		b.WriteString("; ")
		b.WriteString(e.Hint)
	}
	return b.String()
}

func (e *APIError) Unwrap() error { return e.Err }

// gap is the reason of the Gap that e leaves.
func (e *APIError) gap() GapReason {
	switch e.Kind {
	case TimedOut:
		return GapTimeout
	case Unauthorized:
		return GapRefused
	case NotFound:
		return GapNotFound
	case NotFlink:
		if e.tooLarge {
			return GapTooLarge
		}
		return GapPage
	case Malformed:
		return GapCut
	case Unreachable:
		return GapNoAnswer
	}
	return GapServer
}

func kindOf(err error) ErrorKind {
	var e *APIError
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}

// IsNotFound reports a 404: the job, the vertex, or the endpoint does not exist.
func IsNotFound(err error) bool { return kindOf(err) == NotFound }

// IsUnavailable reports a cluster that cannot be reached or has no leader now; a later attempt
// may succeed.
func IsUnavailable(err error) bool {
	k := kindOf(err)
	return k == Unreachable || k == TimedOut || k == Unavailable
}

// IsUnauthorized reports a 401, a 403, or a redirect to a login page.
func IsUnauthorized(err error) bool { return kindOf(err) == Unauthorized }

// IsNotFlink reports an address where something other than Flink's REST API answers.
func IsNotFlink(err error) bool { return kindOf(err) == NotFlink }

// statusError classifies an answer outside 2xx, or one that is not JSON.
func statusError(status int, contentType string, body []byte) *APIError {
	html := strings.Contains(contentType, "text/html") || looksLikeHTML(string(body[:min(len(body), 512)]))
	e := &APIError{Status: status, Cause: DeepestCause(body)}
	switch {
	case status == 401:
		e.Kind, e.Hint = Unauthorized, "give a token, or user and password, that this address accepts"
	case status == 403:
		e.Kind, e.Hint = Unauthorized, "these credentials may not read the REST API: ask for read access"
	case status == 404 && html:
		e.Kind, e.Hint = NotFound, "check the path of the URL"
	case status == 404:
		e.Kind = NotFound
	case status == 502 || status == 503 || status == 504:
		e.Kind, e.Hint = Unavailable, "the JobManager has no leader now or is behind a proxy that cannot reach it: try again in a moment"
	case html:
		e.Kind, e.Hint = NotFlink, "give the URL of the JobManager's REST API, and log in or pass a token if a proxy asks for it"
	case status >= 200 && status < 300:
		e.Kind, e.Cause = Malformed, fmt.Sprintf("the answer is truncated JSON (%d bytes)", len(body))
		e.Hint = "a proxy may truncate answers: check its limits"
	default:
		e.Kind = ServerError
	}
	if html {
		e.Cause = "an HTML page, not Flink's JSON: a proxy or a login page answers here"
	}
	return e
}

// transportError classifies a request that got no answer.
func transportError(ctx context.Context, err error) *APIError {
	e := &APIError{Kind: Unreachable, Cause: rootCause(err), Err: err}
	text := err.Error()
	switch {
	case errors.Is(err, resty.ErrResponseBodyTooLarge):
		e.Kind, e.Cause = NotFlink, fmt.Sprintf("the answer is larger than %d MiB", maxAnswer>>20)
		e.Hint, e.tooLarge = "give the URL of the JobManager's REST API", true
	case ctx.Err() != nil:
		e.Cause, e.Err = ctx.Err().Error(), ctx.Err()
	case errors.As(err, new(*redirectError)):
		var r *redirectError
		errors.As(err, &r)
		e.Kind, e.Cause = NotFlink, r.Error()
		e.Hint = "log in or pass a token, or give the address it leads to"
		if r.login {
			e.Kind = Unauthorized
		}
		if r.secret {
			e.Hint = "give the address it leads to with --flink"
		}
	case strings.Contains(text, "x509:"):
		e.Hint = "trust its authority with a CA file, or accept any certificate with --insecure"
	case strings.Contains(text, "server gave HTTP response to HTTPS client"), strings.Contains(text, "first record does not look like a TLS handshake"):
		e.Cause, e.Hint = "it answers http, not https", "use http:// instead of https://"
	case strings.Contains(text, "malformed HTTP response"), strings.Contains(text, "EOF"), errors.Is(err, syscall.ECONNRESET):
		e.Hint = "the connection broke off: check http against https, proxies on the way, and the port (8081 by default; a Kafka broker hangs up)"
	case errors.Is(err, context.DeadlineExceeded) || strings.Contains(text, "Client.Timeout"):
		e.Kind, e.Cause, e.Hint = TimedOut, "no answer in time", "raise --timeout, or check that the JobManager is alive"
	default:
		e.Hint = "check that the JobManager runs there, or name it with --flink URL"
	}
	return e
}

// rootCause is the innermost text of a chain of network errors, on one line.
func rootCause(err error) string {
	text := err.Error()
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			break
		}
		err = inner
		if _, isNet := err.(interface{ Timeout() bool }); isNet && strings.HasPrefix(err.Error(), "dial ") {
			return oneLine(err.Error())
		}
		text = err.Error()
	}
	return oneLine(text)
}
