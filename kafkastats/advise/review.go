package advise

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tidemark/internal/units"
	"tidemark/kafkastats/measure"
)

// Review is the answer in sentences, for a design review; every number comes with its total.
type Review struct {
	Summary         string   `json:"summary"`
	Latency         string   `json:"latency"`
	WhyNotTransport string   `json:"why_not_transport"`
	NotSeen         string   `json:"not_seen"`
	Evidence        string   `json:"evidence"` // what the interval is based on; empty: no record was late
	WouldChange     []string `json:"would_change"`
}

func (s *summary) review(r Recommendation) Review {
	return Review{Summary: s.summaryText(r), Latency: s.latencyText(r), WhyNotTransport: s.transportText(r),
		NotSeen: "What was measured covers " + horizon(r) + ". Not seen: " + strings.Join(r.NotSeen, "; ") + ".", Evidence: s.evidenceText(r), WouldChange: s.wouldChange(r)}
}

// Refuses reports a verdict that no delay should be declared yet.
func (v Verdict) Refuses() bool {
	return v == Choose || v == FixTimestamps || v == NoProgress || v == LatencyInfeasible
}

func horizon(r Recommendation) string {
	text := fmt.Sprintf("%s records of %s", units.Count(r.Records), countOf(len(r.Partitions), "partition"))
	if r.Window.From == "" {
		return text + ", arrival unknown"
	}
	return text + ", " + minute(r.Window.From) + " to " + minute(r.Window.To) + " UTC (" + units.Duration(r.Window.Ms) + ")"
}

func (s *summary) summaryText(r Recommendation) string {
	a := r.Advice
	var b strings.Builder
	if r.Records == 0 {
		return "Nothing was measured: no record with a usable event time was read."
	}
	if a.Verdict.Refuses() {
		fmt.Fprintf(&b, "No delay is recommended: %s. On %s alone, without that being settled, %s would be the smallest for %s.", a.Reason, horizon(r), units.Exact(a.DataStreamMs), s.targetText())
		return b.String()
	}
	sql := s.o.Column + " as it is"
	if a.RoundedSQLMs > 0 {
		sql = s.o.Column + " - " + units.Interval(a.RoundedSQLMs)
	}
	fmt.Fprintf(&b, "Watermark delay %s: DataStream forBoundedOutOfOrderness(%s), SQL %s. ", units.Exact(a.RoundedMs), units.Java(a.RoundedMs), sql)
	fmt.Fprintf(&b, "At %s, %s of %s records would have been late (%s; 95 %% CI %s to %s, ", units.Exact(a.RoundedMs), units.Count(a.Late.Records), units.Count(r.Records), units.Share(a.Late.Fraction), units.Share(a.Late.CI95[0]), units.Share(a.Late.CI95[1]))
	if a.Late.Independent {
		b.WriteString("assuming the records are independent)")
	} else {
		fmt.Fprintf(&b, "%s in %s)", countOf(a.Late.Episodes, "separate episode"), countOf(a.Late.Partitions, "partition"))
	}
	b.WriteString(", measured over " + horizon(r) + ".")
	if a.Dropped != nil {
		fmt.Fprintf(&b, " In %s windows %s of them would have been dropped (%s)", units.Exact(a.WindowMs), units.Count(a.Dropped.Records), units.Share(a.Dropped.Fraction))
		if a.DropsOnlyMs != nil && *a.DropsOnlyMs < a.DataStreamMs {
			fmt.Fprintf(&b, "; if only drops count, %s is enough", units.Exact(*a.DropsOnlyMs))
		}
		b.WriteString(".")
	}
	if a.Verdict != Fits {
		fmt.Fprintf(&b, " The verdict is \"%s\": %s.", a.Verdict.Words(), a.Reason)
	}
	return b.String()
}

func (s *summary) targetText() string {
	if s.o.ByDrops {
		return "at most " + units.Share(s.o.Target.Fraction()) + " dropped"
	}
	return "at most " + units.Share(s.o.Target.Fraction()) + " late"
}

