package render

import (
	"fmt"
	"io"
	"strings"

	"tidemark/kafkastats/advise"
)

func recommendationMarkdown(w io.Writer, r advise.Recommendation) error {
	var b strings.Builder
	a := r.Advice
	fmt.Fprintf(&b, "# Watermark delay for %s\n\n**%s**: %s\n\n", escaped(r.Topic), a.Verdict, escaped(a.Reason))
	if !r.Complete {
		b.WriteString("**Incomplete**: the numbers cover only what was read.\n\n")
	}
	fmt.Fprintf(&b, "%s in %s%s. Target: %s late.\n\n", recordsText(r), plural(len(r.Partitions), "partition", "partitions"), span(r), escaped(r.TargetText))
	if r.Records == 0 {
		b.WriteString("No delay can be named: no record was measured.\n\n")
	} else {
		adviceMarkdown(&b, r)
	}
	fmt.Fprintf(&b, "\n## In words\n\n%s\n\n%s\n\n**Why not the transport delay?** %s\n\n**What we did not see:** %s\n\n**What would change the answer:**\n\n", escaped(r.Review.Summary), escaped(r.Review.Latency), escaped(r.Review.WhyNotTransport), escaped(r.Review.NotSeen))
	for _, s := range r.Review.WouldChange {
		fmt.Fprintf(&b, "- %s\n", escaped(s))
	}
	fmt.Fprintf(&b, "\n```java\n%s\n```\n\n```sql\n%s\n```\n", fence(r.Code.DataStream), fence(r.Code.SQL))
	if len(r.Findings) > 0 {
		b.WriteString("\n## Findings\n\n")
	}
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "- **%s** %s `%s`: %s", f.Severity, f.Code, f.Cause, escaped(f.Summary))
		if f.Fix != "" {
			fmt.Fprintf(&b, " *Fix:* %s", escaped(f.Fix))
		}
		b.WriteString("\n")
	}
	b.WriteString("\n## Not seen\n\n")
	for _, s := range r.NotSeen {
		fmt.Fprintf(&b, "- %s\n", escaped(s))
	}
	b.WriteString("\n## Not measured\n\n")
	for _, s := range r.NotMeasured {
		fmt.Fprintf(&b, "- %s\n", escaped(s))
	}
	b.WriteString("\n## Assumes\n\n")
	for _, s := range r.Assumptions {
		fmt.Fprintf(&b, "- %s\n", escaped(s))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// adviceMarkdown is the delay, what it loses and costs, and the curve around it.
func adviceMarkdown(b *strings.Builder, r advise.Recommendation) {
	a := r.Advice
	fmt.Fprintf(b, "| | |\n|---|---|\n| delay to declare | **%s** |\n| smallest for the target | DataStream %d ms, SQL %d ms |\n| late at it | %s |\n", advise.Human(a.RoundedMs), a.DataStreamMs, a.SQLMs, lateText(r))
	if a.AsDeployed != nil {
		fmt.Fprintf(b, "| as deployed today | %s |\n", deployedText(*a.AsDeployed))
	}
	fmt.Fprintf(b, "| worst partition | %s |\n| one generator for all partitions | %s |\n| idle timeout | %s |\n| p99 result latency | %s |\n\n", advise.Human(a.WorstMs), optionalMs(a.GlobalMs), advise.Human(a.IdleTimeoutMs), optionalMs(a.LatencyP99Ms))
	if s := r.Sampling; s != nil {
		fmt.Fprintf(b, "Read: %s.\n\n", escaped(s.String()))
	}
	b.WriteString("| delay | late | dropped | p99 latency | |\n|---:|---:|---:|---:|---|\n")
	for _, p := range r.Curve {
		fmt.Fprintf(b, "| %s | %s | %s | %s |%s |\n", advise.Human(p.DelayMs), percent(p.Late), optional(p.Dropped), optionalMs(p.LatencyP99), mark(p.Mark))
	}
	for _, line := range []string{transportRule(r), named("p99.9 of disorder by hour of day", hourSpark(r)), named("delay by partition", partitionStrip(r))} {
		if line != "" {
			fmt.Fprintf(b, "\n%s\n", line)
		}
	}
}

// escaped makes foreign text harmless in Markdown: one line, no markup, no HTML.
func escaped(s string) string {
	s = strings.ReplaceAll(printable(s), "\n", " ")
	return strings.NewReplacer(`\`, `\\`, `|`, `\|`, `<`, `&lt;`, `>`, `&gt;`, `&`, `&amp;`, "`", "\\`", `*`, `\*`, `_`, `\_`, `[`, `\[`, `]`, `\]`, `#`, `\#`).Replace(s)
}

// fence keeps a code block from being closed by what it holds.
func fence(s string) string { return strings.ReplaceAll(printable(s), "```", "'''") }

func named(name, text string) string {
	if text == "" {
		return ""
	}
	return name + ": `" + text + "`"
}
