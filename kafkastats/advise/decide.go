package advise

import (
	"fmt"

	"tidemark/analyze/model"
	"tidemark/internal/units"
	"tidemark/kafkastats/measure"
)

// situation is everything that the verdict depends on.
type situation struct {
	choose     string // why it is not known which field is the event time; empty: it is
	fixFirst   string // a finding that makes every delay meaningless; empty: none
	refuse     string // why disorder cannot be known from these records; empty: it can
	noProgress bool
	needMs     int64
	late       evidence
	distrust   string // why the interval of the late share cannot be trusted; empty: it can
	target     float64
	slaMs      int64 // 0: none
	spentMs    int64 // latency before any delay
	spentKnown bool
	groups     groups
	two        bool    // there are two groups
	firstMs    int64   // what the first group needs
	kneeMs     *int64  // a delay within the latency target that loses hardly more than the largest one; nil: none
	cycles     float64 // observed cycles of the slowest known one; negative: not asked
}

// judge applies the decision rule. recommended is the delay to declare before rounding; maxMs is
// the largest delay that the latency target allows.
func judge(s situation) (v Verdict, recommended, maxMs int64, reason string) {
	recommended, maxMs = s.needMs, s.slaMs-s.spentMs
	affordable := s.slaMs == 0 || !s.spentKnown || s.needMs <= maxMs
	switch {
	case s.choose != "":
		return Choose, recommended, maxMs, s.choose
	case s.fixFirst != "":
		return FixTimestamps, recommended, maxMs, s.fixFirst
	case s.noProgress:
		return NoProgress, recommended, maxMs, "event time does not advance: windows would never fire, whatever the delay"
	case s.refuse != "":
		return InsufficientEvidence, recommended, maxMs, s.refuse
	case s.slaMs > 0 && s.spentKnown && maxMs < 0:
		return LatencyInfeasible, recommended, maxMs, fmt.Sprintf("records are already %s behind before any delay, the latency target is %s: no delay can help",
			units.Duration(s.spentMs), units.Exact(s.slaMs))
	case s.two && (s.slaMs == 0 || !affordable) && (maxMs >= s.firstMs || s.slaMs == 0 || !s.spentKnown):
		return WrongKnob, s.firstMs, maxMs, fmt.Sprintf("%s of %s records form a late group, more than %s behind: no delay below that reaches them. Without them %s keeps the target; send the group to a side output or raise the allowed lateness",
			units.Count(s.groups.beyond), units.Count(s.late.n), units.Duration(s.groups.right), units.Duration(s.firstMs))
	case s.late.n < RecordsNeeded(s.target) && s.target > 0 || s.distrust != "" || s.cycles >= 0 && s.cycles < 2:
		return InsufficientEvidence, recommended, maxMs, thinReason(s)
	case !affordable && s.kneeMs != nil:
		return SLABound, *s.kneeMs, maxMs, fmt.Sprintf("the target needs more than the %s the latency target leaves; %s loses hardly more and is recommended", units.Duration(maxMs), units.Duration(*s.kneeMs))
	case !affordable:
		return SLABound, maxMs, maxMs, fmt.Sprintf("the target needs more than the %s the latency target leaves", units.Duration(maxMs))
	case s.slaMs > 0 && s.spentKnown:
		return Fits, recommended, maxMs, keepsTarget(s.slaMs, maxMs-s.needMs)
	}
	return Fits, recommended, maxMs, "no latency target was given"
}

func thinReason(s situation) string {
	if need := RecordsNeeded(s.target); s.target > 0 && s.late.n < need {
		return fmt.Sprintf("%s records cannot show a share below %s: at least %s are needed", units.Count(s.late.n), units.Share(s.target), units.Count(need))
	}
	if s.cycles >= 0 && s.cycles < 2 {
		return units.Number(s.cycles) + " of the 2 cycles needed were observed"
	}
	return s.distrust
}

// needs is the smallest delay that meets the target on this sample, before rounding.
func (s *summary) needs() (dataStream, sql int64) {
	k := s.o.Target.Allowed(s.n)
	if s.o.WindowMs > 0 && s.o.ByDrops {
		drops := s.needDrops(k)
		return drops, drops + 1
	}
	return need(s.disorder(), s.total.Ties > 0, k)
}

func (s *summary) decide(findings Findings, partitions []Partition) Advice {
	k := s.o.Target.Allowed(s.n)
	a := Advice{SLAMs: s.o.SLAMs, WindowMs: s.o.WindowMs, TransportMs: s.transportRule()}
	a.DataStreamMs, a.SQLMs = s.needs()
	if s.o.WindowMs > 0 {
		drops := s.needDrops(k)
		a.DropsOnlyMs = &drops
	}
	if s.topic.Global.Count() > 0 || s.n == 0 {
		ds, _ := need(s.topic.Global, false, k)
		a.GlobalMs = &ds
	} else if len(s.m.Partitions) == 1 {
		a.GlobalMs = &a.DataStreamMs
	}
	for _, p := range partitions {
		a.WorstMs = max(a.WorstMs, p.NeedMs)
	}
	a.GuaranteedMs = s.guaranteed()
	sit := situation{needMs: a.DataStreamMs, target: s.o.Target.Fraction(), slaMs: s.o.SLAMs, cycles: -1}
	sit.late = s.evidence(a.DataStreamMs, s.late(a.DataStreamMs))
	if s.stability != nil && !s.stability.Trusted {
		sit.distrust = s.stability.finding(s.o.Target).Summary
	}
	sit.spentMs, sit.spentKnown = s.spent()
	if sit.groups, sit.two = findGroups(s.total.Own, s.n, a.DataStreamMs); sit.two {
		sit.firstMs = sit.groups.needFirst(s.total.Own, s.o.Target)
	}
	if left := s.o.SLAMs - sit.spentMs; s.o.SLAMs > 0 && sit.spentKnown && left > 0 && a.DataStreamMs > left {
		if ms, ok := s.knee(left); ok {
			sit.kneeMs = &ms
		}
	}
	sit.choose = s.contest()
	sit.noProgress = hasCause(findings, CauseNoProgress)
	for _, f := range findings {
		switch {
		case f.Severity != critical:
		case f.Cause == CauseNotContiguous || f.Cause == CauseCompacted:
			sit.refuse = f.Summary
		case f.Cause != CauseNoProgress && sit.fixFirst == "":
			sit.fixFirst = f.Summary
		}
	}
	if s.o.CycleMs > 0 {
		sit.cycles = float64(s.m.Span.LastArrival-s.m.Span.FirstArrival) / float64(s.o.CycleMs)
	}
	verdict, recommended, maxMs, reason := judge(sit)
	a.Verdict, a.Reason = verdict, reason
	if s.o.SLAMs > 0 && sit.spentKnown {
		a.MaxByMs = &maxMs
	}
	s.finish(&a, recommended)
	if a.Verdict == Fits && a.MaxByMs != nil {
		a.Reason = keepsTarget(s.o.SLAMs, maxMs-a.RoundedMs)
	}
	return a
}

