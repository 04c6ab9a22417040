package advise

import "tidemark/kafkastats/hist"

// plateau is a stretch of delays [left, right] over which waiting longer saves almost nothing: a
// second population of records lies beyond it.
type plateau struct {
	left, right int64
	beyond      uint64 // records with disorder > right
}

const (
	plateauFactor = 3      // right/left at least this
	plateauMs     = 60_000 // shorter ones are cheaper to wait through than to explain
	plateauMass   = 1000   // at least one record in this many lies beyond
)

// findPlateau gives the widest plateau, by factor, that ends below a delay. Flat means that the
// count beyond falls by no more than a tenth.
func findPlateau(h *hist.Histogram, n uint64, below int64) (plateau, bool) {
	type step struct {
		top, bottom int64
		above       uint64 // records > top
	}
	var steps []step
	var sum uint64
	h.EachAbove(func(top, bottom int64, count uint64) bool {
		steps = append(steps, step{top, bottom, sum})
		sum += count
		return true
	})
	steps = append(steps, step{0, 0, sum})
	best, found := plateau{}, false
	// Walk from the smallest delay up; j is the furthest step whose count is still within a tenth.
	j := len(steps) - 1
	for i := len(steps) - 1; i > 0; i-- {
		j = min(j, i)
		for j > 0 && steps[j].above > 0 && 10*steps[j].above >= 9*steps[i].above && steps[j-1].bottom-1 < below {
			j--
		}
		if j == i {
			continue
		}
		// steps[j] is the first step that belongs to the other side.
		left, right, beyond := steps[i].top, steps[j].bottom-1, steps[j+1].above
		wide := right >= plateauFactor*max(1, left) && right-left >= plateauMs
		if wide && beyond*plateauMass >= n && (!found || ratio(right, left) > ratio(best.right, best.left)) {
			best, found = plateau{left, right, beyond}, true
		}
	}
	return best, found
}

func ratio(right, left int64) float64 { return float64(right) / float64(max(1, left)) }
