package advise

import (
	"fmt"
	"math"

	"tidemark/analyze/catalog"
	"tidemark/internal/units"
	"tidemark/kafkastats/measure"
)

// Stability says whether the late share at the smallest delay for the target can be expected to
// hold after the sample, and how it developed. Null without a late record.
type Stability struct {
	DelayMs    int64   `json:"delay_ms"`
	Trusted    bool    `json:"trusted"`
	Shape      string  `json:"shape,omitempty"` // trend, last-tenth or wave, if the share changed in that way
	ObservedMs int64   `json:"observed_ms"`
	ObserveMs  *int64  `json:"observe_ms"` // how long to observe until the interval is credible; null: it is, or no length helps
	MemoryMs   int64   `json:"memory_ms"`  // period over which late records are clustered; 0: no longer than a block
	BlockMs    int64   `json:"block_ms"`
	Effective  float64 `json:"effective_late_records"` // number of independent records with the same weight as the late ones
	FirstHalf  float64 `json:"late_first_half"`
	SecondHalf float64 `json:"late_second_half"`
	Before     float64 `json:"late_before_last_tenth"`
	LastTenth  float64 `json:"late_last_tenth"`
	// Over divides the time into equal parts.
	Over    []Part   `json:"over_time"`
	Holdout *Holdout `json:"holdout"` // null: too few records for the target in the first part
}

// Part is a period of arrival time, RFC 3339 in UTC, and its records beyond the delay.
type Part struct {
	From    string  `json:"from"`
	To      string  `json:"to"`
	Records uint64  `json:"records"`
	LateN   uint64  `json:"late_records"`
	Late    float64 `json:"late"`
}

// Holdout applies a delay that was chosen on the first part of the sample to the rest.
type Holdout struct {
	Part    float64 `json:"part"` // share of the records that the delay was chosen on
	DelayMs int64   `json:"datastream_ms"`
	Records uint64  `json:"records"` // in the rest
	LateN   uint64  `json:"late_records"`
	Late    float64 `json:"late"`
}

const (
	holdoutPart = 0.7
	timeParts   = 24
	// changeScore is the size of a change over time in standard errors, and changeFactor the
	// factor between the shares, that a change needs at least.
	changeScore  = 4
	changeFactor = 1.5
	// partOfCycle is the length from which on a sample with a slow change may be a part of a
	// daily cycle.
	partOfCycle = 3 * measure.HourMs
	dayMs       = 24 * measure.HourMs
)

// stable examines the smallest delay for the target.
func (s *summary) stable() *Stability {
	d, _ := s.needs()
	b := &s.m.Blocks
	e := s.evidence(d, s.late(d)).withEpisodes(s.m, d)
	if !e.known && e.late == 0 {
		return nil
	}
	out := &Stability{DelayMs: d, Trusted: e.known && e.trusted(s.o.Target.Fraction()), ObservedMs: s.m.Span.LastArrival - s.m.Span.FirstArrival,
		MemoryMs: e.spread.MemoryMs, BlockMs: b.WidthMs(), Effective: e.effective(), Over: s.overTime(d)}
	if slow, _ := need(s.total.Own, false, widerBy*s.o.Target.Allowed(s.n)); slow < d {
		// More records are beyond a smaller delay, so they show a slow change that the counts of
		// the few do not.
		w := evidenceAt(s.m, slow, s.late(slow), s.n)
		if w.spread.Blocks >= minStretches && w.stretches() < minStretches/2 {
			out.Trusted, out.MemoryMs = false, max(out.MemoryMs, w.spread.MemoryMs)
			e.spread.Stretch = max(e.spread.Stretch, w.spread.Stretch)
		}
	}
	halves, tenths := b.Stretches(d, 2), b.Stretches(d, 10)
	if len(halves) == 2 {
		out.FirstHalf, out.SecondHalf = part(halves[:1]), part(halves[1:])
	}
	if n := len(tenths); n > 1 {
		out.Before, out.LastTenth = part(tenths[:n-1]), part(tenths[n-1:])
	}
	if change, ok := strongest(b.Changes(d)); ok && out.material(change) {
		out.Shape, out.Trusted = string(change.Shape), false
	}
	if !out.Trusted {
		out.ObserveMs = s.observe(out, e)
	}
	out.Holdout = s.holdout()
	return out
}

func part(parts []measure.Stretch) float64 {
	var late, all uint64
	for _, p := range parts {
		late, all = late+p.Late, all+p.Records
	}
	return float64(late) / float64(max(1, all))
}

func strongest(changes []measure.Change) (best measure.Change, ok bool) {
	for _, c := range changes {
		if math.Abs(c.Score) > math.Abs(best.Score) {
			best = c
		}
	}
	return best, math.Abs(best.Score) >= changeScore
}

