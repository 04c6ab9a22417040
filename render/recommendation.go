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

func recommendationText(w io.Writer, r advise.Recommendation) error {
	var b strings.Builder
	a := r.Advice
	fmt.Fprintf(&b, "%s: %s, %d partitions, %d records%s\n", printable(r.Topic), r.Advice.Verdict, len(r.Partitions), r.Records, span(r))
	if !r.Complete {
		b.WriteString("INCOMPLETE: the numbers cover only what was read\n")
	}
	fmt.Fprintf(&b, "  %s\n\n", printable(a.Reason))
	fmt.Fprintf(&b, "  delay to declare  %s   (smallest for %s late: DataStream %s, SQL %s)\n", advise.Human(a.RoundedMs), printable(r.TargetText), advise.Human(a.DataStreamMs), advise.Human(a.SQLMs))
	fmt.Fprintf(&b, "  late at it        %s\n", lateText(r))
	if a.AsDeployed != nil {
		fmt.Fprintf(&b, "  as deployed today %s\n", deployedText(*a.AsDeployed))
	}
	if a.Dropped != nil {
		fmt.Fprintf(&b, "  dropped at it     %s\n", percent(a.Dropped.Fraction))
	}
	if a.DropsOnlyMs != nil {
		fmt.Fprintf(&b, "  if only drops count, %s is enough\n", advise.Human(*a.DropsOnlyMs))
	}
	if a.LatencyP99Ms != nil {
		fmt.Fprintf(&b, "  p99 result latency %s\n", advise.Human(*a.LatencyP99Ms))
	}
	if a.GuaranteedMs != nil {
		fmt.Fprintf(&b, "  with 95 %% confidence %s\n", advise.Human(*a.GuaranteedMs))
	}
	if a.Verified != nil {
		fmt.Fprintf(&b, "  replayed          %d of %d late, predicted %d\n", a.Verified.LateRecords, a.Verified.Records, a.Verified.Predicted)
	}
	fmt.Fprintf(&b, "  worst partition   %s;  one generator for all %s;  Confluent's default %s to %s\n", advise.Human(a.WorstMs), advise.Human(a.GlobalMs), advise.Human(r.Confluent.MinMs), advise.Human(r.Confluent.MaxMs))
	if a.IdleTimeoutMs > 0 {
		fmt.Fprintf(&b, "  idle timeout      %s", advise.Human(a.IdleTimeoutMs))
		if a.AlignDriftMs > 0 {
			fmt.Fprintf(&b, ";  alignment drift %s", advise.Human(a.AlignDriftMs))
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "\n  %-10s %-12s %-12s %-10s\n", "delay", "late", "dropped", "p99 latency")
	for _, p := range r.Curve {
		fmt.Fprintf(&b, "  %-10s %-12s %-12s %-10s %s%s\n", advise.Human(p.DelayMs), percent(p.Late), optional(p.Dropped), optionalMs(p.LatencyP99), bar(p.Late), mark(p.Mark))
	}
	fmt.Fprintf(&b, "\n  disorder   p50 %s  p99 %s  p99.9 %s  largest seen %s\n", advise.Human(r.Disorder.P50), advise.Human(r.Disorder.P99), advise.Human(r.Disorder.P999), advise.Human(r.Disorder.Max))
	if t := r.Transport; t != nil {
		fmt.Fprintf(&b, "  transport  p50 %s  p99 %s  p99.9 %s  (how old records are on arrival: no delay changes it)\n", advise.Human(t.P50), advise.Human(t.P99), advise.Human(t.P999))
	}
	if s := r.Sampling; s != nil {
		fmt.Fprintf(&b, "  read       %s\n", printable(s.String()))
	}
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "\n%s: %s. [%s %s]\n", strings.ToUpper(f.Severity), printable(f.Summary), f.Code, f.Cause)
		if f.Fix != "" {
			fmt.Fprintf(&b, "  fix: %s\n", printable(f.Fix))
		}
	}
	fmt.Fprintf(&b, "\nDataStream:\n%s\nSQL:\n%s\n", indented(r.Code.DataStream), indented(r.Code.SQL))
	b.WriteString("\nnot seen:\n")
	for _, s := range r.NotSeen {
		fmt.Fprintf(&b, "  - %s\n", printable(s))
	}
	b.WriteString("assumes:\n")
	for _, s := range r.Assumptions {
		fmt.Fprintf(&b, "  - %s\n", printable(s))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func span(r advise.Recommendation) string {
	if r.Window.From == "" {
		return ""
	}
	return ", " + r.Window.From + " to " + r.Window.To
}

func lateText(r advise.Recommendation) string {
	l := r.Advice.Late
	s := fmt.Sprintf("%d of %d (%s; 95 %% CI %s to %s", l.Records, r.Records, percent(l.Fraction), percent(l.CI95[0]), percent(l.CI95[1]))
	if l.Independent {
		return s + ", assuming independence)"
	}
	return s + fmt.Sprintf(", %d episodes, %d partitions)", l.Episodes, l.Partitions)
}

// deployedText is the estimate for periodic watermarks; it always says what it is not good for.
func deployedText(e advise.Emission) string {
	return fmt.Sprintf("about %s late with a watermark every %s, partitions merged (%s after every record): explains a job's counter, no reason for a smaller delay",
		percent(e.Late), advise.Human(e.EmitMs), percent(e.OnEvent))
}

func percent(f float64) string { return fmt.Sprintf("%.4f %%", 100*f) }

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
	return "  < " + map[string]string{"need": "smallest for the target", "rounded": "recommended", "drops": "enough if only drops count", "sla": "what the latency target leaves"}[m]
}

// bar draws a share on a log scale: five characters a decade down to one in a million.
func bar(f float64) string {
	if f <= 0 {
		return ""
	}
	return strings.Repeat("█", max(0, int(math.Round(5*(math.Log10(f)+6)))))
}

func indented(s string) string { return "  " + strings.ReplaceAll(printable(s), "\n", "\n  ") }

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
