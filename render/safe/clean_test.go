package safe

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"tidemark/internal/cases/property"
)

func TestClean(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"Source: orders -> Sink", "Source: orders -> Sink"},
		{"", ""},
		{"a\x1b[31mb", `a\x1b[31mb`},
		{"a\nb\tc\rd", `a\nb\tc\rd`},
		{"a\x7fb", `a\x7fb`},
		{"c1\u009b31m", `c1\u009b31m`},
		{"abc\u202edef", `abc\u202edef`},
		{"zero\u200bwidth", `zero\u200bwidth`},
		{"no\u00a0break", `no\u00a0break`},
		{"tag\U000e0041", `tag\U000e0041`},
		{"bad\xffutf8", `bad\xffutf8`},
		{"größe 長 שלום", "größe 長 שלום"},
		{"e\u0301", "e\u0301"},
		{"e\u0301\u0301\u0301\u0301", "e\u0301\u0301"},
		{"☺\ufe0f", "☺"},
	} {
		if got := Clean(c.in); got != c.want {
			t.Errorf("Clean(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestCleanTwiceIsCleanOnce(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(t, "bytes"))
		once := Clean(s)
		if twice := Clean(once); twice != once {
			t.Fatalf("%q becomes %q, then %q", s, once, twice)
		}
		if bad := strings.IndexFunc(once, func(r rune) bool { return r == '\n' || r == '\t' || hidden(r) }); bad >= 0 {
			t.Fatalf("%q keeps %q", s, once[bad:])
		}
	})
}

func TestShortFits(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		max := rapid.IntRange(1, 60).Draw(t, "max")
		got := Short(s, max)
		if Width(got) > max || !utf8.ValidString(got) {
			t.Fatalf("Short(%q, %d) = %q, %d cells", s, max, got, Width(got))
		}
		if clean := Clean(s); len(s) < 8*max && Width(clean) <= max && got != clean {
			t.Fatalf("Short(%q, %d) = %q though it fits", s, max, got)
		}
	})
}

func TestShort(t *testing.T) {
	for _, c := range []struct {
		in   string
		max  int
		want string
	}{
		{"abcdefghij", 10, "abcdefghij"},
		{"abcdefghijk", 10, "abcdef…ijk"},
		{"abc", 1, "…"},
		{"abc", 0, ""},
		{"長い名前です", 7, "長い…す"},
		{strings.Repeat("a", 5000) + "END", 9, "aaaaa…END"},
	} {
		if got := Short(c.in, c.max); got != c.want {
			t.Errorf("Short(%.20q, %d) = %q, want %q", c.in, c.max, got, c.want)
		}
	}
}
