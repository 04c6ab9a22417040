package crosscheck

import (
	"math"
	"slices"
	"sort"

	"tidemark/analyze/model"
)

// slackMs is what may pass between the emission and the reading of two gauges of one metric dump:
// another emission, and the buffer timeout of 100 ms.
const slackMs = 100

// back is how long before its offset a split's watermark can have been made, in ms of arrivals: an
// emission interval, once more for a timer that waits for the current record, and the slack.
func (s *CrossSource) back() int64 {
	if s.OnEvent {
		return slackMs
	}
	return 2*s.IntervalMs + slackMs
}

// ahead is how much later than the offset the watermark gauge may have been read.
func (s *CrossSource) ahead() int64 {
	if s.OnEvent {
		return slackMs
	}
	return s.IntervalMs + slackMs
}

func (s *CrossSource) extra() int64 {
	if s.SQL {
		return 0
	}
	return 1
}

// infer finds the delay in force: watermark + delay + 1 (SQL: + delay) is always the event time of
// some record that was the maximum when it was read, so the candidates of several splits and samples
// have one value in common. Looked for in the emission window first, then further back, then as a
// reader that began later would have seen it.
func (s *CrossSource) infer() {
	var known []Observation
	for _, o := range s.Observed {
		if o.Watermark.IsKnown() {
			known = append(known, o)
		}
	}
	if len(known) == 0 {
		return
	}
	best := InForce{}
	for _, unit := range misreadings {
		if !s.unitFits(unit, known) {
			continue
		}
		for _, step := range []struct {
			back  int64
			later bool
		}{{s.back(), false}, {20 * s.back(), false}, {math.MaxInt64 / 4, false}, {s.back(), true}} {
			got := s.vote(known, unit, step.back, step.later)
			if better(got, best) {
				best = got
			}
			if best.Exact && best.Agree == best.Of {
				break
			}
		}
		if best.Exact && best.Agree == best.Of {
			break
		}
	}
	s.InForce = s.shifted(best)
}

// better lets a wider search or another unit win only with one value that explains more: the more
// candidates there are, the more of them agree by chance. A coarser one must explain more as well: it makes
// one value of several.
func better(a, b InForce) bool {
	switch {
	case !a.Known || !b.Known:
		return a.Known
	case a.Unit.Coarse > b.Unit.Coarse && a.Agree <= b.Agree:
		return false
	case !a.Exact:
		return false
	}
	return !b.Exact || a.Agree > b.Agree
}

func (s *CrossSource) unitFits(unit Misreading, known []Observation) bool {
	hits, of := 0, 0
	for _, o := range known {
		ms, _ := o.Watermark.Millis()
		for _, at := range o.Splits {
			d := s.Data[at.id]
			if d == nil {
				continue
			}
			if i := d.at(at.offset); i >= 0 {
				of++
				if unit.fits(d.Tail[i].Max, ms) {
					hits++
				}
			}
		}
	}
	return of > 0 && hits*2 > of
}

// vote counts, for each delay, how many observations it explains.
func (s *CrossSource) vote(known []Observation, unit Misreading, back int64, later bool) InForce {
	votes := map[int64]int{}
	got := InForce{Unit: unit, WindowMs: back, LaterStart: later, Lo: math.MinInt64, Hi: math.MaxInt64}
	hullLo, hullHi := int64(math.MaxInt64), int64(math.MinInt64)
	for _, o := range known {
		delays := s.delays(o, unit, back, later)
		if len(delays) == 0 {
			continue
		}
		got.Known = true
		got.Of++
		for _, d := range delays {
			votes[d]++
		}
		lo, hi := slices.Min(delays), slices.Max(delays)
		got.Lo, got.Hi = max(got.Lo, lo), min(got.Hi, hi)
		hullLo, hullHi = min(hullLo, lo), max(hullHi, hi)
	}
	if !got.Known {
		return got
	}
	var winners []int64
	for d, n := range votes {
		switch {
		case n > got.Agree:
			got.Agree, winners = n, []int64{d}
		case n == got.Agree:
			winners = append(winners, d)
		}
	}
	sort.Slice(winners, func(i, k int) bool { return winners[i] < winners[k] })
	got.Alternatives = len(winners)
	enough := got.Agree >= 2 && 3*got.Agree >= 2*got.Of
	switch {
	case enough || got.Of == 1 && len(winners) == 1:
		got.Lo, got.Hi = winners[0], winners[len(winners)-1]
		got.Exact = enough && len(winners) == 1
	case got.Lo > got.Hi: // no value lies in every range
		got.Lo, got.Hi = hullLo, hullHi
	}
	return got
}

