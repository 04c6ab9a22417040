package doc

import (
	"bytes"
	_ "embed"
	"html/template"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"

	"tidemark/render/safe"
)

//go:embed page.html
var pageSource string

//go:embed page.css
var pageStyle string

// pageTemplate is parsed with the first page, as most runs write none.
var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{
		"kind":     kind,
		"text":     safe.Clean,
		"prose":    prose,
		"title":    func(s string) template.HTML { return prose(safe.Short(s, longestName)) },
		"unbroken": longWord,
		"name":     func(s string) string { return safe.Short(s, longestName) },
		"cell":     func(s string) string { return safe.Short(s, longestName*4) },
		"word":     func(l Label) string { return strings.ToUpper(safe.Short(l.Word, 24)) },
		"code":     func(s string) string { return strings.Join(safe.Lines(s), "\n") },
		"lines":    figureLines,
		"parts":    marked,
	}).Parse(pageSource))
})

// HTML writes d as one page that needs neither network nor script.
func HTML(w io.Writer, d *Document) error {
	var b bytes.Buffer
	err := pageTemplate().Execute(&b, struct {
		*Document
		Name  string
		Style template.CSS
	}{d, d.name(), template.CSS(pageStyle)}) // the style is this package's own text
	if err != nil {
		return err
	}
	_, err = w.Write(b.Bytes())
	return err
}

// kind names a block for the template.
func kind(b Block) string {
	switch b.(type) {
	case Heading:
		return "heading"
	case Paragraph:
		return "paragraph"
	case List:
		return "list"
	case Pairs:
		return "pairs"
	case Table:
		return "table"
	case Code:
		return "code"
	case Figure:
		return "figure"
	case Cards:
		return "cards"
	}
	return "folded"
}

// marked is a sentence in three parts: before, within and after its highlighted words.
func marked(h Heading) [3]template.HTML {
	lead := h.Lead
	if lead == "" {
		lead = h.Text
	}
	lead = safe.Clip(safe.Clean(lead), 400)
	if before, after, ok := strings.Cut(lead, safe.Clean(h.Mark)); ok && h.Mark != "" {
		return [3]template.HTML{prose(before), prose(h.Mark), prose(after)}
	}
	return [3]template.HTML{prose(lead)}
}

// hyphenated is a word that a browser may break after a hyphen: a name such as orders-eu-3, an option, a flag; no date.
var hyphenated = regexp.MustCompile(`\S*(\p{L}\S*-[\p{L}\p{N}]|-\p{L})\S*`)

// prose keeps a name on one line where it fits: broken after a hyphen it reads like two words, and cannot be found.
func prose(text string) template.HTML {
	escaped := template.HTMLEscapeString(safe.Clean(text))
	return template.HTML(hyphenated.ReplaceAllString(escaped, `<span class="word">$0</span>`))
}

// figureLines is the picture in characters, for a page without a drawing.
func figureLines(f Figure) string {
	if f.Text == nil || len(f.SVG) > 0 {
		return ""
	}
	lines := f.Text(100)
	for i, l := range lines {
		lines[i] = safe.Clean(l)
	}
	return strings.Join(lines, "\n")
}

// longWord reports a text with a word so long that the other columns of a table would have no room.
func longWord(text string) bool {
	return slices.ContainsFunc(strings.Fields(text), func(w string) bool { return safe.Width(w) > 40 })
}
