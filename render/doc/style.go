package doc

import (
	"io"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv" // lipgloss v1 takes its colour profile as a termenv value
)

// Theme is the few styles of a terminal, bound to one stream: 16 colours, which every terminal has.
type Theme struct {
	tones       map[Tone]lipgloss.Style
	Dim, Strong lipgloss.Style
}

// NewTheme is the theme of a stream; without colour it writes no escape sequence.
func NewTheme(w io.Writer, color bool) Theme {
	r := lipgloss.NewRenderer(w)
	r.SetColorProfile(termenv.Ascii)
	if color {
		r.SetColorProfile(termenv.ANSI)
	}
	ansi := func(c string) lipgloss.Style { return r.NewStyle().Foreground(lipgloss.Color(c)) }
	return Theme{
		tones: map[Tone]lipgloss.Style{
			Critical: ansi("1").Bold(true), Warning: ansi("3").Bold(true), Info: ansi("6"), Healthy: ansi("2"), Incomplete: ansi("5").Bold(true),
		},
		Dim: r.NewStyle().Faint(true), Strong: r.NewStyle().Bold(true),
	}
}

// Paint colours clean text by a tone, if there is one.
func (t Theme) Paint(tone Tone, text string) string {
	if style, ok := t.tones[tone]; ok {
		return style.Render(text)
	}
	return text
}
