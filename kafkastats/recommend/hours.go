package recommend

import (
	"fmt"

	"tidemark/kafkastats/measure"
	"tidemark/kafkastats/weekhours"
)

// ofHours keeps the requested hours; it is an error if no record is in them.
func (m *measuring) ofHours(all *measure.Measurement) (*measure.Measurement, error) {
	if m.Part.Hours == "" {
		return all, nil
	}
	zone, _ := m.EventTime.Location() // checked earlier
	hours, _ := weekhours.Parse(m.Part.Hours, orUTC(zone))
	kept := all.Only(hours.Has)
	m.advice.NotSeen = append(m.advice.NotSeen, fmt.Sprintf("records that arrived outside %q (%s), as asked: %d of %d", m.Part.Hours, orUTC(zone), all.Span.N-kept.Span.N, all.Span.N))
	if kept.Span.N == 0 && all.Span.N > 0 {
		return all, fmt.Errorf("none of the %d records arrived in the hours %q (%s)", all.Span.N, m.Part.Hours, orUTC(zone))
	}
	return kept, nil
}
