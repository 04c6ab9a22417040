package advise

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tidemark/analyze/catalog"
	"tidemark/internal/units"
	"tidemark/kafkastats/hist"
)

// guards collects everything that would make a number misleading, most serious first.
func (s *summary) guards() Findings {
	out := Findings{}
	for _, guard := range []func() Findings{
		s.guardField, s.guardUnit, s.guardZone, s.guardFuture, s.guardProgress, s.guardUnusable, s.guardContiguity,
		s.guardTimestampType, s.guardDuplicates, s.guardShape, s.guardPartitions, s.guardSample, s.guardStability, s.guardHours,
	} {
		out = append(out, guard()...)
	}
	slices.SortStableFunc(out, func(a, b catalog.Finding) int { return b.Severity.Rank() - a.Severity.Rank() })
	return out
}

// arrivals is the transport delay of all records with an event time, quarantined ones included.
func (s *summary) arrivals() *hist.Histogram {
	all := s.total.Transport.Clone()
	all.Merge(s.total.Ahead)
	return all
}

// unitNames are the units of a number, each a thousandth of the previous one.
var unitNames = []string{"s", "ms", "us", "ns"}

// unitTold is the actual unit of numbers: if they are read in another unit, event/arrival is a
// power of a thousand.
func unitTold(readAs string, ratio float64) string {
	at := slices.Index(unitNames, readAs)
	if at < 0 {
		at = 1 // text and unknown units are in ms here
	}
	for i, name := range unitNames {
		if r := ratio / math.Pow(1000, float64(i-at)); i != at && r > 0.8 && r < 1.2 {
			return name
		}
	}
	return ""
}

// toMillis says how to convert a number to ms, by its unit.
var toMillis = map[string]string{"s": "multiply by 1000", "us": "divide by 1000", "ns": "divide by 1000000"}

func (s *summary) guardUnit() Findings {
	if len(s.o.UnitClasses) > 1 {
		var parts []string
		for _, unit := range []string{"s", "ms", "us", "ns"} {
			if n := s.o.UnitClasses[unit]; n > 0 {
				parts = append(parts, units.Count(n)+" in "+unit)
			}
		}
		return Findings{finding(CauseEpochUnit, critical, "event time comes in several units: "+strings.Join(parts, ", "),
			"convert in the producers, or by magnitude in the timestamp assigner")}
	}
	all := s.arrivals()
	middle := float64(s.m.Span.FirstArrival)/2 + float64(s.m.Span.LastArrival)/2
	if all.Count() == 0 {
		return nil
	}
	if s.m.Span.N == 0 {
		// Every record is ahead of its arrival: only the quarantined ones tell the arrival.
		middle = s.futureArrival()
	}
	if middle < 1e11 {
		return nil
	}
	event := middle - float64(all.Quantile(1, 2))
	readAs := s.o.EventTime.Unit
	if readAs == "" || readAs == "text" {
		readAs = "ms"
	}
	if unit := unitTold(readAs, event/middle); unit != "" {
		fix := "here: --unit " + unit
		if tell := toMillis[unit]; tell != "" {
			fix = tell + " before the timestamp reaches Flink; " + fix
		}
		return Findings{finding(CauseEpochUnit, critical,
			fmt.Sprintf("event time read as %s is %s in the median, records arrive %s: the unit is %s", readAs, units.Time(int64(event)), units.Time(int64(middle)), unit), fix)}
	}
	if s.o.EventTime.Detected && s.o.EventTime.Unit != "" && s.o.EventTime.Unit != "ms" {
		return Findings{finding(CauseUnitConverted, warning, "event time is in "+s.o.EventTime.Unit+" and was converted to ms here; Flink reads ms",
			s.conversion())}
	}
	return nil
}

// conversion is how to convert an event time that is not in ms for Flink.
func (s *summary) conversion() string {
	switch s.o.EventTime.Unit {
	case "s":
		return "convert in the timestamp assigner (* 1000L) or with TO_TIMESTAMP_LTZ(field, 0)"
	case "us":
		return "convert in the timestamp assigner (/ 1000L) or with TO_TIMESTAMP_LTZ(field / 1000, 3)"
	case "ns":
		return "convert in the timestamp assigner (/ 1_000_000L) or with TO_TIMESTAMP_LTZ(field / 1000000, 3)"
	}
	return "parse it in the timestamp assigner, or in SQL with TO_TIMESTAMP(field, pattern) and the zone of the producers (table.local-time-zone)"
}

func (s *summary) futureArrival() float64 {
	for _, id := range s.m.IDs() {
		for _, f := range s.m.Partitions[id].Futures {
			return float64(f.Arrival)
		}
	}
	return 0
}

const quarter = 15 * 60_000

