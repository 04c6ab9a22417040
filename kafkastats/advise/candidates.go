package advise

import (
	"fmt"
	"strings"

	"tidemark/internal/units"
	"tidemark/kafkastats/measure"
)

// Candidate is a field that may be the event time. Times and durations are ms.
type Candidate struct {
	Format  string  `json:"format"`
	Field   string  `json:"field"`
	Unit    string  `json:"unit"` // empty: text
	Chosen  bool    `json:"chosen"`
	Share   float64 `json:"in_records"`         // share of the first records that have it
	Ahead   float64 `json:"ahead"`              // share that is more than 5 min ahead of the Kafka timestamp
	Typed   bool    `json:"by_schema"`          // the schema says that it is a time
	Handled bool    `json:"stamped_on_the_way"` // its envelope or name says that a system set it while handling the record
	NeedMs  *int64  `json:"datastream_ms"`      // smallest delay for the target; null: not measured
	AgeMs   *int64  `json:"median_age_ms"`      // arrival minus event time; null: not measured, or arrival is unknown
	Command string  `json:"command"`            // command that measures with this field

	Measured *measure.Rival `json:"-"` // nil: not measured, or chosen
}

// candidates adds the delay that each field would need.
func (s *summary) candidates() []Candidate {
	for i := range s.o.Candidates {
		c := &s.o.Candidates[i]
		own, age, n := s.total.Own, s.total.Transport, s.n
		if !c.Chosen {
			if c.Measured == nil {
				continue
			}
			own, age, n = &c.Measured.Own, &c.Measured.Age, c.Measured.Records
		}
		if n == 0 {
			continue
		}
		d, _ := need(own, false, s.o.Target.Allowed(n))
		c.NeedMs = &d
		if age.Count() > 0 {
			median := age.Quantile(1, 2)
			c.AgeMs = &median
		}
	}
	return s.o.Candidates
}

// rivals are the candidates that can be the event time of this stream. The maximum of a birthday,
// or of the last day of an offer, stands still or runs ahead.
func (s *summary) rivals() []Candidate {
	span := s.m.Span.LastArrival - s.m.Span.FirstArrival
	var out []Candidate
	for _, c := range s.o.Candidates {
		if c.NeedMs != nil && (c.Chosen || c.Ahead < 0.5 && (span <= 0 || *c.NeedMs <= span)) {
			out = append(out, c)
		}
	}
	return out
}

// contest says why it is not known which field is the event time; empty: it is known, or it does
// not matter.
func (s *summary) contest() string {
	if looked := s.o.EventTime.Looked; len(looked) > 0 {
		more := ""
		if len(looked) > 3 {
			more = fmt.Sprintf(" and %d more", len(looked)-3)
		}
		return fmt.Sprintf("no field reads as an event time: %s%s. The Kafka timestamp was measured instead: give --format timestamp if that is intended, or name a field", strings.Join(looked[:min(3, len(looked))], "; "), more)
	}
	if s.o.EventTime.Envelope != "" {
		return ""
	}
	list := s.rivals()
	if len(list) < 2 {
		return ""
	}
	low, high := list[0], list[0]
	for _, c := range list {
		if *c.NeedMs < *low.NeedMs {
			low = c
		}
		if *c.NeedMs > *high.NeedMs {
			high = c
		}
	}
	// A smaller difference changes no decision: one of two fields may be truncated to whole
	// seconds.
	if *high.NeedMs-*low.NeedMs <= max(1000, *high.NeedMs/4) {
		return ""
	}
	return fmt.Sprintf("%d fields read as times and need different delays: %s %s, %s %s. Which of them says when the event happened?", len(list),
		low.name(), units.Exact(*low.NeedMs), high.name(), units.Exact(*high.NeedMs))
}

func (c Candidate) name() string {
	if c.Field == "" {
		return c.Format
	}
	return c.Field
}

// guardField lists the commands if the user must choose the field.
func (s *summary) guardField() Findings {
	why := s.contest()
	if why == "" {
		return nil
	}
	var commands []string
	list := s.rivals()
	if len(list) == 0 {
		list = s.o.Candidates
	}
	for _, c := range list {
		commands = append(commands, c.Command)
	}
	return Findings{finding(CauseField, warning, why, "choose: "+strings.Join(commands, "  or  "))}
}
