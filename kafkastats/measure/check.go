package measure

import (
	"fmt"

	"tidemark/kafkastats/hist"
)

// Check refuses a measurement read from a file that lacks a necessary part.
func (m *Measurement) Check() error {
	if m.Partitions == nil || m.Topic == nil || m.Steps == nil {
		return fmt.Errorf("measurement: partitions, topic or steps are missing")
	}
	if m.Blocks.Shift < finest || m.Blocks.Shift > coarsest {
		return fmt.Errorf("measurement: blocks of 2^%d s", m.Blocks.Shift)
	}
	if m.Periodic != nil {
		if err := m.Periodic.check(); err != nil {
			return fmt.Errorf("measurement: %w", err)
		}
	}
	for i, h := range m.Blocks.Own {
		if h == nil {
			return fmt.Errorf("measurement: block %d is empty", i)
		}
		if most := maxClock / m.Blocks.WidthMs(); i > most || i < -most {
			return fmt.Errorf("measurement: block %d is beyond any clock", i)
		}
	}
	for hour, t := range m.Topic {
		if t == nil || missing(t.Merged, t.MergedIdle, t.Global, t.Passage, t.Skew) {
			return fmt.Errorf("measurement: hour %d lacks a histogram", hour)
		}
	}
	for id, p := range m.Partitions {
		if id < 0 || p == nil || p.Cells == nil {
			return fmt.Errorf("measurement: partition %d is incomplete", id)
		}
		for hour, c := range p.Cells {
			if c == nil || missing(c.Own, c.Transport, c.Ahead, c.Lag, c.Gaps) {
				return fmt.Errorf("measurement: partition %d hour %d lacks a histogram", id, hour)
			}
			for w, h := range c.Windows {
				if w <= 0 || h == nil {
					return fmt.Errorf("measurement: partition %d hour %d has an impossible window %d", id, hour, w)
				}
			}
		}
	}
	return nil
}

func missing(hs ...*hist.Histogram) bool {
	for _, h := range hs {
		if h == nil {
			return true
		}
	}
	return false
}
