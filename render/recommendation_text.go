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
	fmt.Fprintf(&b, "%s: %s, %s, %s%s\n", oneLine(r.Topic), r.Advice.Verdict, plural(len(r.Partitions), "partition", "partitions"), recordsText(r), span(r))
	if !r.Complete {
		b.WriteString("INCOMPLETE: the numbers cover only what was read\n")
	}
	fmt.Fprintf(&b, "  %s\n\n", oneLine(a.Reason))
	if r.Records == 0 {
		b.WriteString("  delay to declare  none can be named: no record was measured\n")
	} else {
		adviceText(&b, r)
	}
	fmt.Fprintf(&b, "\nwhy not the transport delay?\n  %s\n", oneLine(r.Review.WhyNotTransport))
	fmt.Fprintf(&b, "what would change the answer\n%s", bullets(r.Review.WouldChange))
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "\n%s: %s. [%s %s]\n", strings.ToUpper(string(f.Severity)), oneLine(f.Summary), f.Code, f.Cause)
		if f.Fix != "" {
			fmt.Fprintf(&b, "  fix: %s\n", printable(f.Fix))
		}
	}
	fmt.Fprintf(&b, "\nDataStream:\n%s\nSQL:\n%s\n", indented(r.Code.DataStream), indented(r.Code.SQL))
	fmt.Fprintf(&b, "\nnot seen:\n%snot measured:\n%sassumes:\n%s", bullets(r.NotSeen), bullets(r.NotMeasured), bullets(r.Assumptions))
	_, err := io.WriteString(w, b.String())
	return err
}

// recordsText is how many records were measured, of how many where some were kept out.
func recordsText(r advise.Recommendation) string {
	if kept := r.Counters.Future; kept > 0 {
		return fmt.Sprintf("%s of %s records", advise.Grouped(r.Records), advise.Grouped(r.Records+kept))
	}
	return advise.Grouped(r.Records) + " records"
}

// adviceText is the delay, what it loses and costs, and the curve around it.
func adviceText(b *strings.Builder, r advise.Recommendation) {
	a := r.Advice
	fmt.Fprintf(b, "  delay to declare  %s   (smallest for %s late: DataStream %s, SQL %s)\n", advise.Human(a.RoundedMs), printable(r.TargetText), advise.Human(a.DataStreamMs), advise.Human(a.SQLMs))
	fmt.Fprintf(b, "  late at it        %s\n", lateText(r))
	if a.AsDeployed != nil {
		fmt.Fprintf(b, "  as deployed today %s\n", deployedText(*a.AsDeployed))
	}
	if a.Dropped != nil {
		fmt.Fprintf(b, "  dropped at it     %s\n", percent(a.Dropped.Fraction))
	}
	if a.DropsOnlyMs != nil {
		fmt.Fprintf(b, "  if only drops count, %s is enough\n", advise.Human(*a.DropsOnlyMs))
	}
	if a.LatencyP99Ms != nil {
		fmt.Fprintf(b, "  p99 result latency %s\n", advise.Human(*a.LatencyP99Ms))
	}
	if a.GuaranteedMs != nil {
		fmt.Fprintf(b, "  with 95 %% confidence %s\n", advise.Human(*a.GuaranteedMs))
	}
	if a.Verified != nil {
		fmt.Fprintf(b, "  replayed          %d of %d late, predicted %d%s\n", a.Verified.LateRecords, a.Verified.Records, a.Verified.Predicted, withFuture(r))
	}
	fmt.Fprintf(b, "  worst partition   %s;  one generator for all %s", advise.Human(a.WorstMs), optionalMs(a.GlobalMs))
	if c := r.Confluent; c != nil {
		fmt.Fprintf(b, ";  Confluent's default %s", advise.Human(c.MinMs))
		if c.MaxMs != c.MinMs {
			fmt.Fprintf(b, " to %s", advise.Human(c.MaxMs))
		}
	}
	b.WriteString("\n")
	if a.IdleTimeoutMs > 0 {
		fmt.Fprintf(b, "  idle timeout      %s", advise.Human(a.IdleTimeoutMs))
		if a.AlignDriftMs > 0 {
			fmt.Fprintf(b, ";  alignment drift %s", advise.Human(a.AlignDriftMs))
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(b, "\n  %-15s %-12s %-12s %-15s\n", "delay", "late", "dropped", "p99 latency")
	for _, p := range r.Curve {
		fmt.Fprintf(b, "  %-15s %-12s %-12s %-15s %s%s\n", advise.Human(p.DelayMs), percent(p.Late), optional(p.Dropped), optionalMs(p.LatencyP99), bar(p.Late), mark(p.Mark))
	}
	if rule := transportRule(r); rule != "" {
		fmt.Fprintf(b, "  %s\n", rule)
	}
	fmt.Fprintf(b, "\n  disorder   p50 %s  p99 %s  p99.9 %s  largest seen %s\n", advise.Human(r.Disorder.P50), advise.Human(r.Disorder.P99), advise.Human(r.Disorder.P999), advise.Human(r.Disorder.Max))
	if t := r.Transport; t != nil {
		fmt.Fprintf(b, "  transport  p50 %s  p99 %s  p99.9 %s  (how old records are on arrival: no delay changes it)\n", advise.Human(t.P50), advise.Human(t.P99), advise.Human(t.P999))
	}
	if s := r.Sampling; s != nil {
		fmt.Fprintf(b, "  read       %s\n", printable(s.String()))
	}
	if spark := hourSpark(r); spark != "" {
		fmt.Fprintf(b, "  p99.9 by hour  %s\n", spark)
	}
	if strip := partitionStrip(r); strip != "" {
		fmt.Fprintf(b, "  by partition   %s\n", strip)
	}
}

// withFuture says why a replay loses more than the delay alone would: it leaves nothing out.
func withFuture(r advise.Recommendation) string {
	if r.Counters.Future == 0 {
		return ""
	}
	return fmt.Sprintf(" (with %s stamped in the future, as the job reads them)", countRecords(r.Counters.Future))
}

func countRecords(n uint64) string {
	if n == 1 {
		return "the record"
	}
	return "the " + advise.Grouped(n) + " records"
}

func bullets(lines []string) string {
	var b strings.Builder
	for _, s := range lines {
		fmt.Fprintf(&b, "  - %s\n", oneLine(s))
	}
	return b.String()
}
