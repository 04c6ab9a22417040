package render

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode"

	"tidemark/kafkastats/advise"
)

// RecommendationFormats are the formats Recommendation writes.
var RecommendationFormats = []string{"table", "json", "markdown", "html"}

// Recommendation writes a recommendation in one of RecommendationFormats.
func Recommendation(w io.Writer, r advise.Recommendation, format string) error {
	switch format {
	case "", "table", "text":
		return recommendationText(w, r)
	case "json":
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(r)
	case "markdown":
		return recommendationMarkdown(w, r)
	case "html":
		return recommendationHTML(w, r)
	}
	return fmt.Errorf("format %q is none of %s", format, strings.Join(RecommendationFormats, ", "))
}

func span(r advise.Recommendation) string {
	if r.Window.From == "" {
		return ""
	}
	return ", " + r.Window.From + " to " + r.Window.To
}

func lateText(r advise.Recommendation) string {
	l := r.Advice.Late
	s := fmt.Sprintf("%s of %s (%s; 95 %% CI %s to %s", advise.Grouped(l.Records), advise.Grouped(r.Records), percent(l.Fraction), percent(l.CI95[0]), percent(l.CI95[1]))
	if l.Independent {
		return s + ", assuming independence)"
	}
	return s + ", " + plural(l.Episodes, "episode", "episodes") + ", " + plural(l.Partitions, "partition", "partitions") + ")"
}

// percent has four decimals; what is not zero never reads as zero.
func percent(f float64) string {
	if f > 0 && f < 0.000_000_5 {
		return "<0.0001 %"
	}
	return fmt.Sprintf("%.4f %%", 100*f)
}

// deployedText is the estimate for periodic watermarks; it always says what it is not good for.
func deployedText(e advise.Emission) string {
	return fmt.Sprintf("about %s late with a watermark every %s, partitions merged (%s after every record): explains a job's counter, no reason for a smaller delay",
		percent(e.Late), advise.Human(e.EmitMs), percent(e.OnEvent))
}

func optional(f *float64) string {
	if f == nil {
		return "-"
	}
	return percent(*f)
}

func optionalMs(ms *int64) string {
	if ms == nil {
		return "-"
	}
	return advise.Human(*ms)
}

func mark(m string) string {
	if m == "" {
		return ""
	}
	return "  < " + markText(m)
}

// markText says why a delay is in the curve.
func markText(m string) string {
	return map[string]string{"need": "smallest for the target", "rounded": "recommended", "drops": "enough if only drops count", "sla": "what the latency target leaves"}[m]
}

// bar draws a share on a log scale: five characters a decade down to one in a million.
func bar(f float64) string {
	if f <= 0 {
		return ""
	}
	return strings.Repeat("█", max(0, int(math.Round(5*(math.Log10(f)+6)))))
}

func indented(s string) string { return "  " + strings.ReplaceAll(printable(s), "\n", "\n  ") }

// oneLine is printable text that cannot pretend to be a line of the report.
func oneLine(s string) string { return strings.ReplaceAll(printable(s), "\n", "\\n") }

// printable makes foreign text harmless in a terminal: control and direction characters are shown,
// not sent, and nothing is endless.
func printable(s string) string {
	const most = 1000
	var b strings.Builder
	for i, c := range s {
		if i > most {
			b.WriteString("…")
			break
		}
		if c != '\n' && (unicode.IsControl(c) || unicode.Is(unicode.Cf, c) || c == unicode.ReplacementChar) {
			fmt.Fprintf(&b, "\\u%04x", c)
			continue
		}
		b.WriteRune(c)
	}
	return b.String()
}
