package doc

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"tidemark/render/safe"
)

// markdownEscape makes foreign text plain in GitHub's Markdown, tables and mentions included.
var markdownEscape = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "#", `\#`, "|", `\|`, "~", `\~`,
	"<", "&lt;", ">", "&gt;", "&", "&amp;", "@", "&#64;",
)

// longestName is how many cells of a name Markdown and pages show.
const longestName = 120

func md(s string) string { return markdownEscape.Replace(safe.Clean(s)) }

// Markdown writes d in at most limit bytes, 0 = no limit: parts that have no room are left out and counted, never cut.
func Markdown(w io.Writer, d *Document, limit int) error {
	foot := ""
	if d.Foot != "" {
		foot = "\n" + md(d.Foot) + "\n"
	}
	var out bytes.Buffer
	left := 0
	for _, p := range parts(d.Blocks) {
		var b bytes.Buffer
		if h, ok := p[0].(Heading); ok && h.Level == 1 {
			title := d.name()
			if h.Lead != "" {
				title = strings.TrimSpace(strings.ToUpper(h.Label.Word) + " " + title)
			}
			fmt.Fprintf(&b, "# %s\n", md(safe.Short(title, 2*longestName)))
			mdParagraph(&b, strings.Join(h.Facts, ", "))
			p = p[1:]
		}
		markdown(&b, p)
		if limit > 0 && out.Len()+b.Len()+len(foot)+200 > limit { // 200 for the line about what is left out
			left++
			continue
		}
		out.Write(b.Bytes())
	}
	if left > 0 {
		fmt.Fprintf(&out, "\n%d parts are left out to stay below the size of a step summary; the other formats have them.\n", left)
	}
	out.WriteString(foot)
	_, err := w.Write(safe.Defuse(bytes.TrimLeft(out.Bytes(), "\n")))
	return err
}

// parts splits blocks before each heading.
func parts(blocks []Block) [][]Block {
	var out [][]Block
	for i, b := range blocks {
		if _, begins := b.(Heading); begins || i == 0 {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], b)
	}
	return out
}

func markdown(b *bytes.Buffer, blocks []Block) {
	for _, block := range blocks {
		switch block := block.(type) {
		case Heading:
			fmt.Fprintf(b, "\n%s %s\n", strings.Repeat("#", block.Level), strings.TrimSpace(block.Label.markdown("")+" "+md(safe.Short(block.Text, longestName))))
			mdParagraph(b, block.Lead)
			mdParagraph(b, strings.Join(block.Facts, ", "))
		case Paragraph:
			mdParagraph(b, block.Text, block.Label.markdown("**"))
			if block.More != "" {
				fmt.Fprintf(b, "[more](<%s>)\n", strings.NewReplacer("<", "%3C", ">", "%3E").Replace(safe.Clean(block.More)))
			}
		case List:
			b.WriteByte('\n')
			for _, item := range block {
				fmt.Fprintf(b, "- %s\n", md(item))
			}
		case Pairs:
			b.WriteByte('\n')
			for _, p := range block {
				mdPair(b, p)
			}
		case Table:
			mdTable(b, block)
		case Code:
			mdCode(b, block)
		case Figure:
			mdFigure(b, block)
		case Cards:
			for _, c := range block {
				fmt.Fprintf(b, "\n**%s**\n", md(c.Title))
				markdown(b, c.Blocks)
			}
		case Folded:
			open := ""
			if block.Open {
				open = " open"
			}
			fmt.Fprintf(b, "\n<details%s><summary>%s</summary>\n", open, md(block.heading()))
			markdown(b, block.Blocks)
			b.WriteString("\n</details>\n")
		}
	}
}

// markdown is the word of a label in capitals, between marks.
func (l Label) markdown(mark string) string {
	if l.Word == "" {
		return ""
	}
	return mark + md(strings.ToUpper(safe.Short(l.Word, 24))) + mark
}

func mdParagraph(b *bytes.Buffer, text string, before ...string) {
	if s := strings.TrimSpace(strings.Join(append(before, md(text)), " ")); s != "" {
		fmt.Fprintf(b, "\n%s\n", s)
	}
}

func mdPair(b *bytes.Buffer, p Pair) {
	mark := ""
	if p.Strong {
		mark = "**"
	}
	if len(p.Values) == 1 {
		fmt.Fprintf(b, "- %s: %s%s%s\n", md(p.Name), mark, md(p.Values[0]), mark)
		return
	}
	fmt.Fprintf(b, "- %s:\n", md(p.Name))
	for _, v := range p.Values {
		fmt.Fprintf(b, "  - %s\n", md(v))
	}
}

// mdTable writes the notes of a row in a last column without a name.
func mdTable(b *bytes.Buffer, t Table) {
	if len(t.Rows) == 0 {
		return
	}
	if t.Title != "" {
		fmt.Fprintf(b, "\n**%s**\n", md(t.Title))
	}
	noted := false
	for _, r := range t.Rows {
		noted = noted || len(r.Notes) > 0
	}
	head, rule := "\n|", "|"
	for _, c := range t.Columns {
		head += " " + md(c.Name) + " |"
		if c.Number {
			rule += "---:|"
		} else {
			rule += "---|"
		}
	}
	if noted {
		head, rule = head+" |", rule+"---|"
	}
	b.WriteString(head + "\n" + rule + "\n")
	for _, r := range t.Rows {
		b.WriteByte('|')
		for _, c := range r.Cells[:len(t.Columns)] {
			b.WriteString(" " + mdCell(c.Text) + " |")
		}
		if noted {
			b.WriteString(" " + md(strings.Join(r.Notes, "; ")) + " |")
		}
		b.WriteByte('\n')
	}
	mdParagraph(b, t.More)
}

// mdCell keeps the spaces that indent a name.
func mdCell(s string) string {
	body := strings.TrimLeft(s, " ")
	return strings.Repeat("&nbsp;", min(len(s)-len(body), 20)) + md(safe.Short(body, longestName*4))
}

// mdCode fences code with more backticks than it holds in a row.
func mdCode(b *bytes.Buffer, c Code) {
	if strings.TrimSpace(c.Text) == "" {
		return
	}
	if c.Title != "" {
		fmt.Fprintf(b, "\n%s:\n", md(c.Title))
	}
	mdFence(b, c.Language, safe.Lines(c.Text))
}

func mdFence(b *bytes.Buffer, language string, lines []string) {
	body, fence := strings.Join(lines, "\n"), "```"
	for strings.Contains(body, fence) {
		fence += "`"
	}
	fmt.Fprintf(b, "\n%s%s\n%s\n%s\n", fence, language, body, fence)
}

// mdFigure draws with characters; a figure without Text is left out.
func mdFigure(b *bytes.Buffer, f Figure) {
	if f.Text == nil {
		return
	}
	lines := f.Text(100)
	if len(lines) == 0 {
		return
	}
	for i, l := range lines {
		lines[i] = safe.Clean(l)
	}
	fmt.Fprintf(b, "\n**%s**\n", md(f.Title))
	mdFence(b, "", lines)
	mdParagraph(b, f.Note)
}
