package doc

import (
	"bytes"
	"fmt"
	"html/template"
	"strings"
	"testing"

	"tidemark/render/internal/rendertest"
)

// everyBlock has one name in every place of a document.
func everyBlock(name string) *Document {
	d := &Document{Title: "Kind", Foot: "foot " + name, Made: "tool " + name}
	d.Add(
		Heading{Level: 1, Label: Label{Word: "critical", Tone: Critical}, Text: name, Lead: "lead of " + name},
		Paragraph{Text: "read from " + name, Dim: true},
		Paragraph{Label: Label{Word: "not met", Tone: Warning}, Text: name},
		Paragraph{Text: "prose about " + name},
		List{"one " + name, "two"},
		Heading{Level: 2, Text: "Part " + name, ID: "part"},
		Pairs{{Name: "short", Values: []string{name, "second"}}, {Name: "delay", Values: []string{"5 s"}, Strong: true}},
		Table{Title: "Rows", Columns: []Column{{Name: "#", Number: true}, {Name: "name", Cut: true}, {Name: "words"}},
			Rows: []Row{{Cells: []Cell{{Text: "1", Value: "1.0"}, {Text: "  " + name, Link: "part"}, {Text: name, Tone: Info}}, Notes: []string{"note " + name}}}, More: "more " + name},
		Code{Title: "SQL", Language: "sql", Text: "SELECT '" + name + "'"},
		Figure{ID: "figure", Title: "Drawn " + name, SVG: []template.HTML{`<svg viewBox="0 0 1 1"></svg>`}, Note: name, Keys: []Key{{Text: name}},
			Text: func(width int) []string { return []string{strings.Repeat("█", width), name} }},
		Figure{Title: "Not drawn", Note: "why there is nothing: " + name},
		Folded{ID: "folded", Title: "folded " + name, Blocks: []Block{Paragraph{Text: "inside " + name}}},
	)
	return d
}

