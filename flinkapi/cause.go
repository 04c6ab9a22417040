package flinkapi

import (
	"encoding/json"
	"strings"
	"unicode"

	"tidemark/internal/redact"
)

// DeepestCause is the line of an error answer that says what went wrong. Flink answers
// {"errors":[…]} with whole stack traces; the last "Caused by:" is the root cause.
func DeepestCause(body []byte) string {
	var answer struct {
		Errors []string `json:"errors"`
	}
	text := ""
	if json.Unmarshal(body, &answer) == nil && len(answer.Errors) > 0 {
		text = answer.Errors[len(answer.Errors)-1]
	} else if json.Unmarshal(body, &text) != nil {
		text = string(body)
	}
	return CauseOf(text)
}

// CauseOf is the deepest cause in a Java stack trace, on one line of at most 300 characters.
func CauseOf(trace string) string {
	if i := strings.LastIndex(trace, "Caused by: "); i >= 0 {
		trace = trace[i+len("Caused by: "):]
	}
	trace = strings.TrimPrefix(strings.TrimSpace(trace), "<Exception on server side:")
	line := ""
	for _, l := range strings.Split(trace, "\n") {
		if l = strings.TrimSpace(l); l != "" {
			line = l
			break
		}
	}
	if looksLikeHTML(line) {
		return "an HTML page, not Flink's JSON: a proxy or a login page answers here"
	}
	line = redact.Text(oneLine(line))
	if r := []rune(line); len(r) > 300 {
		line = string(r[:300]) + "…"
	}
	if line == "" {
		return "no reason given"
	}
	return line
}

func looksLikeHTML(s string) bool {
	s = strings.ToLower(s)
	s = strings.TrimSpace(s)
	return strings.HasPrefix(s, "<!doctype") || strings.HasPrefix(s, "<html") || strings.HasPrefix(s, "<") && strings.Contains(s, "<html")
}

// oneLine removes control and format characters: they could move the cursor, break the line or
// reverse text.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == 0x2028 || r == 0x2029 {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "�"))
}
