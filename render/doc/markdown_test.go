package doc

import (
	"bytes"
	"strings"
	"testing"
)

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

func TestAParagraphLinksWhatSaysMore(t *testing.T) {
	d := &Document{Blocks: []Block{Paragraph{Text: "it is so", More: "https://example.org/checks.md#tm102"}, Paragraph{Text: "plain"}}}
	for name, write := range map[string]func(*bytes.Buffer) error{
		"[more](<https://example.org/checks.md#tm102>)":          func(b *bytes.Buffer) error { return Markdown(b, d, 0) },
		`<a href="https://example.org/checks.md#tm102">more</a>`: func(b *bytes.Buffer) error { return HTML(b, d) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil || strings.Count(b.String(), name) != 1 || strings.Count(b.String(), ">more<")+strings.Count(b.String(), "[more]") != 1 {
			t.Errorf("%v: %s", err, b.String())
		}
	}
	var b bytes.Buffer
	if err := Text(&b, d, Look{Width: 80}); err != nil || strings.Contains(b.String(), "example.org") {
		t.Errorf("%v: %s", err, b.String())
	}
}

// A browser breaks a line after a hyphen, and half a name cannot be found.
func TestAPageKeepsNamesOnOneLine(t *testing.T) {
	d := &Document{Blocks: []Block{
		Heading{Level: 1, Text: "job", Lead: "Partition orders-eu-3 is silent", Mark: "orders-eu-3"},
		Paragraph{Text: `set --idle-timeout of "a-<b>" on 2026-11-30 - now`},
	}}
	var b bytes.Buffer
	if err := HTML(&b, d); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`Partition <b><span class="word">orders-eu-3</span></b> is silent`,
		`<p>set <span class="word">--idle-timeout</span> of &#34;a-&lt;b&gt;&#34; on 2026-11-30 - now</p>`,
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in\n%s", want, b.String())
		}
	}
}