// material reports whether the shares differ enough to matter: with many records even the
// smallest change is significant.
func (s *Stability) material(c measure.Change) bool {
	a, b := s.FirstHalf, s.SecondHalf
	switch c.Shape {
	case measure.LastTenth:
		a, b = s.Before, s.LastTenth
	case measure.Wave:
		return true
	}
	return max(a, b) >= changeFactor*min(a, b)
}

// observe is how long to observe to know better; nil if more time alone does not help.
func (s *summary) observe(st *Stability, e evidence) *int64 {
	ms := int64(float64(st.ObservedMs) * e.longer())
	switch {
	case st.ObservedMs == 0:
		return nil
	case st.ObservedMs >= partOfCycle && st.ObservedMs < 2*dayMs && st.Shape != "":
		ms = 2 * dayMs
	case st.Shape == string(measure.Trend) || st.Shape == string(measure.LastTenth):
		return nil
	}
	ms = measure.RoundUp(ms)
	return &ms
}

// holdout chooses the delay on the first part of the records and counts the late ones in the
// rest.
func (s *summary) holdout() *Holdout {
	before, after := s.m.Blocks.Split(holdoutPart)
	first, rest := before.Sum(), after.Sum()
	if rest.Count() == 0 || s.o.Target.Num > 0 && s.o.Target.Allowed(first.Count()) == 0 {
		return nil
	}
	h := &Holdout{Part: holdoutPart, Records: rest.Count()}
	h.DelayMs, _ = need(first, false, s.o.Target.Allowed(first.Count()))
	h.LateN = rest.Above(h.DelayMs)
	h.Late = float64(h.LateN) / float64(h.Records)
	return h
}

// overTime counts the late records of each part of the time at a delay.
func (s *summary) overTime(d int64) []Part {
	out := []Part{}
	for _, p := range s.m.Blocks.Stretches(d, timeParts) {
		out = append(out, Part{From: units.Time(p.FromMs), To: units.Time(p.ToMs), Records: p.Records, LateN: p.Late, Late: float64(p.Late) / float64(p.Records)})
	}
	return out
}

// guardStability reports why the interval is not credible.
func (s *summary) guardStability() Findings {
	if s.stability == nil || s.stability.Trusted {
		return nil
	}
	return Findings{s.stability.finding(s.o.Target)}
}

func (s *Stability) finding(t Target) catalog.Finding {
	at := " with a delay of " + units.Exact(s.DelayMs)
	observe := "observe longer, for example with `tidemark observe`"
	if s.ObserveMs != nil {
		observe = fmt.Sprintf("observe %s at least (now %s), for example with `tidemark observe`", units.Duration(*s.ObserveMs), units.Duration(s.ObservedMs))
	}
	cycle := s.ObservedMs >= partOfCycle && s.ObservedMs < 2*dayMs
	switch {
	case s.Shape == string(measure.LastTenth):
		return finding(CauseRegime, warning, fmt.Sprintf("The last tenth of the time is not like what came before: %s late against %s%s", units.Share(s.LastTenth), units.Share(s.Before), at),
			"find out what changed, and measure again from there on (--since): what came before does not say what comes next")
	case s.Shape != "" && cycle:
		return finding(CauseUncovered, warning, fmt.Sprintf("The late share changes slowly over the %s observed: %s in the first half, %s in the second%s. A daily cycle was not seen twice", units.Duration(s.ObservedMs), units.Share(s.FirstHalf), units.Share(s.SecondHalf), at), observe)
	case s.Shape == string(measure.Trend):
		way := "rises"
		if s.SecondHalf < s.FirstHalf {
			way = "falls"
		}
		return finding(CauseDrift, warning, fmt.Sprintf("The late share %s through the sample: %s in the first half, %s in the second%s", way, units.Share(s.FirstHalf), units.Share(s.SecondHalf), at),
			"measure the newest part alone (--since, --last), and again later, until two measurements agree: no fixed delay follows a drift")
	}
	if s.ObservedMs < fewBlocks*s.BlockMs {
		return finding(CauseBursts, warning, fmt.Sprintf("All records arrived within %s%s: whether late ones come together, and how often, cannot be seen", units.Duration(s.ObservedMs), at),
			"measure a longer stretch of time; in a file, the arrival column must hold when each record arrived, not when it was exported")
	}
	text := "Late records come in bursts"
	if s.Effective < minEffective {
		text += ": they weigh as much as " + units.Count(int64(math.Round(math.Max(1, s.Effective)))) + " independent ones" + at
	}
	if s.MemoryMs > 0 {
		text += fmt.Sprintf(", and stretches up to %s apart resemble each other", units.Duration(s.MemoryMs))
	}
	return finding(CauseBursts, warning, text+". The interval cannot be trusted", observe)
}
