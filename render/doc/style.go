package doc

import (
	"io"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv" // lipgloss v1 takes its colour profile as a termenv value
)

// theme is the few styles of a terminal, bound to one stream: 16 colours, which every terminal has.
type theme struct {
	tones       map[Tone]lipgloss.Style
	dim, strong lipgloss.Style
}

func newTheme(w io.Writer, color bool) theme {
	r := lipgloss.NewRenderer(w)
	r.SetColorProfile(termenv.Ascii)
	if color {
		r.SetColorProfile(termenv.ANSI)
	}
	ansi := func(c string) lipgloss.Style { return r.NewStyle().Foreground(lipgloss.Color(c)) }
	return theme{
		tones: map[Tone]lipgloss.Style{
			Critical: ansi("1").Bold(true), Warning: ansi("3").Bold(true), Info: ansi("6"), Healthy: ansi("2"), Incomplete: ansi("5").Bold(true),
		},
		dim: r.NewStyle().Faint(true), strong: r.NewStyle().Bold(true),
	}
}

// paint colours clean text by a tone, if there is one.
func (t theme) paint(tone Tone, text string) string {
	if style, ok := t.tones[tone]; ok {
		return style.Render(text)
	}
	return text
}
