package sqlgateway

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"tidemark/flinkapi"
)

// Kind says what went wrong: errors.Is(err, Refused).
type Kind string

func (k Kind) Error() string { return string(k) }

// The kinds of Error.
const (
	Unavailable  Kind = "unavailable"   // no connection, no answer in time, or the session is gone
	Refused      Kind = "refused"       // the gateway answers, and Flink refuses the statement
	NotGateway   Kind = "not-a-gateway" // something else answers, such as a JobManager
	Unauthorized Kind = "unauthorized"  // 401, 403, or a login page
)

const notGatewayHint = "give the URL of a SQL gateway (bin/sql-gateway.sh, port 8083), not of a JobManager"

// Cause is one link of a chain of Java exceptions.
type Cause struct {
	Class   string // org.apache.flink.table.api.ValidationException, "" if the text has none
	Message string // without the stack; may have several lines
}

// Error is a request that got no result. Its text is one line.
type Error struct {
	Kind      Kind
	URL       string  // of the gateway, without secrets
	Statement string  // the statement, "" for none
	Causes    []Cause // from the outermost to the deepest; never empty
	Hint      string  // what to do, "" for none
	Err       error   // underlying error, may be nil
}

// Deepest is the root cause.
func (e *Error) Deepest() Cause { return e.Causes[len(e.Causes)-1] }

func (e *Error) Error() string {
	text := fmt.Sprintf("SQL gateway %s: %s", e.URL, OneLine(e.Deepest().Message))
	if e.Hint != "" {
		text += "; " + e.Hint
	}
	return text
}

// Unwrap returns the kind and the underlying error.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}

func errorOf(url string, e flinkapi.Entry, err error) *Error {
	out := &Error{Kind: NotGateway, URL: url, Err: err, Causes: []Cause{{Message: err.Error()}}}
	var api *flinkapi.APIError
	if !errors.As(err, &api) {
		out.Kind = Unavailable
		return out
	}
	out.Causes[0].Message = api.Cause
	switch {
	case flinkapi.IsUnauthorized(err):
		out.Kind, out.Hint = Unauthorized, api.Hint
	case api.Kind == flinkapi.Unreachable || api.Kind == flinkapi.TimedOut:
		out.Kind, out.Hint = Unavailable, "check that the SQL gateway runs there"
	case flinkapi.IsUnavailable(err):
		out.Kind, out.Hint = Unavailable, "a proxy cannot reach the gateway: try again in a moment"
	case flinkapi.IsNotFound(err) || flinkapi.IsNotFlink(err) || api.Kind == flinkapi.Malformed:
		out.Hint = notGatewayHint
	default:
		out.Kind = Refused
		if causes := causesOf(e.Body); len(causes) > 0 {
			out.Causes, out.Err = causes, nil
			if last := out.Deepest().Message; strings.HasPrefix(last, "Session '") && strings.HasSuffix(last, "does not exist.") {
				out.Kind, out.Hint = Unavailable, "the gateway has closed the session or was restarted: run again"
			}
		}
	}
	return out
}

// causesOf reads {"errors":["Internal server error.","<Exception on server side:\n class: message\n\tat …\nCaused by: …"]}.
func causesOf(body []byte) []Cause {
	var answer struct {
		Errors []string `json:"errors"`
	}
	if json.Unmarshal(body, &answer) != nil {
		return nil
	}
	var causes []Cause
	for _, text := range answer.Errors {
		for i, link := range strings.Split("\n"+strings.TrimPrefix(text, "<Exception on server side:\n"), "\nCaused by: ") {
			if c := causeOf(link); i > 0 || strings.Contains(link, "\n\tat ") || len(answer.Errors) == 1 {
				causes = append(causes, c)
			}
		}
	}
	return causes
}

// causeOf splits "class: message" from the stack that follows it.
func causeOf(link string) Cause {
	link, _, _ = strings.Cut(link, "\n\tat ")
	link, _, _ = strings.Cut(link, "\n\t... ")
	link = strings.TrimSpace(link)
	class, message, found := strings.Cut(link, ": ")
	if !found || strings.ContainsAny(class, " \n'\"") || !strings.Contains(class, ".") {
		if isClass(link) { // an exception without a message
			return Cause{Class: link, Message: link[strings.LastIndex(link, ".")+1:] + " without a message"}
		}
		return Cause{Message: link}
	}
	return Cause{Class: class, Message: strings.TrimSpace(message)}
}

func isClass(s string) bool {
	return strings.Contains(s, ".") && !strings.ContainsAny(s, " \n:'\"") && !strings.HasSuffix(s, ".")
}

// OneLine is a message on one line of at most 500 characters, without control characters.
func OneLine(s string) string {
	s = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == 0x2028 || r == 0x2029 {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "�"))), " ")
	if r := []rune(s); len(r) > 500 {
		s = string(r[:500]) + "…"
	}
	return s
}
