package render

import (
	"fmt"
	"io"
	"strings"

	"tidemark/kafkastats/advise"
)

func recommendationText(w io.Writer, r advise.Recommendation) error {
	var b strings.Builder
	a := r.Advice
	fmt.Fprintf(&b, "%s: %s, %d partitions, %s records%s\n", oneLine(r.Topic), r.Advice.Verdict, len(r.Partitions), advise.Grouped(r.Records), span(r))
	if !r.Complete {
		b.WriteString("INCOMPLETE: the numbers cover only what was read\n")
	}
	fmt.Fprintf(&b, "  %s\n\n", oneLine(a.Reason))
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
	fmt.Fprintf(&b, "  worst partition   %s;  one generator for all %s", advise.Human(a.WorstMs), optionalMs(a.GlobalMs))
	if c := r.Confluent; c != nil {
		fmt.Fprintf(&b, ";  Confluent's default %s to %s", advise.Human(c.MinMs), advise.Human(c.MaxMs))
	}
	b.WriteString("\n")
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
	if rule := transportRule(r); rule != "" {
		fmt.Fprintf(&b, "  %-46s %s\n", "", rule)
	}
	fmt.Fprintf(&b, "\n  disorder   p50 %s  p99 %s  p99.9 %s  largest seen %s\n", advise.Human(r.Disorder.P50), advise.Human(r.Disorder.P99), advise.Human(r.Disorder.P999), advise.Human(r.Disorder.Max))
	if t := r.Transport; t != nil {
		fmt.Fprintf(&b, "  transport  p50 %s  p99 %s  p99.9 %s  (how old records are on arrival: no delay changes it)\n", advise.Human(t.P50), advise.Human(t.P99), advise.Human(t.P999))
	}
	if s := r.Sampling; s != nil {
		fmt.Fprintf(&b, "  read       %s\n", printable(s.String()))
	}
	if spark := hourSpark(r); spark != "" {
		fmt.Fprintf(&b, "  p99.9 by hour  %s\n", spark)
	}
	if strip := partitionStrip(r); strip != "" {
		fmt.Fprintf(&b, "  by partition   %s\n", strip)
	}
	fmt.Fprintf(&b, "\nwhy not the transport delay?\n  %s\n", oneLine(r.Review.WhyNotTransport))
	fmt.Fprintf(&b, "what would change the answer\n%s", bullets(r.Review.WouldChange))
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "\n%s: %s. [%s %s]\n", strings.ToUpper(f.Severity), oneLine(f.Summary), f.Code, f.Cause)
		if f.Fix != "" {
			fmt.Fprintf(&b, "  fix: %s\n", printable(f.Fix))
		}
	}
	fmt.Fprintf(&b, "\nDataStream:\n%s\nSQL:\n%s\n", indented(r.Code.DataStream), indented(r.Code.SQL))
	fmt.Fprintf(&b, "\nnot seen:\n%snot measured:\n%sassumes:\n%s", bullets(r.NotSeen), bullets(r.NotMeasured), bullets(r.Assumptions))
	_, err := io.WriteString(w, b.String())
	return err
}

func bullets(lines []string) string {
	var b strings.Builder
	for _, s := range lines {
		fmt.Fprintf(&b, "  - %s\n", oneLine(s))
	}
	return b.String()
}
