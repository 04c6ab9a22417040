package advise

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"tidemark/internal/units"
)

func (s *summary) guardProgress() Findings {
	span := s.m.Span
	if s.total.Seen() > 0 && s.n == 0 && s.total.Future == 0 {
		return Findings{finding(CauseNoProgress, critical, fmt.Sprintf("none of the %s records has a usable event time", units.Count(s.total.Seen())), "name the right field with --field")}
	}
	if s.n < 100 {
		return nil
	}
	arrival, event := span.LastArrival-span.FirstArrival, span.LastEvent-span.FirstEvent
	known := s.total.NoArrival == 0 && arrival > 0
	stuck := known && float64(event) < 0.01*float64(arrival)
	// Times in whole minutes or hours repeat and still advance.
	repeats := s.total.Ties*1000 > 999*s.n && !(s.total.NewMax >= minAdvances && (!known || 2*event >= arrival))
	if stuck || repeats {
		return Findings{finding(CauseNoProgress, critical,
			fmt.Sprintf("event time moved by %s while arrival moved by %s; %s of records repeat the running maximum", units.Duration(event), units.Duration(arrival), units.Share(float64(s.total.Ties)/float64(s.n))),
			"check the field: a constant, a date without time or a default value is no event time")}
	}
	return nil
}

// minAdvances is how often the maximum must rise for repeating times to count as coarse.
const minAdvances = 10

func (s *summary) guardUnusable() Findings {
	c := s.total.Counters
	var out Findings
	if c.Snapshot > 0 {
		out = append(out, finding(CauseSnapshot, warning,
			fmt.Sprintf("%s of %s records (%s) are rows of a snapshot, which a connector copies from the table when it starts; their times are as old as the rows, so they are not in any figure",
				units.Count(c.Snapshot), units.Count(c.Seen()), units.Share(float64(c.Snapshot)/float64(c.Seen()))),
			"a job that reads them finds them late or jumps ahead: let it start after the snapshot, or filter them (op = 'r') before the watermark"))
	}
	if c.Unusable() > 0 {
		out = append(out, finding(CauseUnusable, warning,
			fmt.Sprintf("%s of %s records are without an event time (%s absent or null, %s unreadable, %s sentinel values such as -1, 0 or Long.MIN_VALUE); they are not in any figure",
				units.Count(c.Unusable()), units.Count(c.Seen()), units.Count(c.Missing), units.Count(c.Undecodable), units.Count(c.Sentinel)),
			"SQL fails the job on a NULL rowtime; filter them or give them a timestamp before the watermark"))
	}
	if s.n >= 100 && c.OnSecond == s.n {
		out = append(out, finding(CauseSeconds, warning, "every event time is a whole second: records of one second are ties, and transport delay reads up to 999 ms too long", "declare at least INTERVAL '0.001' SECOND in SQL, or send milliseconds"))
	}
	return out
}

func (s *summary) guardContiguity() Findings {
	var jumps uint64
	for _, id := range s.m.IDs() {
		jumps += s.m.Partitions[id].Jumps
	}
	compacted := strings.Contains(s.o.Facts.CleanupPolicy, "compact")
	switch {
	case jumps == 0:
		return nil
	case compacted:
		return Findings{finding(CauseCompacted, critical,
			fmt.Sprintf("%s offsets were removed by compaction: what is left is not what a job saw, so disorder cannot be known; transport delay is only that of the remaining records", units.Count(jumps)),
			"measure the live tail (--for 10m), or the part younger than min.compaction.lag.ms")}
	case s.o.Facts.Transactions:
		return Findings{finding(CauseTransactions, info,
			fmt.Sprintf("%s offsets hold transaction markers or aborted records; under read_committed a record is visible at its commit, so real arrival is later than the Kafka timestamp says by up to one transaction", units.Count(jumps)), "")}
	}
	return Findings{finding(CauseNotContiguous, critical,
		fmt.Sprintf("%s offsets are missing between records read and nothing explains them: disorder needs every record in order", units.Count(jumps)),
		"measure a range that is still whole, or the live tail (--for 10m)")}
}

func (s *summary) guardTimestampType() Findings {
	c, with := s.total.Counters, s.total.Transport.Count()
	var out Findings
	if c.Append > 0 && c.Append < with {
		out = append(out, finding(CauseMixedTypes, warning, fmt.Sprintf("%s records carry LogAppendTime and %s CreateTime: transport delay mixes two clocks", units.Count(c.Append), units.Count(with-c.Append)), ""))
	}
	if s.total.SameAsKafka*100 > with*99 && with > 0 {
		out = append(out, finding(CauseSameAsKafka, info, "the Kafka timestamp is the event time itself: transport delay and latency cannot be measured from this topic, disorder can", "measure latency with a live tail (--for 10m) or set message.timestamp.type=LogAppendTime"))
	}
	if strings.EqualFold(s.o.EventTime.Field, "timestamp") && c.Append*2 > with {
		out = append(out, finding(CauseIngestion, warning, "event time is the broker's append time: nothing is ever late, and a record that reaches Kafka late lands in the wrong window silently", "use a timestamp the producer set"))
	}
	return out
}

