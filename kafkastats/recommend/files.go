package recommend

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"tidemark/kafkastats"
	"tidemark/kafkastats/advise"
	"tidemark/kafkastats/decode"
	"tidemark/kafkastats/profile"
	"tidemark/kafkastats/record"
	"tidemark/request"
)

// headBytes is how much of standard input is buffered to find the event time.
const headBytes = 1 << 22

func (m *measuring) fromRecords(ctx context.Context) (kafkastats.Outcome, error) {
	m.advice.Source = m.Records.Path
	src := m.Records.Source(nil)
	first := src
	if m.Records.Path == "-" {
		// The sample that finds the field and the measurement read the same stream.
		head := &bytes.Buffer{}
		first = m.Records.Source(io.TeeReader(io.LimitReader(m.In, headBytes), head))
		src = m.Records.Source(io.MultiReader(head, m.In))
	}
	sample, err := record.Head(decode.LookSize, func(yield func(*record.Raw) error) error { return first.Read(ctx, yield) })
	if err != nil && len(sample) == 0 {
		return kafkastats.Outcome{}, err
	}
	if w := &m.EventTime; m.Records.Columns() && (w.Format == "" || w.Format == decode.CSV && w.Field == "") {
		w.Format = decode.Raw
	}
	if m.advice.Topic == "" && len(sample) > 0 {
		m.advice.Topic = sample[0].Topic
	}
	if m.advice.Topic == "" {
		m.advice.Topic = filepath.Base(m.Records.Path) // CSV has no topic name
	}
	e, d, err := m.extractor(ctx, sample)
	if err != nil {
		return kafkastats.Outcome{}, err
	}
	part, err := m.Part.At(m.Now())
	if err != nil {
		return kafkastats.Outcome{}, err
	}
	cut := &record.Cut{Source: src, Part: part}
	out, err := kafkastats.MeasureRecords(ctx, cut, m.options(e))
	m.state(e, d)
	var mistake *request.Mistake
	switch {
	case errors.As(err, &mistake):
		return kafkastats.Outcome{}, err
	case err == nil && out.Incomplete == "" && cut.Empty() != nil:
		return kafkastats.Outcome{}, cut.Empty()
	}
	m.advice.LeftOut = cut.LeftOut()
	return out, err
}

func (m *measuring) fromProfiles() (kafkastats.Outcome, error) {
	a := &m.advice
	var all *profile.Profile
	var read []string
	for _, path := range m.Profiles {
		p, err := profile.Read(path)
		if err != nil {
			return kafkastats.Outcome{}, err
		}
		if p.Torn {
			a.NotSeen = append(a.NotSeen, "the last flush of "+path+": it was cut off")
		}
		for _, skipped := range p.Skipped {
			a.NotSeen = append(a.NotSeen, fmt.Sprintf("a flush of %s that was left out: %v", path, skipped))
		}
		read = append(read, path)
		if all == nil {
			all = p
			continue
		}
		if err := all.Merge(p); err != nil {
			return kafkastats.Outcome{}, request.Badf("%s: %w", strings.Join(read, " and "), err)
		}
	}
	k := all.Key
	a.Topic, a.Source = k.Topic, strings.Join(m.Profiles, ", ")
	a.EventTime = advise.EventTime{Field: k.Field, Format: k.Format, Unit: k.Unit, Zone: k.Zone}
	return kafkastats.Outcome{Measurement: all.Counted}, nil
}