// guardZone looks for local time read as UTC: all records, or some of them, differ by a whole
// number of quarter hours.
func (s *summary) guardZone() Findings {
	all := s.arrivals()
	if all.Count() == 0 || !s.arrivalKnown && s.total.Ahead.Count() == 0 {
		return nil
	}
	fix := "parse with the producer's zone (--zone here, TO_TIMESTAMP_LTZ or table.local-time-zone in SQL), or send epoch ms"
	if s.o.EventTime.Unit != "" && s.o.EventTime.Unit != "text" {
		fix = "fix the producer: it turns local time into epoch numbers as if it were UTC; --zone has no say over numbers, but a common shift changes no disorder: --future-tolerance 15h measures it all the same"
	}
	median := all.Quantile(1, 2)
	k := nearestQuarter(median)
	if near := median - k*quarter; k != 0 && k >= -56 && k <= 56 && near >= -120_000 && near <= 120_000 && all.Quantile(3, 4)-all.Quantile(1, 4) < 120_000 {
		if k < 0 {
			return Findings{finding(CauseZoneShift, critical, fmt.Sprintf("event times are %s ahead of arrival: local time of UTC%s read as UTC", units.Duration(-k*quarter), offset(-k)), fix)}
		}
		// A constant lag of whole quarter hours looks the same; it does not change disorder.
		return Findings{finding(CauseZoneShift, warning, fmt.Sprintf("event times are %s behind arrival, all alike: local time of UTC%s read as UTC, or a pipeline with that lag", units.Duration(k*quarter), offset(-k)), fix)}
	}
	return s.zoneOfSome(all, fix)
}

// zoneOfSome looks for a share of records that differ by a real zone offset while the others do
// not. A zone is a sharp peak; quarter-hourly uploads spread their delay evenly up to the full
// step.
func (s *summary) zoneOfSome(all *hist.Histogram, fix string) Findings {
	n := all.Count()
	near := between(all, -120_000, 120_000)
	if near*10 < n {
		return nil
	}
	for k := int64(-56); k <= 56; k++ {
		whole := k%4 == 0 || k == -14 || k == 14 || k == 22 || k == -38 || k == 23 || k == 35
		if k == 0 || !whole {
			continue
		}
		mid := k * quarter
		peak := between(all, mid-120_000, mid+120_000)
		beside := between(all, mid-quarter, mid+quarter) - peak
		if peak*200 < n || beside*5 > peak {
			continue
		}
		direction, at := "behind", -k
		if k < 0 {
			direction = "ahead"
		}
		return Findings{finding(CauseZoneShift, critical, fmt.Sprintf("%s of records are %s %s the others (%+d min): their producers send local time of UTC%s as UTC",
			units.Share(float64(peak)/float64(n)), units.Duration(max(mid, -mid)), direction, -k*15, offset(at)), fix)}
	}
	return nil
}

func between(h *hist.Histogram, lo, hi int64) uint64 { return h.Above(lo-1) - h.Above(hi) }

func nearestQuarter(ms int64) int64 {
	if ms < 0 {
		return -nearestQuarter(-ms)
	}
	return (ms + quarter/2) / quarter
}

// offset formats a number of quarter hours as +05:30.
func offset(quarters int64) string {
	sign := "+"
	if quarters < 0 {
		sign, quarters = "-", -quarters
	}
	return fmt.Sprintf("%s%02d:%02d", sign, quarters/4, quarters%4*15)
}

func (s *summary) guardFuture() Findings {
	if s.total.Future == 0 {
		return s.guardSkew()
	}
	first := ""
	for _, id := range s.m.IDs() {
		if f := s.m.Partitions[id].Futures; len(f) > 0 {
			first = fmt.Sprintf(" (first: partition %d offset %d, event time %s)", f[0].Partition, f[0].Offset, units.Time(f[0].Event))
			break
		}
	}
	fix := "withTimestampAssigner((e, kafkaTs) -> e.ts > kafkaTs + 300000L ? kafkaTs : e.ts), or filter them before the watermark generator; Flink has no clamp of its own"
	if s.n == 0 {
		fix = "fix the unit or the zone first: where every record is ahead, a clamp would throw event time away"
	}
	return append(Findings{finding(CauseFuture, critical,
		fmt.Sprintf("%s of %s records %s stamped in the future%s; each would make what follows late until real time catches up; kept out of the running maximum here",
			units.Count(s.total.Future), units.Count(s.total.Future+s.n), isOrAre(s.total.Future), first),
		fix)}, s.guardSkew()...)
}

func isOrAre(n uint64) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// guardSkew reports clocks that are ahead by less than the quarantine limit.
func (s *summary) guardSkew() Findings {
	if !s.arrivalKnown {
		return nil
	}
	n := s.total.Transport.Count()
	ahead := n - s.total.Transport.Above(-101)
	if ahead == 0 {
		return nil
	}
	return Findings{finding(CauseClockSkew, warning,
		fmt.Sprintf("%s of %s records are stamped more than 100 ms after they arrived, by up to %s: producer clocks run ahead, which makes every other producer late by that much", units.Count(ahead), units.Count(n), units.Duration(-s.total.Transport.Min())),
		"synchronise the producers' clocks, or clamp to the Kafka timestamp in the timestamp assigner")}
}