func (s *summary) guardShape() Findings {
	var out Findings
	k := s.o.Target.Allowed(s.n)
	needMs, _ := need(s.total.Own, false, k)
	if g, ok := findGroups(s.total.Own, s.n, needMs); ok {
		out = append(out, s.groupFinding(g))
	}
	a := s.total.Transport
	if !s.arrivalKnown || a.Count() == 0 {
		return out
	}
	floor, tail := a.Quantile(1, 100), a.Quantile(999, 1000)
	if floor > 5000 && float64(floor) > 0.1*float64(tail) {
		out = append(out, finding(CauseBaseLag, info, fmt.Sprintf("%s of the transport delay is the same for every record: lag, not disorder; no delay changes it", units.Duration(floor)), ""))
	}
	d := s.total.Own.Quantile(999, 1000)
	if proof := tail - max(0, a.Min()); float64(proof) > 1.2*float64(max(d, 0)) && proof > 1000 {
		out = append(out, finding(CauseRateDependent, info, fmt.Sprintf("disorder depends on today's rate: with many more records per partition its p99.9 would rise from %s towards %s", units.Duration(max(d, 0)), units.Duration(proof)), ""))
	}
	return out
}

func (s *summary) guardPartitions() Findings {
	var out Findings
	for _, p := range s.partitions() {
		if p.Outlier {
			out = append(out, finding(CausePartition, warning, fmt.Sprintf("partition %d alone needs %s for the target: more than three times the median partition", p.ID, units.Duration(p.NeedMs)), "look at what its producers or keys have in common"))
		}
		if p.Records == 0 && p.Future == 0 {
			out = append(out, finding(CauseSilent, warning, fmt.Sprintf("partition %d had no usable record: without an idle timeout it holds the watermark", p.ID), "withIdleness(…), scan.watermark.idle-timeout, or a heartbeat record"))
		}
	}
	k := s.o.Target.Allowed(s.n)
	own, _ := need(s.total.Own, false, k)
	merged, _ := need(s.topic.Merged, false, k)
	if len(s.m.Partitions) > 1 && s.topic.Merged.Count() > 0 && own > 0 && merged*2 < own && s.n > 0 {
		low, at := s.slowest()
		out = append(out, finding(CauseMasked, info,
			fmt.Sprintf("while all partitions are active the slowest one protects the others: %s would do today; that ends as soon as partition %d, %s behind in the median, catches up", units.Duration(merged), low, units.Duration(at)), ""))
	}
	return out
}

// slowest is the partition with the largest median transport delay.
func (s *summary) slowest() (id int32, medianMs int64) {
	for i, candidate := range s.m.IDs() {
		if m := s.m.Partitions[candidate].Total().Transport.Quantile(1, 2); i == 0 || m > medianMs {
			id, medianMs = candidate, m
		}
	}
	return id, medianMs
}

func (s *summary) guardSample() Findings {
	var out Findings
	target := s.o.Target.Fraction()
	if needed := RecordsNeeded(target); target > 0 && s.n < needed && (s.n > 0 || s.total.Future == 0) {
		more := ""
		if span := s.m.Span.LastArrival - s.m.Span.FirstArrival; s.n > 1 && span > 0 {
			more = fmt.Sprintf(": about %s at the rate seen", units.Duration(int64(float64(span)*float64(needed)/float64(s.n))))
		}
		out = append(out, finding(CauseShort, warning, fmt.Sprintf("%s records are too few for %s: at least %s are needed%s", units.Count(s.n), units.Share(target), units.Count(needed), more), "observe longer"))
	}
	if s.o.Facts.RetentionMs > 0 && s.o.CycleMs > 0 && s.o.Facts.RetentionMs < 2*s.o.CycleMs {
		out = append(out, finding(CauseRetention, warning, fmt.Sprintf("the topic keeps %s, two cycles are %s", units.Exact(s.o.Facts.RetentionMs), units.Duration(2*s.o.CycleMs)), "collect a profile with `tidemark observe`"))
	}
	return out
}

// guardHours reports hours that need far more than the others.
func (s *summary) guardHours() Findings {
	byHour := s.m.Hours()
	needs := map[int64]int64{}
	var all []int64
	for hour, h := range byHour {
		if h.Count() < 100 {
			continue
		}
		needs[hour], _ = need(h, false, s.o.Target.Allowed(h.Count()))
		all = append(all, needs[hour])
	}
	var out Findings
	if len(all) < 3 || s.m.CountsOnly {
		return out
	}
	slices.Sort(all)
	median := all[(len(all)-1)/2]
	var bad []string
	for _, hour := range slices.Sorted(maps.Keys(needs)) {
		if needs[hour] > 3*max(median, 1000) {
			bad = append(bad, fmt.Sprintf("%s (%s)", units.Time(hour * 3_600_000)[:16], units.Duration(needs[hour])))
		}
	}
	if len(bad) > 0 {
		shown := slices.Clone(bad[:min(len(bad), 5)])
		if more := len(bad) - len(shown); more > 0 {
			shown = append(shown, fmt.Sprintf("%d more", more))
		}
		out = append(out, finding(CauseSeason, warning, fmt.Sprintf("%d of %d hours need more than three times the median hour's %s: %s", len(bad), len(all), units.Duration(median), strings.Join(shown, ", ")),
			"a static delay serves these hours badly: handle their late records separately, or pay their delay all day"))
	}
	return out
}
