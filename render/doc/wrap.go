package doc

import (
	"regexp"
	"strings"

	"tidemark/render/safe"
)

// wrap breaks clean text into lines of at most max cells, at spaces; a word longer than a line is
// cut in the middle.
func wrap(s string, max int) []string { return wrapAfter(s, max, max) }

// wrapAfter is wrap with another width for the first line, which follows a label.
func wrapAfter(s string, firstMax, restMax int) []string {
	var lines []string
	line := ""
	max := firstMax
	for _, word := range unbroken(s) {
		if safe.Width(word) > max {
			word = safe.Short(word, max)
		}
		switch {
		case line == "":
			line = word
		case safe.Width(line)+1+safe.Width(word) <= max:
			line += " " + word
		default:
			lines = append(lines, line)
			line, max = word, restMax
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

var unit = regexp.MustCompile(`^(ms|s|min|h|d|%)[,.;:)]*$`)

// unbroken splits s into words; a number and its unit are one word.
func unbroken(s string) []string {
	fields := strings.Fields(s)
	words := fields[:0]
	for _, f := range fields {
		if n := len(words); n > 0 && unit.MatchString(f) && strings.ContainsAny(words[n-1][len(words[n-1])-1:], "0123456789") {
			words[n-1] += " " + f
			continue
		}
		words = append(words, f)
	}
	return words
}

// wrapCode breaks a line of code at spaces, else where code is usually broken. It keeps the indentation, indents
// continuation lines deeper, and cuts nothing, so that the code can be copied.
func wrapCode(s string, max int) []string {
	if safe.Width(s) <= max {
		return []string{s}
	}
	if code, mark, comment := cutComment(s); mark != "" && max > 20 {
		var lines []string
		margin := s[:len(s)-len(strings.TrimLeft(s, " "))]
		if strings.TrimSpace(code) != "" {
			lines = wrapCode(strings.TrimRight(code, " "), max)
		}
		for _, l := range wrap(comment, max-len(margin)-len(mark)-1) {
			lines = append(lines, margin+mark+" "+l)
		}
		return lines
	}
	body := strings.TrimLeft(s, " ")
	margin := s[:len(s)-len(body)]
	if len(margin) > max/2 {
		margin = ""
	}
	var lines []string
	line := ""
	start := func() string { // of the line being filled
		if len(lines) == 0 {
			return margin
		}
		return margin + "    "
	}
	flush := func() {
		lines = append(lines, start()+line)
		line = ""
	}
	for _, word := range codeWords(body) {
		if line != "" && safe.Width(start())+safe.Width(line)+1+safe.Width(word) <= max {
			line += " " + word
			continue
		}
		if line != "" {
			flush()
		}
		for safe.Width(start())+safe.Width(word) > max {
			line = codeHead(word, len(safe.Head(word, max-len(start()))))
			word = word[len(line):]
			flush()
		}
		line = word
	}
	if line != "" {
		flush()
	}
	return lines
}

// cutComment splits a line of code at "// " or "-- ", so that no part of a comment becomes code in the next line; mark is
// "" where there is no comment.
func cutComment(s string) (code, mark, comment string) {
	for _, m := range []string{"//", "--"} {
		if rest, ok := strings.CutPrefix(strings.TrimLeft(s, " "), m+" "); ok {
			return "", m, rest
		}
		if before, after, ok := strings.Cut(s, " "+m+" "); ok {
			return before, m, after
		}
	}
	return s, "", ""
}

// codeWords splits a line of code at spaces outside quotes.
func codeWords(s string) []string {
	var words []string
	start, quote := -1, rune(0)
	for i, c := range s {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == ' ':
			if start >= 0 {
				words, start = append(words, s[start:i]), -1
			}
			continue
		case c == '\'' || c == '"':
			quote = c
		}
		if start < 0 {
			start = i
		}
	}
	if start >= 0 {
		words = append(words, s[start:])
	}
	return words
}

// codeHead is at most max bytes of word, up to the last dot outside parentheses, else after the last
// comma or parenthesis; where there is neither in the second half it is all of them.
func codeHead(word string, max int) string {
	depth, dot, other := 0, 0, 0
	for i := range min(max+1, len(word)) {
		switch c := word[i]; {
		case c == '.' && depth == 0:
			dot = i
		case c == '(':
			depth++
		case c == ')':
			depth--
		}
		if i < max && (word[i] == '(' || word[i] == ',') {
			other = i + 1
		}
	}
	for _, at := range []int{dot, other} {
		if at > max/2 {
			return word[:at]
		}
	}
	return word[:max]
}

// indent puts prefix before the first line and as many spaces before the others.
func indent(prefix string, lines []string) string { return indentCells(prefix, len(prefix), lines) }

// indentCells is indent with a prefix that takes so many cells, colour aside.
func indentCells(prefix string, cells int, lines []string) string {
	var b strings.Builder
	rest := strings.Repeat(" ", cells)
	for i, l := range lines {
		if i == 0 {
			b.WriteString(prefix)
		} else {
			b.WriteString(rest)
		}
		b.WriteString(l)
		b.WriteByte('\n')
	}
	return b.String()
}

// Wrap breaks clean text into lines of at most width cells after a mark; further lines are indented to the text.
func Wrap(mark, s string, width int) []string {
	margin := strings.Repeat(" ", safe.Width(mark))
	lines := wrap(s, max(10, width-safe.Width(mark)))
	for i := range lines {
		if i == 0 {
			lines[i] = mark + lines[i]
		} else {
			lines[i] = margin + lines[i]
		}
	}
	return lines
}
