package doc

import "charm.land/lipgloss/v2"

// Theme is the few styles of a terminal: 16 colours, which every terminal has.
type Theme struct {
	tones       map[Tone]lipgloss.Style
	Dim, Strong lipgloss.Style
}

// NewTheme is a theme; without colour it writes no escape sequence at all.
func NewTheme(color bool) Theme {
	plain := lipgloss.NewStyle()
	if !color {
		return Theme{Dim: plain, Strong: plain}
	}
	return Theme{
		tones: map[Tone]lipgloss.Style{
			Critical: plain.Foreground(lipgloss.Red).Bold(true), Warning: plain.Foreground(lipgloss.Yellow).Bold(true), Info: plain.Foreground(lipgloss.Cyan),
			Healthy: plain.Foreground(lipgloss.Green), Incomplete: plain.Foreground(lipgloss.Magenta).Bold(true),
		},
		Dim: plain.Faint(true), Strong: plain.Bold(true),
	}
}

// Paint colours clean text by a tone, if there is one.
func (t Theme) Paint(tone Tone, text string) string {
	if style, ok := t.tones[tone]; ok {
		return style.Render(text)
	}
	return text
}
