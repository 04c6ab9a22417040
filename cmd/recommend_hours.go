package cmd

import (
	"fmt"
	"time"

	"tidemark/kafkastats/advise"
	"tidemark/kafkastats/measure"
	"tidemark/kafkastats/weekhours"
)

// ofHours keeps the hours that --hours names; nil keeps all.
func (o recommendOptions) ofHours() (func(*measure.Measurement, *advise.Options) (*measure.Measurement, error), error) {
	if o.hours == "" {
		return func(m *measure.Measurement, _ *advise.Options) (*measure.Measurement, error) { return m, nil }, nil
	}
	zone := time.UTC
	if o.zone != "" {
		var err error
		if zone, err = time.LoadLocation(o.zone); err != nil {
			return nil, fmt.Errorf("--zone is %q; it takes a zone such as UTC, Europe/Berlin or Etc/GMT-2, which is UTC+02:00", o.zone)
		}
	}
	hours, err := weekhours.Parse(o.hours, zone)
	if err != nil {
		return nil, fmt.Errorf("--hours: %w", err)
	}
	return func(m *measure.Measurement, a *advise.Options) (*measure.Measurement, error) {
		kept := m.Only(hours.Has)
		a.NotSeen = append(a.NotSeen, fmt.Sprintf("records that arrived outside %q (%s), as asked: %d of %d", o.hours, zone, m.Span.N-kept.Span.N, m.Span.N))
		if kept.Span.N == 0 && m.Span.N > 0 {
			return m, fmt.Errorf("none of the %d records arrived in the hours %q (%s)", m.Span.N, o.hours, zone)
		}
		return kept, nil
	}, nil
}