// delays are the candidates of one observation, each once.
func (s *CrossSource) delays(o Observation, unit Misreading, back int64, later bool) []int64 {
	ms, _ := o.Watermark.Millis()
	seen := map[int64]bool{}
	var out []int64
	for _, at := range o.Splits {
		d := s.Data[at.id]
		if d == nil {
			continue
		}
		stretched := s.stretch(d, o, at, back)
		lo, hi, ok := d.window(at.offset, stretched, min(s.stretch(d, o, at, s.ahead()), math.MaxInt64/4))
		if !ok {
			continue
		}
		maxima := d.maxima(lo, hi)
		if later {
			maxima = d.laterMaxima(lo, hi)
		}
		for _, m := range maxima {
			if delay := unit.apply(m) - ms - s.extra(); !seen[delay] {
				seen[delay] = true
				out = append(out, delay)
			}
		}
	}
	return out
}

// stretch converts wall clock to arrival time: a reader that catches up reads minutes of arrivals in a second.
func (s *CrossSource) stretch(d *PartitionData, o Observation, at offsetOf, ms int64) int64 {
	for _, sp := range o.Subtask.Splits {
		if sp.ID == at.id {
			speed := d.speed(sp.Offset.Before, sp.Offset.Now, s.gapMs())
			if x := float64(ms) * speed; x < math.MaxInt64/4 {
				return int64(x)
			}
			return math.MaxInt64 / 4
		}
	}
	return ms
}

// gapMs is the time between the first and the last fetch observed.
func (s *CrossSource) gapMs() int64 {
	lo, hi := int64(math.MaxInt64), int64(math.MinInt64)
	for _, o := range s.Observed {
		if o.FetchedMs > 0 {
			lo, hi = min(lo, o.FetchedMs), max(hi, o.FetchedMs)
		}
	}
	if hi <= lo {
		return 0
	}
	return hi - lo
}

// shifted distinguishes a delay from a time zone: a delay is never negative, and one that differs from the declared
// delay by a multiple of 15 minutes, and by an hour or more, is a zone offset.
func (s *CrossSource) shifted(f InForce) InForce {
	if !f.Known || f.Unit.Scaled() {
		return f
	}
	fine := f.Hi - f.Lo
	if f.Unit.Coarse > 0 {
		fine = max(fine, f.Unit.Coarse)
	}
	switch {
	case s.Declared != nil && f.Agree > 0:
		shift := nearestQuarter(s.Declared.DelayMs - f.Lo)
		if abs(shift) >= 4*model.QuarterMs && abs(shift) <= model.ZoneMost*model.QuarterMs && abs(s.Declared.DelayMs-f.Lo-shift) <= fine {
			f.ShiftMs = shift
		}
	case f.Hi < -slackMs:
		f.ShiftMs = (-f.Lo + model.QuarterMs - 1) / model.QuarterMs * model.QuarterMs
	case s.Declared == nil && f.Lo >= 4*model.QuarterMs:
		f.ShiftMs = -s.shiftByRecords(f)
	}
	f.Lo, f.Hi = f.Lo+f.ShiftMs, f.Hi+f.ShiftMs
	return f
}

// shiftByRecords asks the records themselves, whose age a DataStream source shows: 0 where they are
// read as the field says.
func (s *CrossSource) shiftByRecords(f InForce) int64 {
	if s.SQL || s.Vertex.IsSQLScan() {
		return 0
	}
	lo, hi, ok := s.Vertex.EmitLag()
	if !ok || model.ZoneOf(lo) == 0 || model.ZoneOf(lo) != model.ZoneOf(hi) {
		return 0
	}
	shift := int64(model.ZoneOf(lo)) * model.QuarterMs
	for _, d := range s.Data {
		last, read := d.Last()
		if read && abs(s.Vertex.FetchedMs-last.Event) > model.QuarterMs/2 {
			return 0 // the field's own event times are that old
		}
	}
	if shift > f.Lo {
		return 0
	}
	return shift
}

func nearestQuarter(ms int64) int64 {
	return floorTo(ms+model.QuarterMs/2, model.QuarterMs)
}

func abs(x int64) int64 {
	if x < 0 {
		return -x
	}
	return x
}
