package doc

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"tidemark/render/safe"
)

// The widths of a terminal for which text is laid out; a narrower terminal wraps the lines.
const (
	usualWidth    = 80
	narrowest     = 60
	widest        = 160
	pairNameWidth = 12
)

// Look says how text is laid out.
type Look struct {
	Color   bool
	Width   int  // cells of a line, 0 = 80, at most 160
	Height  int  // lines of the terminal, 0 = no limit
	Verbose bool // show what is folded
}

func (l Look) width() int {
	if l.Width < narrowest {
		return usualWidth
	}
	return min(l.Width, widest)
}

// text is the state of one rendering for a terminal.
type text struct {
	b      bytes.Buffer
	t      Theme
	width  int
	all    bool
	folded map[string]int // what is not shown, by title
	order  []string       // its titles
}

// Text writes d for the terminal w.
func Text(w io.Writer, d *Document, look Look) error {
	x := &text{t: NewTheme(w, look.Color), width: look.width(), all: look.Verbose, folded: map[string]int{}}
	x.blocks(d.Blocks)
	if d.Foot != "" {
		x.gap()
		x.prose("", d.Foot)
	}
	if len(x.order) > 0 {
		for i, title := range x.order {
			if n := x.folded[title]; n > 1 {
				x.order[i] = fmt.Sprintf("%s (%d)", title, n)
			}
		}
		x.gap()
		x.dim("More with -v: " + strings.Join(x.order, "; "))
	}
	if look.Height > 0 && bytes.Count(x.b.Bytes(), []byte("\n")) >= look.Height {
		x.repeat(d.Blocks)
	}
	_, err := w.Write(safe.Defuse(x.b.Bytes()))
	return err
}

// repeated is how many verdicts are repeated below a text that is longer than the terminal.
const repeated = 3

// repeat writes the verdicts once more, below a text whose beginning has scrolled out of sight.
func (x *text) repeat(blocks []Block) {
	var said []Heading
	for _, b := range blocks {
		if h, ok := b.(Heading); ok && h.Label.Word != "" {
			h.Facts, h.Level = nil, max(h.Level, 3)
			if len(said) == 0 && h.Lead != "" {
				h.Level = 1
			}
			said = append(said, h)
		}
	}
	if len(said) == 0 {
		return
	}
	x.gap()
	x.line(strings.Repeat("─", x.width))
	for _, h := range said[:min(len(said), repeated)] {
		x.heading(h)
	}
	if more := len(said) - repeated; more > 0 {
		x.dim(fmt.Sprintf("and %d more above", more))
	}
}

func (x *text) line(s string) {
	x.b.WriteString(strings.TrimRight(s, " "))
	x.b.WriteByte('\n')
}

// gap leaves one line empty, except at the top.
func (x *text) gap() {
	if x.b.Len() > 0 && !bytes.HasSuffix(x.b.Bytes(), []byte("\n\n")) {
		x.line("")
	}
}

func (x *text) blocks(blocks []Block) {
	for i, b := range blocks {
		_, below := b.(Heading)
		if i > 0 && below { // no empty line between two headings, unless facts are between them
			var above Heading
			above, below = blocks[i-1].(Heading)
			below = below && len(above.Facts) == 0
		}
		switch b := b.(type) {
		case Heading:
			if !below {
				x.gap()
			}
			x.heading(b)
		case Paragraph:
			if i > 0 && !b.Dim {
				if h, after := blocks[i-1].(Heading); after && len(h.Facts) > 0 {
					x.gap()
				}
			}
			x.paragraph(b)
		case List:
			for _, item := range b {
				x.hanging("  - ", item)
			}
		case Pairs:
			if i > 0 {
				if p, after := blocks[i-1].(Paragraph); after && p.Dim {
					x.gap()
				}
			}
			x.pairs(b)
		case Table:
			if len(b.Rows) > 0 {
				x.gap()
				x.table(b)
			}
		case Code:
			x.code(b)
		case Figure:
			x.figure(b)
		case Cards:
			for _, c := range b {
				x.gap()
				x.line("  " + x.t.Strong.Render(safe.Short(c.Title, x.width-2)))
				x.blocks(c.Blocks)
			}
		case Folded:
			if x.all {
				x.gap()
				x.line(x.t.Strong.Render(safe.Short(b.heading(), x.width)))
				x.blocks(b.Blocks)
			} else {
				x.folded[b.Title]++
				if x.folded[b.Title] == 1 {
					x.order = append(x.order, b.Title)
				}
			}
		}
	}
}

func (x *text) heading(h Heading) {
	if h.Level == 2 && h.Label.Word != "" {
		x.line(strings.Repeat("─", x.width))
	}
	body := h.Text
	switch {
	case h.Lead != "" && h.Level > 2:
		body = h.Lead
	case h.Lead != "":
		body = safe.Short(h.Text, 48) + ": " + h.Lead
	}
	if h.Label.Word == "" {
		for _, l := range wrapAfter(safe.Clean(body), x.width, x.width-2) {
			x.line(x.t.Strong.Render(l))
		}
	} else {
		x.labelled(h.Label, body)
	}
	if len(h.Facts) > 0 {
		x.dim(strings.Join(h.Facts, ", "))
	}
}
