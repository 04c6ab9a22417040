// Package safe makes foreign text harmless: names from a cluster, a topic or a file pass through it before they are written
// to a terminal, a page, a file or the log of a build.
package safe

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/lipgloss"

	"tidemark/analyze/model"
)

// maxMarks bounds the combining marks on one character: many of them overlap other lines.
const maxMarks = 2

// Clean makes foreign text safe for one line of a terminal, a page or a file: control, bidi and
// other invisible characters become visible escapes such as \x1b and \u202e; broken UTF-8 becomes
// \xNN; what starts a command in the log of a build is escaped too. Clean text is unchanged, so
// cleaning twice does no harm.
func Clean(s string) string { return defuseWords(cleanRunes(s)) }

func cleanRunes(s string) string {
	if isPlain(s) {
		return s
	}
	var b strings.Builder
	marks := 0
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case isVariation(r):
			// It changes only the width of the character before it.
		case unicode.In(r, unicode.Mn, unicode.Me):
			if marks++; marks <= maxMarks {
				b.WriteRune(r)
			}
			i += size
			continue
		case r == ' ' || unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			b.WriteString(escapeRune(r))
		}
		marks = 0
		i += size
	}
	return b.String()
}

func isPlain(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

func isVariation(r rune) bool {
	return r >= 0xFE00 && r <= 0xFE0F || r >= 0xE0100 && r <= 0xE01EF
}

// hidden reports characters that are not shown but interpreted: C0 except line feed and tab, DEL, C1, bidi and other
// format characters, line and paragraph separators.
func hidden(r rune) bool {
	if r >= ' ' && r <= '~' {
		return false
	}
	return r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) || isVariation(r)
}

func escapeRune(r rune) string {
	switch {
	case r == '\n':
		return `\n`
	case r == '\t':
		return `\t`
	case r == '\r':
		return `\r`
	case r < 0x80:
		return fmt.Sprintf(`\x%02x`, r)
	case r <= 0xFFFF:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}

// Lines cleans text that may have several lines, such as code.
func Lines(s string) []string {
	lines := strings.Split(strings.TrimRight(strings.ReplaceAll(s, "\r\n", "\n"), "\n"), "\n")
	for i, l := range lines {
		lines[i] = Clean(strings.ReplaceAll(l, "\t", "  "))
	}
	return lines
}

// Width is the number of terminal cells of clean text.
func Width(s string) int {
	if isPlain(s) {
		return len(s)
	}
	return lipgloss.Width(s)
}

// Short cleans s and cuts it in the middle to at most max cells: similar names mostly differ at their ends.
func Short(s string, max int) string {
	if len(s) > 8*max+64 {
		s = s[:4*max+32] + s[len(s)-4*max-32:] // a cut rune becomes an escape in the middle, which is cut again
	}
	s = Clean(s)
	if Width(s) <= max {
		return s
	}
	if max <= 1 {
		return "…"[:len("…")*max]
	}
	tail := (max - 1) * 2 / 5
	return Head(s, max-1-tail) + "…" + tailCells(s, tail)
}

// Head is the beginning of clean text that fits into max cells.
func Head(s string, max int) string {
	used := 0
	for i, r := range s {
		if used += Width(string(r)); used > max {
			return s[:i]
		}
	}
	return s
}

func tailCells(s string, max int) string {
	used, from := 0, len(s)
	for from > 0 {
		r, size := utf8.DecodeLastRuneInString(s[:from])
		if used += Width(string(r)); used > max {
			break
		}
		from -= size
	}
	return s[from:]
}

// Name is Short of a vertex or operator name.
func Name(s string, max int) string { return Short(strings.ReplaceAll(s, model.DefaultPath, ""), max) }

// Pad fills clean or styled text with spaces to n cells.
func Pad(s string, n int) string {
	if w := lipgloss.Width(s); w < n {
		return s + strings.Repeat(" ", n-w)
	}
	return s
}

// Clip bounds clean prose to max cells.
func Clip(s string, max int) string {
	if Width(s) <= max {
		return s
	}
	return Short(s, max)
}
