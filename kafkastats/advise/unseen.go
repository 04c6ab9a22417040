package advise

import (
	"fmt"
	"slices"
	"strings"

	"tidemark/internal/units"
	"tidemark/kafkastats/measure"
)

func (s *summary) notSeen(r Recommendation) []string {
	out := slices.Clone(s.o.NotSeen)
	if s.o.LeftOut != nil {
		out = append(out, s.o.LeftOut.String())
	}
	if s.o.Incomplete != "" {
		out = append(out, "the rest of the range: "+s.o.Incomplete)
	}
	if r.Window.From != "" {
		out = append(out, "anything before "+r.Window.From+" and after "+r.Window.To)
		out = append(out, unseenTimes(r)...)
	}
	if p := s.o.Sampling; p != nil && p.By != "" {
		out = append(out, fmt.Sprintf("what lies between the %d segments", p.Planned))
	}
	if !s.arrivalKnown {
		out = append(out, "transport delay and result latency: no independent arrival time")
	}
	out = append(out, "records still on a device that has not reported; later records than any seen so far remain possible")
	if s.topic.Global.Count() == 0 && len(s.m.Partitions) > 1 {
		out = append(out, "how the partitions interleave: merged and one-generator disorder")
	}
	return out
}

var weekdays = [...]string{"Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays", "Sundays"}

// unseenTimes lists the weekdays and hours of the day without a record.
func unseenTimes(r Recommendation) []string {
	var days [7]bool
	var hours [24]bool
	for _, w := range r.Week {
		days[w.Day-1], hours[w.Hour] = true, true
	}
	var missing, seen []string
	for i, there := range days {
		if there {
			seen = append(seen, weekdays[i])
		} else {
			missing = append(missing, weekdays[i])
		}
	}
	var out []string
	switch {
	case len(seen) == 0:
		return nil
	case len(seen) < 3:
		out = append(out, "any day but "+strings.Join(seen, " and "))
	case len(missing) > 0:
		out = append(out, strings.Join(missing, ", "))
	}
	if gaps := hourGaps(hours); gaps != "" {
		out = append(out, "hours of the day without a record (UTC): "+gaps)
	}
	return out
}

// hourGaps formats the false hours as ranges: 02:00 to 05:00.
func hourGaps(there [24]bool) string {
	var gaps []string
	for h := 0; h < 24; h++ {
		if there[h] {
			continue
		}
		end := h
		for end < 24 && !there[end] {
			end++
		}
		gaps = append(gaps, fmt.Sprintf("%02d:00 to %02d:00", h, end))
		h = end
	}
	return strings.Join(gaps, ", ")
}

// notMeasured lists the missing statistics, each with its reason.
func (s *summary) notMeasured() []string {
	out := []string{}
	switch c := s.total.Counters; {
	case s.arrivalKnown:
	case s.n == 0 && c.Future > 0:
		out = append(out, "disorder, transport delay and result latency: every record is stamped in the future and was kept out")
	case s.n > 0 && c.NoArrival == c.Records:
		out = append(out, "transport delay, frontier lag and result latency: the records carry no arrival time")
	default:
		out = append(out, "transport delay, frontier lag and result latency: the Kafka timestamp is the event time itself; a live tail (--for 10m) or message.timestamp.type=LogAppendTime shows them")
	}
	switch {
	case s.m.CountsOnly:
		out = append(out, "episodes, hours of the day, pauses, result latency and transport delay against disorder: the job on the cluster sends counts only")
	case s.arrivalKnown && s.m.Joint.Count() == 0:
		out = append(out, "transport delay against disorder: the profile was written by a version that did not count them together")
	}
	if s.o.WindowMs == 0 {
		out = append(out, "dropped records: no window was named (--window)")
	}
	if s.o.SLAMs == 0 {
		out = append(out, "whether the delay is affordable: no latency target was named (--sla)")
	}
	if s.m.IdleMs == 0 && len(s.m.Partitions) > 1 {
		out = append(out, "records late because an idle partition woke up: no idle timeout was named (--idle-timeout)")
	}
	if s.topic.Merged.Count() == 0 && len(s.m.Partitions) > 1 {
		out = append(out, "what the slowest partition hides today: the partitions were not read side by side")
	}
	if s.o.ProcessingMs == 0 {
		out = append(out, "the time the job itself takes (--processing)")
	}
	return out
}

func (s *summary) assumptions() []string {
	placed := "the watermark is assigned in the Kafka source, per partition"
	if s.topic.Global.Count() > 0 {
		ms, _ := need(s.topic.Global, false, s.o.Target.Allowed(s.n))
		placed += fmt.Sprintf("; if the watermark is assigned after the source, %s would be needed (one_generator_ms)", units.Exact(measure.RoundUp(ms)))
	} else {
		placed += "; if the watermark is assigned after the source, more may be needed, which was not measured"
	}
	out := []string{placed}
	if s.m.IdleMs > 0 {
		out = append(out, fmt.Sprintf("idle timeout %s", units.Exact(s.m.IdleMs)))
	} else {
		out = append(out, "no idle timeout")
	}
	out = append(out, fmt.Sprintf("watermarks every %s; the late share is that of a watermark after every record, which periodic emission only lowers", units.Exact(s.o.EmitMs)))
	if !s.total.Own.Exact() {
		out = append(out, "disorder is counted in buckets of up to 1/128 of its size: the smallest delay may read up to 0.8 % too long, never too short; --exact counts every millisecond")
	}
	if f := s.o.EventTime.Field; f != "" {
		zone := "zone " + s.o.EventTime.Zone
		if s.o.EventTime.Zone == "explicit" {
			zone = "which needs no zone"
		}
		out = append(out, fmt.Sprintf("event time from %q, unit %s, %s", f, s.o.EventTime.Unit, zone))
	}
	return out
}
