package render

import (
	"fmt"
	"strings"

	"tidemark/internal/units"
	"tidemark/kafkastats/advise"
	"tidemark/render/doc"
	"tidemark/render/figure"
	"tidemark/render/safe"
	"tidemark/render/words"
)

// Recommendation is the delay to declare for a topic, what it loses and costs, and what it rests on.
func Recommendation(r advise.Recommendation) Result {
	return Result{Data: r, Document: func() *doc.Document { return recommendation(r) }}
}

func recommendation(r advise.Recommendation) *doc.Document {
	d := &doc.Document{Title: "Watermark delay", Made: r.Schema + ". Quantiles are nearest rank; shares are of usable records."}
	d.Add(doc.Heading{Level: 1, Label: verdictLabel(r.Advice.Verdict), Text: r.Topic, Lead: r.Advice.Reason},
		doc.Paragraph{Text: whatWasRead(r), Dim: true})
	if !r.Complete {
		d.Add(doc.Paragraph{Label: words.Label("incomplete"), Text: "the numbers cover only the records that were read"})
	}
	d.Add(advicePairs(r))
	figures := figure.Recommendation(r)
	d.Add(figures[:2]...) // the curve and its numbers; the others stand further below
	for _, f := range r.Findings {
		d.Add(doc.Heading{Level: 3, Label: words.Label(string(f.Severity)), Text: f.Code + " " + f.Cause, Lead: words.Sentences([]string{f.Summary}, safe.Clean) + " [" + f.Code + " " + f.Cause + "]"})
		if f.Fix.Text != "" {
			d.Add(doc.Pairs{{Name: "fix", Values: strings.Split(f.Fix.Text, "\n")}})
		}
	}
	d.Add(evidence(r)...)
	d.Add(doc.Heading{Level: 2, Text: "Why not the transport delay?"}, doc.Paragraph{Text: r.Review.WhyNotTransport})
	if rule := figure.TransportRule(r); rule != "" {
		d.Add(doc.Paragraph{Text: rule})
	}
	d.Add(part("What would change the answer", r.Review.WouldChange)...)
	d.Add(doc.Heading{Level: 2, Text: "To paste"}, doc.Code{Title: "DataStream", Language: "java", Text: r.Code.DataStream}, doc.Code{Title: "SQL", Language: "sql", Text: r.Code.SQL})
	d.Add(figures[2:]...)
	d.Add(part("Not seen", r.NotSeen)...)
	d.Add(part("Not measured", r.NotMeasured)...)
	d.Add(doc.Folded{Title: "in words", Open: true, Blocks: []doc.Block{doc.Paragraph{Text: r.Review.Summary}, doc.Paragraph{Text: r.Review.Evidence}, doc.Paragraph{Text: r.Review.Latency}, doc.Paragraph{Text: r.Review.NotSeen}}},
		doc.Folded{Title: "what this assumes", Open: true, Blocks: []doc.Block{doc.List(r.Assumptions)}},
		doc.Folded{Title: "records behind every share", Blocks: []doc.Block{countTable(r.Counters)}})
	return d
}

// part is a heading with a list; nil where the list is empty.
func part(title string, items []string) []doc.Block {
	if len(items) == 0 {
		return nil
	}
	return []doc.Block{doc.Heading{Level: 2, Text: title}, doc.List(items)}
}

func verdictLabel(v advise.Verdict) doc.Label {
	tone := doc.Warning
	switch {
	case v == advise.Fits:
		tone = doc.Healthy
	case v.Refuses():
		tone = doc.Critical
	}
	return doc.Label{Word: v.Words(), Tone: tone}
}

func whatWasRead(r advise.Recommendation) string {
	s := recordsText(r) + " in " + words.Plural(len(r.Partitions), "partition", "partitions")
	if r.Window.From != "" {
		s += ", " + r.Window.From + " to " + r.Window.To + " (" + units.Duration(r.Window.Ms) + ")"
	}
	if r.Source != "" {
		s += ", read from " + r.Source
	}
	return s
}

// recordsText is how many records were measured, and of how many where some were left out.
func recordsText(r advise.Recommendation) string {
	if kept := r.Counters.Future; kept > 0 {
		return fmt.Sprintf("%s of %s records", units.Count(r.Records), units.Count(r.Records+kept))
	}
	return units.Count(r.Records) + " records"
}