func (s *summary) latencyText(r Recommendation) string {
	l := r.Latency
	if l == nil {
		return "The latency of results is unknown: no arrival time independent of the event time was read."
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Results appear %s (delay) + %s (how long the slowest partition takes to pass a window's end, p99) + %s (watermark interval)", units.Exact(l.DelayMs), units.Duration(l.FrontierP99Ms), units.Exact(l.EmitMs))
	if l.ProcessingMs > 0 {
		fmt.Fprintf(&b, " + %s (processing, as given)", units.Exact(l.ProcessingMs))
	}
	total := l.DelayMs + l.FrontierP99Ms + l.EmitMs + l.ProcessingMs
	fmt.Fprintf(&b, " = %s after a window's end.", units.Duration(total))
	switch sla := r.Advice.SLAMs; {
	case sla == 0:
		b.WriteString(" No latency target was given (--sla).")
	case total <= sla:
		fmt.Fprintf(&b, " The target of %s is met.", units.Exact(sla))
	default:
		fmt.Fprintf(&b, " The target of %s is missed by %s.", units.Exact(sla), units.Duration(total-sla))
	}
	return b.String()
}

// transportText answers a common question: why not a percentile of how old records are.
func (s *summary) transportText(r Recommendation) string {
	if s.n == 0 && s.total.Future > 0 {
		return "Nothing was measured: every record is stamped in the future and was kept out. Fix the timestamps first."
	}
	if r.Transport == nil || r.Advice.TransportMs == nil {
		return "Transport delay cannot be measured from this topic: its Kafka timestamp is the event time itself, or absent. Lateness does not depend on it."
	}
	rule, d := *r.Advice.TransportMs, r.Advice.DataStreamMs
	text := fmt.Sprintf("A rule on how old records are on arrival would declare %s (%s of %s records are no older). It includes the delay that all records share, %s in the median. What makes a record late is its distance behind the newest record of its partition. ",
		units.Exact(rule), units.Share(1-s.o.Target.Fraction()), units.Count(s.total.Transport.Count()), units.Duration(max(0, r.Transport.P50)))
	switch {
	case rule > d+d/5:
		return text + fmt.Sprintf("Disorder needs %s: the rule would hold every result back %s longer than the target asks.", units.Duration(d), units.Duration(rule-d))
	case rule < d:
		return text + fmt.Sprintf("Disorder needs %s: the rule would be too short, because some records are stamped ahead of their arrival and make others late.", units.Duration(d))
	}
	return text + fmt.Sprintf("Here the two nearly agree (disorder needs %s), because records arrive soon after their event time; they differ as soon as the pipeline lags.", units.Duration(d))
}

// evidenceText says what the interval is based on.
func (s *summary) evidenceText(r Recommendation) string {
	l, st := r.Advice.Late, r.Stability
	if l.Records == 0 || l.Independent || st == nil {
		return ""
	}
	text := fmt.Sprintf("The %s late records weigh as much as %s independent ones, because late records come together (design effect %s).",
		units.Count(l.Records), units.Count(int64(math.Max(1, math.Round(float64(l.Records)/l.DesignEff)))), units.Number(math.Round(10*l.DesignEff)/10))
	text += fmt.Sprintf(" With %s the first half of the time loses %s, the second %s.", units.Exact(st.DelayMs), units.Share(st.FirstHalf), units.Share(st.SecondHalf))
	if h := st.Holdout; h != nil {
		text += fmt.Sprintf(" A delay chosen on the first 70 %% of the records, %s, loses %s of the rest.", units.Exact(h.DelayMs), units.Share(h.Late))
	}
	if !st.Trusted {
		text += " The interval cannot be trusted"
		if st.ObserveMs != nil {
			text += ": observe " + units.Duration(*st.ObserveMs) + " at least"
		}
		text += "."
	}
	return text
}

// wouldChange lists what would change the answer, most likely first.
func (s *summary) wouldChange(r Recommendation) []string {
	out := s.changeByHour(r)
	for _, p := range r.Partitions {
		if p.Outlier && len(out) < 4 {
			out = append(out, fmt.Sprintf("partition %d alone: it needs %s, %s of all records come from it", p.ID, units.Duration(p.NeedMs), units.Share(float64(p.Records)/float64(max(1, r.Records)))))
		}
	}
	if g := r.Advice.GuaranteedMs; g != nil && *g > r.Advice.DataStreamMs {
		out = append(out, fmt.Sprintf("a guarantee instead of an estimate: the upper end of the 95 %% interval stays under the target from %s on", units.Exact(measure.RoundUp(*g))))
	} else if g == nil && r.Records > 0 {
		out = append(out, "a guarantee instead of an estimate: no delay in this sample keeps the upper end of the 95 % interval under the target; measure longer")
	}
	if s.topic.Global.Count() > 0 && r.Advice.GlobalMs != nil && *r.Advice.GlobalMs > r.Advice.DataStreamMs {
		out = append(out, fmt.Sprintf("if the watermark is assigned after the source: %s", units.Exact(measure.RoundUp(*r.Advice.GlobalMs))))
	}
	if b := r.By; b != nil && len(b.Groups) > 1 && b.Groups[0].OfLate >= 0.5 && b.Groups[0].LateN > 0 && b.Groups[0].Others == 0 {
		out = append(out, fmt.Sprintf("%s %q alone: %s of all late records are its own", b.Field, b.Groups[0].Value, units.Share(b.Groups[0].OfLate)))
	}
	for _, f := range r.Findings {
		if f.Cause == CauseRateDependent || f.Cause == CauseMasked {
			out = append(out, f.Summary)
		}
	}
	if len(out) == 0 {
		out = append(out, "nothing in these records; another load, another producer, or an hour that was not seen may")
	}
	return out
}

// changeByHour lists the hours of the day that need far more than the others.
func (s *summary) changeByHour(r Recommendation) []string {
	var needs []int64
	for _, h := range r.Hours {
		if !h.Thin {
			needs = append(needs, h.NeedMs)
		}
	}
	if len(needs) < 3 {
		return nil
	}
	slices.Sort(needs)
	median := needs[(len(needs)-1)/2]
	var out []string
	low, high, bad := int64(math.MaxInt64), int64(0), 0
	for _, h := range r.Hours {
		if h.Thin {
			continue
		}
		if h.NeedMs > 3*max(median, 1000) {
			bad++
			if bad <= 3 {
				out = append(out, fmt.Sprintf("%02d:00 to %02d:00 UTC: that hour needs %s (%s of all records); at %s it loses %s of its %s records",
					h.Hour, (h.Hour+1)%24, units.Duration(h.NeedMs), units.Share(float64(h.Records)/float64(r.Records)), units.Exact(r.Advice.RoundedMs), units.Share(h.Late), units.Count(h.Records)))
			}
			continue
		}
		low, high = min(low, h.NeedMs), max(high, h.NeedMs)
	}
	between := units.Duration(low) + " to " + units.Duration(high)
	if low == high {
		between = units.Duration(low)
	}
	text := "the hour: by hour of day (UTC) the target needs " + between
	if bad > 0 {
		text += fmt.Sprintf(" except in %s", countOf(bad, "hour"))
	}
	return append([]string{text}, out...)
}
