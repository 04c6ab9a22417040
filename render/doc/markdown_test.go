package doc

import "testing"

func TestMarkdownEscape(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"a|b", `a\|b`}, {"`x`", "\\`x\\`"}, {"<b>", "&lt;b&gt;"}, {"a_b*c", `a\_b\*c`}, {"[x](y)", `\[x\](y)`}, {"#1", `\#1`},
		{`a\|b`, `a\\\|b`}, {"&amp;", "&amp;amp;"}, {"@team", "&#64;team"}, {"a\nb", `a\\nb`},
	} {
		if got := md(c.in); got != c.want {
			t.Errorf("md(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}