// keepsTarget says when results come, given the leftMs that remain of the latency target.
func keepsTarget(slaMs, leftMs int64) string {
	return fmt.Sprintf("results come %s (p99) after the window's end; the latency target of %s is met", units.Duration(slaMs-leftMs), units.Exact(slaMs))
}

// finish rounds the delay and computes every share again at the rounded delay.
func (s *summary) finish(a *Advice, recommended int64) {
	switch {
	case a.Verdict == SLABound: // a knee is already rounded
		a.RoundedMs = measure.RoundDown(recommended)
		a.RoundedSQLMs = a.RoundedMs
	case recommended != a.DataStreamMs:
		a.RoundedMs, a.RoundedSQLMs = measure.RoundUp(recommended), measure.RoundUp(recommended+1)
	default:
		a.RoundedMs, a.RoundedSQLMs = measure.RoundUp(a.DataStreamMs), measure.RoundUp(a.SQLMs)
	}
	if a.Verdict == Fits && a.MaxByMs != nil && a.RoundedMs > *a.MaxByMs {
		// Rounding must not exceed the latency target.
		a.RoundedMs, a.RoundedSQLMs = a.DataStreamMs, a.SQLMs
	}
	a.PersonMs = person(a.RoundedMs)
	if a.Verdict == SLABound || a.MaxByMs != nil && a.PersonMs > *a.MaxByMs {
		a.PersonMs = a.RoundedMs // the next larger one would miss the latency target
	}
	a.PersonLate = float64(s.late(a.PersonMs)) / float64(max(1, s.n))
	late := s.evidence(a.RoundedMs, s.late(a.RoundedMs)).withEpisodes(s.m, a.RoundedMs)
	a.Late = late.share()
	if s.o.WindowMs > 0 && s.n > 0 {
		dropped := s.dropped(a.RoundedMs)
		late.late = uint64(dropped + 0.5) // as clustered as the late records they belong to
		share := late.share()
		share.Fraction = dropped / float64(s.n)
		a.Dropped = &share
	}
	if spent, ok := s.spent(); ok {
		latency := spent + a.RoundedMs
		a.LatencyP99Ms = &latency
	}
	if h := s.topic.Merged; h.Count() > 0 && s.n > 0 {
		today := float64(h.Above(a.RoundedMs)) / float64(s.n)
		a.MergedLate = &today
	}
	if s.total.Future > 0 {
		asIs := float64(s.total.DisorderAsIs().Above(a.RoundedMs)) / float64(s.n+s.total.Future)
		a.AsIsLate = &asIs
	}
	a.AsDeployed = s.emission(a.RoundedMs)
	a.IdleTimeoutMs = s.idleTimeout()
	if s.m.IdleMs > 0 {
		woken := s.late(a.RoundedMs) - min(s.late(a.RoundedMs), s.lateOwn(a.RoundedMs))
		a.IdleLate = &woken
	}
	if h := s.topic.Skew; h.Count() > 0 && len(s.m.Partitions) > 1 {
		a.AlignDriftMs = measure.RoundUp(max(1000, 2*h.Quantile(99, 100)))
	}
}

// spent is the 99th percentile of result latency at delay 0: the time until the slowest partition
// passes a window's end, plus one emission interval and the given processing time.
func (s *summary) spent() (int64, bool) {
	if !s.arrivalKnown || s.topic.Passage.Count() == 0 {
		return 0, false
	}
	return s.topic.Passage.Quantile(99, 100) + s.o.EmitMs + s.o.ProcessingMs, true
}

// idleTimeout is the given one, else one above the normal pauses: the 99.99th percentile of the
// gaps of the partition with the longest ones. 0: no partition was silent for longer, so there is
// no reason for a timeout.
func (s *summary) idleTimeout() int64 {
	if s.m.IdleMs > 0 {
		return s.m.IdleMs
	}
	var usual, longest int64
	for _, id := range s.m.IDs() {
		gaps := s.m.Partitions[id].Total().Gaps
		usual, longest = max(usual, gaps.Quantile(9999, 10_000)), max(longest, gaps.Max())
	}
	if ms := model.IdleTimeoutFor(usual); s.total.Gaps.Count() > 0 && len(s.m.Partitions) > 1 && longest > ms {
		return ms
	}
	return 0
}