// advicePairs are the delay, how many records it loses and what it costs.
func advicePairs(r advise.Recommendation) doc.Pairs {
	if r.Records == 0 {
		return doc.Pairs{{Name: "delay to declare", Values: []string{"none can be named: no record was measured"}}}
	}
	a := r.Advice
	delay := units.Exact(a.RoundedMs)
	switch {
	case a.Verdict.Refuses():
		delay = "none; the sample alone would say " + delay
	case a.Verdict == advise.InsufficientEvidence:
		delay += ", not to be relied on yet"
	}
	p := doc.Pairs{{Name: "delay to declare", Values: []string{delay}, Strong: !a.Verdict.Refuses()}}
	add := func(name string, value string) {
		if value != "" {
			p = append(p, doc.Pair{Name: name, Values: []string{value}})
		}
	}
	if a.PersonMs != a.RoundedMs && !a.Verdict.Refuses() {
		add("a round delay", units.Exact(a.PersonMs)+", "+units.Share(a.PersonLate)+" late")
	}
	add("smallest for "+units.Share(r.TargetLate)+" late", "DataStream "+units.Exact(a.DataStreamMs)+", SQL "+units.Exact(a.SQLMs))
	add("late with this delay", lateText(r))
	if a.Dropped != nil {
		add("dropped with this delay", units.Count(a.Dropped.Records)+" ("+units.Share(a.Dropped.Fraction)+")")
	}
	add("if only drops count", human(a.DropsOnlyMs, " is enough"))
	if a.AsDeployed != nil {
		add("as deployed today", deployedText(*a.AsDeployed))
	}
	add("p99 result latency", human(a.LatencyP99Ms, ""))
	add("with 95 % confidence", human(a.GuaranteedMs, ""))
	if v := a.Verified; v != nil {
		add("replayed", fmt.Sprintf("%s of %s late, predicted %s%s", units.Count(v.LateRecords), units.Count(v.Records), units.Count(v.Predicted), withFuture(r)))
	}
	add("worst partition", units.Exact(a.WorstMs))
	add("if assigned after source", human(a.GlobalMs, ""))
	if c := r.Confluent; c != nil {
		to := ""
		if c.MaxMs != c.MinMs {
			to = " to " + units.Exact(c.MaxMs)
		}
		add("Confluent's default", units.Exact(c.MinMs)+to)
	}
	if a.IdleTimeoutMs > 0 {
		text := units.Exact(a.IdleTimeoutMs) + ", above the pauses that are usual here; it makes records late (how many: --idle-timeout)"
		if a.IdleLate != nil {
			text = units.Exact(a.IdleTimeoutMs) + ", as given: it makes " + units.Count(*a.IdleLate) + " of the late records late"
		}
		add("idle timeout", text)
	}
	if a.AlignDriftMs > 0 {
		add("alignment drift", units.Exact(a.AlignDriftMs))
	}
	add("disorder", fmt.Sprintf("p50 %s, p99 %s, p99.9 %s, largest seen %s", units.Duration(r.Disorder.P50), units.Duration(r.Disorder.P99), units.Duration(r.Disorder.P999), units.Duration(r.Disorder.Max)))
	if t := r.Transport; t != nil {
		add("transport delay", fmt.Sprintf("p50 %s, p99 %s, p99.9 %s: how old records are on arrival, which no delay changes", units.Duration(t.P50), units.Duration(t.P99), units.Duration(t.P999)))
	}
	if s := r.Sampling; s != nil {
		add("read", s.String())
	}
	return p
}

// human is a duration followed by a text, "" where the duration is unknown.
func human(ms *int64, after string) string {
	if ms == nil {
		return ""
	}
	return units.Exact(*ms) + after
}

func lateText(r advise.Recommendation) string {
	l := r.Advice.Late
	s := fmt.Sprintf("%s of %s (%s; 95 %% CI %s to %s", units.Count(l.Records), units.Count(r.Records), units.Share(l.Fraction), units.Share(l.CI95[0]), units.Share(l.CI95[1]))
	if l.Independent {
		return s + ", assuming independence)"
	}
	return s + ", " + words.Plural(l.Episodes, "episode", "episodes") + ", " + words.Plural(l.Partitions, "partition", "partitions") + ")"
}

// deployedText is the estimate for periodic watermarks; it always says what it must not be used for.
func deployedText(e advise.Emission) string {
	return fmt.Sprintf("about %s late with a watermark every %s, partitions merged (%s after every record): explains a job's counter, is no reason for a smaller delay",
		units.Share(e.Late), units.Exact(e.EmitMs), units.Share(e.OnEvent))
}

// withFuture says why a replay loses more than the delay alone would: it keeps the records stamped in the future.
func withFuture(r advise.Recommendation) string {
	switch n := r.Counters.Future; n {
	case 0:
		return ""
	case 1:
		return " (with the record stamped in the future, as the job reads it)"
	default:
		return fmt.Sprintf(" (with the %s records stamped in the future, as the job reads them)", units.Count(n))
	}
}

// countTable lists the counters behind every share; counters at zero are left out, except the denominator.
func countTable(c advise.Counters) doc.Table {
	t := doc.Table{Columns: []doc.Column{{Name: "records that were"}, {Name: "number", Number: true}}}
	for _, row := range []struct {
		name string
		n    uint64
		keep bool
	}{
		{"usable: the denominator", c.Records, true}, {"at or above everything before them (in order)", c.NewMax, true}, {"equal to the newest before them (ties: late in SQL with no delay)", c.Ties, true},
		{"read before the range, to know the newest time at its start", c.PreRoll, false}, {"stamped in the future, kept out", c.Future, true}, {"tombstones", c.Tombstone, true}, {"rows of a snapshot", c.Snapshot, true},
		{"without an event time", c.Missing, true}, {"undecodable", c.Undecodable, true}, {"with a sentinel such as -1 or 0", c.Sentinel, true},
		{"without a Kafka timestamp", c.NoArrival, false}, {"with LogAppendTime", c.Append, false}, {"with an event time equal to the Kafka timestamp", c.SameAsKafka, false},
	} {
		if row.n > 0 || row.keep {
			t.Rows = append(t.Rows, doc.Row{Cells: []doc.Cell{{Text: row.name}, {Text: units.Count(row.n), Value: fmt.Sprint(row.n)}}})
		}
	}
	return t
}
