package measure

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// slotMs is the finest resolution at which late records are remembered.
const slotMs = 10_000

// maxSlots limits what is remembered of one partition: a profile grows for weeks.
const maxSlots = 4096

// Slots remembers the largest disorder in each stretch of arrival time of one partition, so that
// the separate episodes beyond any delay can be counted afterwards. A stretch is 10 s; if there
// are too many, it is the smallest multiple by a power of two that needs no more than maxSlots,
// so it depends only on the records and not on the order of merging. Wider stretches count fewer
// episodes.
type Slots struct {
	Shift uint // a slot is 2^Shift times 10 s
	Worst map[int64]Worst
}

// Worst is the largest disorder of a slot and the arrival of the record that had it.
type Worst struct {
	Disorder int64
	At       int64
}

// add adds a record by its slot number of 10 s.
func (s *Slots) add(slot int64, w Worst) {
	if s.Worst == nil {
		s.Worst = map[int64]Worst{}
	}
	s.put(slot>>s.Shift, w)
	for len(s.Worst) > maxSlots {
		s.widen(s.Shift + 1)
	}
}

func (s *Slots) put(slot int64, w Worst) {
	if old, ok := s.Worst[slot]; !ok || w.Disorder > old.Disorder || w.Disorder == old.Disorder && w.At < old.At {
		s.Worst[slot] = w
	}
}

func (s *Slots) widen(shift uint) {
	narrow, by := s.Worst, shift-s.Shift
	s.Worst, s.Shift = make(map[int64]Worst, len(narrow)), shift
	for slot, w := range narrow {
		s.put(slot>>by, w)
	}
}

// Merge keeps the worst of both per slot.
func (s *Slots) Merge(o Slots) {
	if o.Shift > s.Shift {
		s.widen(o.Shift)
	}
	for slot, w := range o.Worst {
		s.add(slot<<o.Shift, w)
	}
}

// Episodes counts the maximal runs of records with disorder > d whose arrivals are less than
// max(10 s, d) apart. Runs are separated at the worst record of each slot.
func (s *Slots) Episodes(d int64) int {
	gap := max(slotMs, d)
	// Only a few slots are beyond a relevant delay: sorting all of them would take longer than
	// the rest of a recommendation.
	var beyond []int64
	for slot, w := range s.Worst {
		if w.Disorder > d {
			beyond = append(beyond, slot)
		}
	}
	slices.Sort(beyond)
	episodes, last := 0, int64(0)
	for _, slot := range beyond {
		at := s.Worst[slot].At
		if episodes == 0 || at-last >= gap {
			episodes++
		}
		last = at
	}
	return episodes
}

type slotsWire struct {
	Shift uint    `json:"shift"`
	Worst []int64 `json:"worst"` // slot (the first absolute, then differences), disorder, arrival after the slot's start
}

// MarshalJSON writes the slots in rising order.
func (s Slots) MarshalJSON() ([]byte, error) {
	w, last := slotsWire{Shift: s.Shift, Worst: make([]int64, 0, 3*len(s.Worst))}, int64(0)
	for _, slot := range slices.Sorted(maps.Keys(s.Worst)) {
		x := s.Worst[slot]
		w.Worst = append(w.Worst, slot-last, x.Disorder, x.At-slot<<s.Shift*slotMs)
		last = slot
	}
	return json.Marshal(w)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (s *Slots) UnmarshalJSON(b []byte) error {
	var w slotsWire
	if err := json.Unmarshal(b, &w); err != nil {
		return fmt.Errorf("episodes: %w", err)
	}
	if len(w.Worst)%3 != 0 || len(w.Worst) > 3*maxSlots || w.Shift > 40 {
		return fmt.Errorf("episodes: %d numbers, %d at most, three a slot of 2^%d", len(w.Worst), 3*maxSlots, w.Shift)
	}
	out := Slots{Shift: w.Shift, Worst: make(map[int64]Worst, len(w.Worst)/3)}
	slot := int64(0)
	for i := 0; i < len(w.Worst); i += 3 {
		step, disorder, after := w.Worst[i], w.Worst[i+1], w.Worst[i+2]
		width := int64(slotMs) << w.Shift
		if i > 0 && step <= 0 || disorder <= 0 || after < 0 || after >= width || step > maxClock/width || step < -maxClock/width {
			return fmt.Errorf("episodes: impossible slot %d with disorder %d", step, disorder)
		}
		slot += step
		out.Worst[slot] = Worst{disorder, slot*width + after}
	}
	*s = out
	return nil
}

// maxClock keeps the arithmetic on foreign slot numbers inside int64: about 73,000 years.
const maxClock = 1 << 51
