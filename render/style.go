package render

import (
	"io"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv" // lipgloss v1 takes its colour profile as a termenv value

	"tidemark/analyze"
	"tidemark/analyze/catalog"
)

// theme is the few styles of the text output, bound to one stream. Colour only repeats what the
// words say.
type theme struct {
	critical, warning, info, healthy, incomplete, dim, strong lipgloss.Style
}

func newTheme(w io.Writer, color bool) theme {
	r := lipgloss.NewRenderer(w)
	r.SetColorProfile(termenv.Ascii)
	if color {
		r.SetColorProfile(termenv.ANSI)
	}
	ansi := func(c string) lipgloss.Style { return r.NewStyle().Foreground(lipgloss.Color(c)) }
	return theme{
		critical:   ansi("1").Bold(true),
		warning:    ansi("3").Bold(true),
		info:       ansi("6"),
		healthy:    ansi("2"),
		incomplete: ansi("5").Bold(true),
		dim:        r.NewStyle().Faint(true),
		strong:     r.NewStyle().Bold(true),
	}
}

// label is the verdict or severity in capitals, coloured.
func (t theme) label(v string) string { return t.paint(v, strings.ToUpper(Clean(v))) }

// severity is a severity as it is written, coloured.
func (t theme) severity(s catalog.Severity) string { return t.paint(string(s), Clean(string(s))) }

func (t theme) paint(v, text string) string {
	switch v {
	case string(analyze.VerdictCritical):
		return t.critical.Render(text)
	case string(analyze.VerdictWarning):
		return t.warning.Render(text)
	case string(analyze.VerdictInfo):
		return t.info.Render(text)
	case string(analyze.VerdictHealthy):
		return t.healthy.Render(text)
	}
	return t.incomplete.Render(text)
}
