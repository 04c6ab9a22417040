package render

import "strings"

// wrap breaks clean text into lines of at most max cells, at spaces; a word longer than a line is
// cut in the middle.
func wrap(s string, max int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		if width(word) > max {
			word = Short(word, max)
		}
		switch {
		case line == "":
			line = word
		case width(line)+1+width(word) <= max:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// wrapCode breaks a line of code at spaces, keeps its indentation and indents what follows deeper;
// nothing of it is cut away, so that it can be copied.
func wrapCode(s string, max int) []string {
	if width(s) <= max {
		return []string{s}
	}
	body := strings.TrimLeft(s, " ")
	indent := s[:len(s)-len(body)]
	if len(indent) > max/2 {
		indent = ""
	}
	var lines []string
	line := indent
	for _, word := range strings.Fields(body) {
		for width(indent)+4+width(word) > max {
			head := headCells(word, max-len(indent)-4)
			if strings.TrimSpace(line) != "" {
				lines = append(lines, line)
			}
			lines = append(lines, indent+"    "+head)
			word, line = word[len(head):], indent+"   "
		}
		switch {
		case strings.TrimSpace(line) == "" && len(lines) == 0:
			line = indent + word
		case width(line)+1+width(word) <= max:
			line += " " + word
		default:
			lines = append(lines, line)
			line = indent + "    " + word
		}
	}
	return append(lines, line)
}

// indent puts prefix before the first line and as many spaces before the others.
func indent(prefix string, lines []string) string {
	var b strings.Builder
	rest := strings.Repeat(" ", len(prefix))
	for i, l := range lines {
		if i == 0 {
			b.WriteString(prefix)
		} else {
			b.WriteString(rest)
		}
		b.WriteString(l)
		b.WriteByte('\n')
	}
	return b.String()
}
