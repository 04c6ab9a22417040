package graph

import (
	"strings"

	"tidemark/render/safe"
)

// The sizes of the words in a box, and the room that a line of them takes.
const (
	nameSize, nameLine = 13.0, 17.0
	lineSize, lineLine = 11.5, 16.0
)

// wide estimates the width of a text at a font size, in units, as in a wide bold font: a page uses the fonts of its
// reader.
func wide(s string, size float64) float64 {
	em := 0.0
	for _, r := range s {
		switch {
		case strings.ContainsRune("iljI'|.,:;!()[]/ tfr", r):
			em += 0.42
		case strings.ContainsRune("mwMW@%→>", r):
			em += 1.05
		case r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			em += 0.74
		default:
			em += 0.68 * float64(max(1, safe.Width(string(r))))
		}
	}
	return em * size
}

// cut shortens a text in the middle to fit a width.
func cut(s string, size, width float64) string {
	if wide(s, size) <= width {
		return s
	}
	for cells := min(safe.Width(s), int(width/size/0.42)); cells > 1; cells-- {
		if short := safe.Short(s, cells); wide(short, size) <= width {
			return short
		}
	}
	return "…"
}

// fold breaks a text at spaces into at most so many lines of a width; what has no room is cut from the last line.
func fold(s string, size, width float64, most int) []string {
	words := strings.Fields(s)
	var lines []string
	for len(words) > 0 {
		line := words[0]
		words = words[1:]
		for len(words) > 0 && wide(line+" "+words[0], size) <= width {
			line, words = line+" "+words[0], words[1:]
		}
		if len(lines) == most-1 {
			line = strings.Join(append([]string{line}, words...), " ")
			words = nil
		}
		lines = append(lines, cut(line, size, width))
	}
	return lines
}
