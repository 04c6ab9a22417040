package advise

import (
	"fmt"
	"slices"

	"tidemark/analyze/catalog"
	"tidemark/internal/units"
	"tidemark/kafkastats/hist"
	"tidemark/kafkastats/measure"
)

// groups are records of two kinds, separated by a gap in their disorder: few are in the gap, and
// the density rises again behind it. A single long tail, however heavy, only gets thinner.
type groups struct {
	left, right int64  // edges of the gap, ms
	beyond      uint64 // records of the late group: disorder > right
	first       uint64 // records of the first group: in the gap or before it
}

const (
	gapFactor = 3      // right/left of a gap, at least
	gapMs     = 60_000 // below this, waiting is cheaper than explaining
	groupMass = 1000   // at least one record in this many is in the late group
	// riseFactor is how much denser the late group must be than the gap, in records per ms,
	// beyond chance.
	riseFactor = 3
	riseLeast  = 10
)

// bin is a range of disorder (bottom to top, both included) and its records.
type bin struct {
	bottom, top int64
	n, above    uint64 // above: records beyond top
}

// findGroups returns the widest gap, by factor, that ends below a delay. The late group is at
// most half of the n records; more would not be an exception.
func findGroups(h *hist.Histogram, n uint64, below int64) (groups, bool) {
	var bins []bin // from the largest disorder down
	var sum uint64
	h.EachAbove(func(top, bottom int64, count uint64) bool {
		bins = append(bins, bin{bottom, top, count, sum})
		sum += count
		return true
	})
	bins = append(bins, bin{0, 0, 0, sum})
	best, found := groups{}, false
	// Walk from the smallest delay up; j is the furthest bin with a count beyond it that is still
	// within a fiftieth.
	j := len(bins) - 1
	for i := len(bins) - 1; i > 0; i-- {
		j = min(j, i)
		for j > 0 && bins[j].above > 0 && 50*bins[j].above >= 49*bins[i].above && bins[j-1].bottom-1 < below {
			j--
		}
		if j == i {
			continue
		}
		// bins[j] is the first bin on the other side of the gap.
		g := groups{left: bins[i].top, right: bins[j].bottom - 1, beyond: bins[j+1].above}
		wide := g.right >= gapFactor*max(1, g.left) && g.right-g.left >= gapMs
		mass := g.beyond*groupMass >= n && 2*g.beyond <= n
		if wide && mass && (!found || ratio(g.right, g.left) > ratio(best.right, best.left)) && rises(h, g) && !lattice(bins[:j+1]) {
			best, found = g, true
		}
	}
	best.first = n - best.beyond
	return best, found
}

func ratio(right, left int64) float64 { return float64(right) / float64(max(1, left)) }

// rises reports whether the records behind the gap are denser than those in it, in the best range
// that begins there.
func rises(h *hist.Histogram, g groups) bool {
	within := float64(h.Above(g.left) - g.beyond)
	width := g.right - g.left
	for w := width; w > 0 && g.right < 1<<61; w *= 2 {
		behind := float64(g.beyond-h.Above(g.right+w)) * float64(width) / float64(w)
		if behind >= riseFactor*within+riseLeast {
			return true
		}
		if h.Above(g.right+w) == 0 {
			return false
		}
	}
	return false
}

// lattice reports whether the values behind a gap are multiples of it: times with a coarse
// resolution, such as a quarter of an hour, leave gaps although there is one group.
func lattice(behind []bin) bool {
	var sum, n float64
	edge := behind[len(behind)-1].bottom
	for _, b := range behind {
		if b.bottom <= edge+edge/2 {
			sum, n = sum+float64(b.bottom+b.top)/2*float64(b.n), n+float64(b.n)
		}
	}
	step := max(1, int64(sum/max(1, n)))
	var all, on uint64
	multiples := map[int64]uint64{}
	for _, b := range behind {
		all += b.n
		middle := (b.bottom + b.top) / 2
		k := (middle + step/2) / step
		if off := middle - k*step; k > 0 && 10*max(off, -off) <= step {
			on += b.n
			multiples[k] += b.n
		}
	}
	several := 0
	for _, n := range multiples {
		if 50*n >= all {
			several++
		}
	}
	return several >= 2 && 10*on >= 9*all
}

// needFirst is the smallest delay that meets the target for the records of the first group alone.
func (g groups) needFirst(h *hist.Histogram, t Target) int64 {
	x, ok := h.SmallestWithAbove(g.beyond + t.Allowed(g.first))
	if !ok {
		return 0
	}
	return max(0, x)
}

// replayed reports whether the late group is history that was written again: it fills most of a
// few stretches of time, whereas records of devices that were offline are mixed with the others.
func (g groups) replayed(b *measure.Blocks) bool {
	var filled uint64
	stretches, last := 0, int64(-2)
	parts := b.Stretches(g.right, 1<<30)
	for _, p := range parts {
		if 2*p.Late < p.Records || p.Late == 0 {
			continue
		}
		filled += p.Late
		if at := p.FromMs / b.WidthMs(); at != last+1 {
			stretches++
			last = at
		} else {
			last = at
		}
	}
	return len(parts) > fewBlocks && 10*filled >= 8*g.beyond && stretches <= 3
}

// groupFinding reports the late group and its most likely cause.
func (s *summary) groupFinding(g groups) catalog.Finding {
	share := fmt.Sprintf("%s of records (%s) come more than %s late, few between %s and that", units.Share(float64(g.beyond)/float64(s.n)), units.Count(g.beyond), units.Duration(g.right), units.Duration(g.left))
	if g.replayed(&s.m.Blocks) {
		return finding(CauseReplay, warning, share+", all in a few stretches that hold little else: history was written again, by a replay or a backfill",
			"leave that time out (--since, --hours) and measure what is live; give a backfill a topic or a job of its own")
	}
	return finding(CauseBimodal, warning, share+": offline devices or batch uploads",
		"side output for late data, allowedLateness, or a topic of their own")
}

// knee is the smallest delay that loses hardly more than the largest one within the latency
// target; ok is false if each bit of delay saves a substantial share.
func (s *summary) knee(maxMs int64) (ms int64, ok bool) {
	late := s.late(maxMs)
	x, _ := s.total.Own.SmallestWithAbove(late + late/20)
	ms = measure.RoundUp(max(0, x))
	return ms, late > 0 && 2*ms <= maxMs
}

func hasCause(findings Findings, cause string) bool {
	return slices.ContainsFunc(findings, func(f catalog.Finding) bool { return f.Cause == cause })
}
