package measure

import "slices"

// slotMs is the resolution in which exceedances are remembered.
const slotMs = 10_000

// Slots remembers the worst disorder of each 10 s of arrival time of one partition, so that the
// separate episodes beyond any delay can be counted afterwards.
type Slots map[int64]Worst

// Worst is the largest disorder of a slot and the arrival of the record that had it.
type Worst struct {
	Disorder int64 `json:"d"`
	At       int64 `json:"at"`
}

func (s Slots) add(slot int64, w Worst) {
	if old, ok := s[slot]; !ok || w.Disorder > old.Disorder || w.Disorder == old.Disorder && w.At < old.At {
		s[slot] = w
	}
}

// Merge keeps the worst of both per slot.
func (s Slots) Merge(o Slots) {
	for slot, w := range o {
		s.add(slot, w)
	}
}

// Episodes counts the maximal runs of records with disorder > d whose arrivals are less than
// max(10 s, d) apart. Runs are told apart at the worst record of each 10 s.
func (s Slots) Episodes(d int64) int {
	gap := max(slotMs, d)
	// Only a few slots lie beyond a delay worth asking about: sorting all of them would take longer
	// than the rest of a recommendation.
	var beyond []int64
	for slot, w := range s {
		if w.Disorder > d {
			beyond = append(beyond, slot)
		}
	}
	slices.Sort(beyond)
	episodes, last := 0, int64(0)
	for _, slot := range beyond {
		at := s[slot].At
		if episodes == 0 || at-last >= gap {
			episodes++
		}
		last = at
	}
	return episodes
}
