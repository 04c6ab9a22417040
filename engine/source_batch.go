package engine

import "fmt"

// Records is Record for a batch read at one clock value, as a reader's fetch returns it: times[i]
// belongs to splits[i]. It stops at the first record that fails and returns its error.
func (s *Source) Records(splits []int32, times []int64) error {
	if len(splits) != len(times) {
		return fmt.Errorf("batch of %d splits and %d event times", len(splits), len(times))
	}
	all := s.hot
	for i, split := range splits {
		if uint(split) < uint(len(all)) {
			if h := &all[split]; h.fast {
				h.active = true
				if v := times[i] - h.before; v > h.max {
					h.max = v
				}
				continue
			}
		}
		if err := s.record(int(split), times[i]); err != nil {
			return fmt.Errorf("record %d of the batch: %w", i, err)
		}
	}
	return nil
}
