package doc

import (
	"strings"

	"tidemark/render/safe"
)

// labelled writes a coloured word and a text after it, wrapped with a hanging indent.
func (x *text) labelled(l Label, body string) {
	word := strings.ToUpper(safe.Short(l.Word, 24))
	for i, line := range wrapAfter(safe.Clean(body), x.width-safe.Width(word)-1, x.width-2) {
		if i == 0 {
			x.line(x.t.Paint(l.Tone, word) + " " + line)
		} else {
			x.line("  " + line)
		}
	}
}

func (x *text) paragraph(p Paragraph) {
	switch {
	case p.Label.Word != "":
		x.labelled(p.Label, p.Text)
	case p.Dim:
		x.dim(p.Text)
	default:
		x.prose("  ", p.Text)
	}
}

func (x *text) dim(s string) {
	for _, l := range wrap(safe.Clean(s), x.width) {
		x.line(x.t.Dim.Render(l))
	}
}

func (x *text) prose(margin, s string) {
	for _, l := range wrap(safe.Clean(s), x.width-len(margin)) {
		x.line(margin + l)
	}
}

// hanging writes prose after a mark, its further lines below the first.
func (x *text) hanging(mark, s string) {
	x.b.WriteString(indent(mark, wrap(safe.Clean(s), x.width-safe.Width(mark))))
}

// pairs writes the values in a column to the right of the names, or below a name that takes more than a third of the
// line.
func (x *text) pairs(p Pairs) {
	name := pairNameWidth
	for _, f := range p {
		name = max(name, safe.Width(safe.Clean(f.Name))+1)
	}
	below := name > x.width/3
	for _, f := range p {
		mark := "  " + safe.Pad(safe.Clean(f.Name), name)
		if below {
			x.prose("  ", f.Name)
			mark = "      "
		}
		for _, v := range f.Values {
			lines := wrap(safe.Clean(v), x.width-safe.Width(mark))
			if f.Strong && len(lines) > 0 {
				lines[0] = x.t.Strong.Render(lines[0])
			}
			x.b.WriteString(indentCells(mark, safe.Width(mark), lines))
			mark = strings.Repeat(" ", safe.Width(mark))
		}
	}
}

// code is written so that it can be copied.
func (x *text) code(c Code) {
	if strings.TrimSpace(c.Text) == "" {
		return
	}
	margin := "  "
	if c.Title != "" {
		x.line("  " + safe.Clean(c.Title))
		margin = "    "
	}
	for _, l := range safe.Lines(c.Text) {
		for _, part := range wrapCode(l, x.width-len(margin)) {
			x.line(margin + part)
		}
	}
}

func (x *text) figure(f Figure) {
	if f.Text == nil {
		return
	}
	lines := f.Text(x.width - 2)
	if len(lines) == 0 {
		return
	}
	x.gap()
	x.line(x.t.Strong.Render(safe.Short(f.Title, x.width)))
	for _, l := range lines {
		x.line("  " + safe.Head(safe.Clean(l), x.width-2))
	}
}
