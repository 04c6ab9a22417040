// Package sqlplan reads what a Flink SQL script says about event time: from its CREATE TABLE
// statements alone, or from the plans that a SQL gateway's EXPLAIN gives. It is pure: the gateway is
// handed in as an interface, and nothing is ever submitted.
package sqlplan

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"tidemark/analyze/model"
)

// Location is a place in the script.
type Location = model.Location

// tokenKind sorts tokens. Comments are no tokens; a hint belongs to the token before it.
type tokenKind int

const (
	word   tokenKind = iota // an identifier or keyword without quotes
	quoted                  // an identifier in backticks
	text                    // a string literal
	number                  // 12, 1.5
	symbol                  // one character, or => and ||
	varRef                  // ${NAME}, which something must substitute before Flink sees it
)

// token is one word of SQL with its place. Value is the text without quotes.
type token struct {
	kind       tokenKind
	value      string
	start, end int // byte offsets in the script
	line, col  int
	hint       string // of /*+ hint */ behind it
	hinted     int    // where that hint ends, 0 without one
}

// stop is where a token ends in the script, with the hint that belongs to it.
func (t token) stop() int { return max(t.end, t.hinted) }

// is reports an unquoted keyword, whatever its case.
func (t token) is(keyword string) bool { return t.kind == word && strings.EqualFold(t.value, keyword) }

func (t token) isSymbol(s string) bool { return t.kind == symbol && t.value == s }

func (t token) isName() bool { return t.kind == word || t.kind == quoted }

// lexError is text that cannot be parsed: a quote or comment that is never closed.
type lexError struct {
	what      string
	line, col int
}

// lexer walks over the script and counts lines and columns.
type lexer struct {
	s         string
	at        int
	line, col int
	tokens    []token
}

// lex splits a script into tokens. On an error the tokens before it are still given.
func lex(script string) ([]token, *lexError) {
	l := &lexer{s: script, line: 1, col: 1}
	if strings.HasPrefix(l.s, "\ufeff") { // a byte order mark is no column
		l.at = len("\ufeff")
	}
	strange := strangeByte(l.s)
	l.s = l.s[:strange]
	for l.at < len(l.s) {
		if err := l.next(); err != nil {
			if strange < len(script) {
				l.skip(len(l.s) - l.at) // the quote is open because the text was cut
				break
			}
			return l.tokens, err
		}
	}
	if strange < len(script) {
		return l.tokens, &lexError{fmt.Sprintf("byte 0x%02X is no text here; save the script as UTF-8", script[strange]), l.line, l.col}
	}
	return l.tokens, nil
}

// strangeByte is where a script stops to be text: a byte that is not UTF-8, or NUL.
func strangeByte(s string) int {
	for i, r := range s {
		if r == 0 || r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD") {
			return i
		}
	}
	return len(s)
}

func (l *lexer) next() *lexError {
	rest := l.s[l.at:]
	r, size := utf8.DecodeRuneInString(rest)
	switch {
	case unicode.IsSpace(r):
		l.skip(size)
	case strings.HasPrefix(rest, "--"):
		l.skip(indexOr(rest, "\n"))
	case strings.HasPrefix(rest, "/*"):
		i := strings.Index(rest[2:], "*/")
		if i < 0 {
			return &lexError{"a comment opened by /* is never closed", l.line, l.col}
		}
		if n := len(l.tokens) - 1; n >= 0 && strings.HasPrefix(rest, "/*+") {
			l.tokens[n].hint += rest[3:i+2] + " "
			l.tokens[n].hinted = l.at + i + 4
		}
		l.skip(i + 4)
	case r == '\'' || r == '"':
		return l.quote(text, byte(r), "a string opened by "+string(r)+" is never closed")
	case r == '`':
		return l.quote(quoted, '`', "a name opened by ` is never closed")
	case strings.HasPrefix(rest, "${"):
		i := strings.IndexByte(rest, '}')
		if i < 0 {
			return &lexError{"a variable opened by ${ is never closed", l.line, l.col}
		}
		l.emit(varRef, rest[2:i], i+1)
	case r == '_' || r == '$' || unicode.IsLetter(r):
		n := 0
		for n < len(rest) {
			r, size := utf8.DecodeRuneInString(rest[n:])
			if r != '_' && r != '$' && !unicode.IsLetter(r) && !unicode.IsDigit(r) || strings.HasPrefix(rest[n:], "${") {
				break
			}
			n += size
		}
		l.emit(word, rest[:n], n)
	case r >= '0' && r <= '9':
		n := 1
		for n < len(rest) && (rest[n] >= '0' && rest[n] <= '9' || rest[n] == '.') {
			n++
		}
		l.emit(number, rest[:n], n)
	case strings.HasPrefix(rest, "=>") || strings.HasPrefix(rest, "||"):
		l.emit(symbol, rest[:2], 2)
	default:
		l.emit(symbol, rest[:size], size)
	}
	return nil
}

// quote reads a literal or name; its quote character is written twice inside.
func (l *lexer) quote(kind tokenKind, q byte, open string) *lexError {
	rest := l.s[l.at:]
	var value strings.Builder
	for i := 1; i < len(rest); i++ {
		if rest[i] != q {
			value.WriteByte(rest[i])
			continue
		}
		if i+1 < len(rest) && rest[i+1] == q {
			value.WriteByte(q)
			i++
			continue
		}
		l.emit(kind, value.String(), i+1)
		return nil
	}
	return &lexError{open, l.line, l.col}
}

func (l *lexer) emit(kind tokenKind, value string, size int) {
	l.tokens = append(l.tokens, token{kind: kind, value: value, start: l.at, end: l.at + size, line: l.line, col: l.col})
	l.skip(size)
}

// skip moves on by size bytes.
func (l *lexer) skip(size int) {
	for _, r := range l.s[l.at : l.at+size] {
		if r == '\n' {
			l.line, l.col = l.line+1, 1
		} else {
			l.col++
		}
	}
	l.at += size
}

func indexOr(s, sep string) int {
	if i := strings.Index(s, sep); i >= 0 {
		return i
	}
	return len(s)
}