func written(t *testing.T, d *Document, look Look) map[string]string {
	t.Helper()
	var text, markdown, page bytes.Buffer
	for _, err := range []error{Text(&text, d, look), Markdown(&markdown, d, 0), HTML(&page, d)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return map[string]string{"text": text.String(), "markdown": markdown.String(), "html": page.String()}
}

func TestEveryBlockInEveryFormat(t *testing.T) {
	for format, out := range written(t, everyBlock("orders"), Look{}) {
		rendertest.Golden(t, "every."+format, []byte(out))
	}
	rendertest.Golden(t, "every.verbose.text", []byte(written(t, everyBlock("orders"), Look{Verbose: true, Width: 100})["text"]))
}

func TestForeignNamesAreHarmlessInEveryBlock(t *testing.T) {
	for _, name := range rendertest.Names {
		for _, width := range []int{60, 80, 160} {
			for format, out := range written(t, everyBlock(name), Look{Width: width, Verbose: true}) {
				if bad := rendertest.Acted(out); len(bad) > 0 {
					t.Errorf("%s of %.30q: characters %q pass through", format, name, bad)
				}
				switch format {
				case "text":
					rendertest.Narrow(t, out, width)
				case "markdown":
					if rendertest.InProse(out, func(l string) bool { return strings.Contains(l, "<script") || strings.Contains(l, "[link](") }) {
						t.Errorf("%.30q is markup in Markdown", name)
					}
				case "html":
					if strings.Contains(out, "<script") || strings.Contains(out, "<img") {
						t.Errorf("%.30q is markup in a page", name)
					}
				}
			}
		}
	}
}

func TestWideTerminalsAreFilledUpTo160Cells(t *testing.T) {
	d := &Document{Blocks: []Block{Paragraph{Text: strings.Repeat("word ", 100)}}}
	for given, want := range map[int]int{0: 80, 30: 80, 100: 100, 160: 160, 400: 160} {
		first, _, _ := strings.Cut(written(t, d, Look{Width: given})["text"], "\n")
		if n := len(first); n > want || n < want-5 {
			t.Errorf("a terminal of %d cells has a line of %d, want about %d", given, n, want)
		}
	}
}

func TestMarkdownLeavesWholePartsOut(t *testing.T) {
	d := &Document{Foot: "1,000 in all"}
	for i := range 1000 {
		d.Add(Heading{Level: 3, Text: fmt.Sprintf("part %d", i)}, Paragraph{Text: strings.Repeat("x", 100) + fmt.Sprintf(" end of %d", i)})
	}
	var b bytes.Buffer
	if err := Markdown(&b, d, 10_000); err != nil {
		t.Fatal(err)
	}
	out := b.String()
	begun, ended := strings.Count(out, "### part"), strings.Count(out, "end of")
	if len(out) > 10_000 || begun != ended || begun < 50 || !strings.Contains(out, fmt.Sprintf("%d parts are left out", 1000-begun)) || !strings.HasSuffix(out, "\n1,000 in all\n") {
		t.Errorf("%d bytes, %d parts begun, %d ended: %s", len(out), begun, ended, out[max(0, len(out)-200):])
	}
}

func TestTablesGiveWayInOrder(t *testing.T) {
	columns := []Column{{Name: "name", Cut: true}, {Name: "a long head", Number: true}, {Name: "words"}}
	for _, c := range []struct {
		room, name int
		cells      []string
		want       string
	}{
		{60, 60, []string{"orders", "1", "a b"}, "name    a long head  words\norders            1  a b"},
		{24, 24, []string{"orders", "1", "a b"}, "name   a long head words\norders           1 a b"},
		{26, 26, []string{strings.Repeat("n", 40), "1", "a b"}, ""},
	} {
		table := Table{Columns: columns, Rows: []Row{{Cells: Cells(c.cells...)}}}
		widths, gap := layout(table, c.room)
		sum := gap * (len(widths) - 1)
		for _, w := range widths {
			sum += w
		}
		if sum > c.room {
			t.Errorf("%q takes %d of %d cells", c.cells, sum, c.room)
		}
		if c.want == "" {
			continue
		}
		x := &text{t: NewTheme(&bytes.Buffer{}, false), width: c.room + 2}
		x.table(table)
		if got := strings.TrimSuffix(strings.ReplaceAll(strings.TrimPrefix(x.b.String(), "  "), "\n  ", "\n"), "\n"); got != c.want {
			t.Errorf("got\n%s\nwant\n%s", got, c.want)
		}
	}
}

func TestANumberAndItsUnitStayTogether(t *testing.T) {
	for _, l := range wrap("p50 250 ms, p99 1.2 s, largest seen 1.3 s", 20) {
		if strings.HasPrefix(l, "s") || strings.HasPrefix(l, "ms") {
			t.Errorf("a line begins with a unit: %q", l)
		}
	}
}

func TestWhatHasScrolledAwayIsSaidAgain(t *testing.T) {
	d := &Document{Blocks: []Block{
		Heading{Level: 1, Label: Label{Word: "critical"}, Text: "orders", Lead: "Partition a-1 is silent", Facts: []string{"Flink 2.3.0"}},
		Paragraph{Text: strings.Repeat("word ", 100)},
		Heading{Level: 3, Label: Label{Word: "warning"}, Text: "TM402", Lead: "Records were late"},
		Heading{Level: 3, Text: "evidence"},
	}}
	said := func(height int) string {
		var b strings.Builder
		if err := Text(&b, d, Look{Width: 40, Height: height}); err != nil {
			t.Fatal(err)
		}
		_, below, _ := strings.Cut(b.String(), strings.Repeat("─", 40)+"\n")
		return below
	}
	if got, want := said(12), "CRITICAL orders: Partition a-1 is silent\nWARNING Records were late\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for _, height := range []int{0, 60} {
		if got := said(height); got != "" {
			t.Errorf("with %d lines in sight the verdicts are repeated: %q", height, got)
		}
	}
}
