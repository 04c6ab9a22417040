// Package rendertest is for tests of all formats: hostile names, and readers of the output.
package rendertest

import (
	"bytes"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/lipgloss"

	"tidemark/internal/golden"
)

// Golden compares what was written with a file of testdata. The style of a page is left out: a browser looks at it.
func Golden(t testing.TB, name string, got []byte) {
	t.Helper()
	if head, rest, ok := bytes.Cut(got, []byte("<style>")); ok {
		_, rest, _ = bytes.Cut(rest, []byte("</style>"))
		got = slices.Concat(head, rest)
	}
	golden.File(t, filepath.Join("testdata", name), got)
}

// Prose is a page without the marks that keep a name on one line, to look for sentences.
func Prose(page string) string {
	return keptWord.ReplaceAllString(page, "$1")
}

var keptWord = regexp.MustCompile(`<span class="word">([^<]*)</span>`)

// Acted are characters that a terminal, an editor or a browser acts on instead of showing them.
func Acted(s string) (bad []rune) {
	for _, r := range s {
		if r != '\n' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			bad = append(bad, r)
		}
	}
	return bad
}

// InProse looks for a line outside fenced code; inside it nothing is interpreted.
func InProse(markdown string, bad func(line string) bool) bool {
	fence := ""
	for _, l := range strings.Split(markdown, "\n") {
		ticks := l[:len(l)-len(strings.TrimLeft(l, "`"))]
		switch {
		case fence == "" && len(ticks) >= 3:
			fence = ticks
		case fence != "" && l == fence:
			fence = ""
		case fence == "" && bad(l):
			return true
		}
	}
	return false
}

func Narrow(t testing.TB, out string, max int) {
	t.Helper()
	for n, l := range strings.Split(out, "\n") {
		if w := lipgloss.Width(l); w > max {
			t.Errorf("line %d is %d cells wide: %q", n+1, w, l)
			return
		}
	}
}

// Names is foreign text of every bad kind.
var Names = []string{
	"\x1b[31mred\x1b[0m\x1b]0;title\x07", "a\u202ereversed\u2066x", "c1 \u009b31m \u0085 end", "<script>alert(1)</script>",
	"pipe | `tick` *star* _under_ [link](javascript:x) #head @everyone", "line\nbreak\r\ttab", "bad \xff\xfe utf8",
	strings.Repeat("long", 2500), strings.Repeat("長い名前", 500), "שלום עולם", "zalgo e" + strings.Repeat("\u0301", 500), "zero\u200bwidth\ufeff", "</pre></td><img src=x onerror=y>",
	"&lt;already&gt; \"quotes\" 'single'", "\u2028sep\u2029", "${jndi:ldap://x}", "- yaml: [", "true", "",
}
