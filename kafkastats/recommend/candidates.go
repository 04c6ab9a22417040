package recommend

import (
	"context"
	"slices"
	"strings"

	"tidemark/internal/units"
	"tidemark/kafkastats"
	"tidemark/kafkastats/advise"
	"tidemark/kafkastats/decode"
	"tidemark/kafkastats/record"
	"tidemark/request"
)

// maxRivals is the number of other fields measured besides the chosen one: each must be decoded
// again.
const maxRivals = 4

// extractor finds the event time and prepares to read it, and other fields that may be it.
func (m *measuring) extractor(ctx context.Context, sample []record.Raw) (*decode.Extractor, decode.Options, error) {
	e, found, err := m.EventTime.Extractor(ctx, m.Given, sample)
	if found.Note != "" {
		m.Note(found.Note)
	}
	if err != nil {
		return nil, found.Options, err
	}
	m.found, m.decoded = found, found.Options
	if m.By != "" {
		field := m.By
		if m.Records.Path != "" && m.Records.Columns() {
			if field, err = column(field, sample); err != nil {
				return nil, found.Options, err
			}
		}
		if m.by, err = decode.Text(ctx, found.Options, field); err != nil {
			return nil, found.Options, request.Wrong("by", "is %q: %w", m.By, err)
		}
	}
	for i, c := range found.Candidates {
		if i == 0 || len(m.rivals) == maxRivals || c.Share < 0.5 || c.Distinct < 3 {
			continue
		}
		o := found.Options
		o.Format, o.Field, o.Delimiter = c.Format, c.Field, c.Delimiter
		if rival, err := decode.New(ctx, o); err == nil {
			m.rivals, m.rivalOf = append(m.rivals, rival), append(m.rivalOf, i)
		}
	}
	return e, found.Options, nil
}

// column is a column of a CSV file of records, in the form of decode.Text.
func column(name string, sample []record.Raw) (string, error) {
	var names []string
	for _, r := range sample {
		for _, h := range r.Headers {
			if h.Key == name {
				return "header:" + name, nil
			}
			if !slices.Contains(names, h.Key) {
				names = append(names, h.Key)
			}
		}
	}
	if len(names) == 0 {
		return "", request.Wrong("by", "is %q: the file has no column but partition, arrival, event and offset", name)
	}
	return "", request.Wrong("by", "is %q: no such column; there are %s", name, strings.Join(names, ", "))
}

// candidates are the fields that were found, with the delay that each would need.
func (m *measuring) candidates(out kafkastats.Outcome) []advise.Candidate {
	var list []advise.Candidate
	for i, c := range m.found.Candidates {
		list = append(list, advise.Candidate{Format: c.Format, Field: c.Field, Unit: string(c.Unit), Chosen: i == 0, Share: c.Share, Ahead: c.Ahead,
			Handled: c.Handled, Typed: c.Typed, Command: m.command(c)})
	}
	for k, i := range m.rivalOf {
		list[i].Measured = out.Rivals[k]
	}
	if len(m.found.Looked) > 0 {
		own := decode.Candidate{Format: decode.Timestamp}
		list = append(list, advise.Candidate{Format: decode.Timestamp, Unit: "ms", Chosen: true, Share: 1, Command: m.command(own)})
	}
	return list
}

// command is the command that measures with that candidate.
func (m *measuring) command(c decode.Candidate) string {
	words := []string{"tidemark", "recommend"}
	if m.Records.Path != "" {
		words = append(words, "--records", m.Records.Path)
	} else {
		words = append(words, m.Topic)
	}
	words = append(words, c.Flags()...)
	for i, w := range words {
		words[i] = units.Shell(w)
	}
	return strings.Join(words, " ")
}
