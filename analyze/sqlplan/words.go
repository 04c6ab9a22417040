package sqlplan

import (
	"strings"
	"unicode"
)

// oneLine puts foreign text on one line of at most 300 characters, without control characters.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == 0x2028 || r == 0x2029 {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "�"))), " ")
	return cut(s, 300)
}

func cut(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}

// name quotes a foreign name for a sentence.
func name(s string) string { return `"` + cut(oneLine(s), 60) + `"` }

// last is the last part of a.b.c.
func last(name string) string { return name[strings.LastIndex(name, ".")+1:] }

// words name a query in the middle of a sentence.
func (q *Query) words() string {
	switch q.Kind {
	case KindSelect:
		return "the SELECT"
	case KindSet:
		return "the statement set into " + name(q.Name)
	}
	return "the query into " + name(q.Name)
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
