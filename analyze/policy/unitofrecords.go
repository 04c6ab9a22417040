package policy

import (
	"strings"

	"tidemark/analyze/catalog"
	"tidemark/analyze/facts"
)

// unitOfRecords compares the unit in which a script reads its event time with the records that were measured,
// where the policy names none: event-time.unit judges it otherwise. Only the same field is compared.
func (s scope) unitOfRecords(d *Delay) {
	const code, key = "TM864", "delay.measured"
	m, measured := s.in.Measured[d.Measured]
	if s.script == nil || d.Measured == nil || !measured || m.Err != "" || m.Unit == "" || m.MixedUnits != "" {
		return
	}
	s.eachSource(code, key, d.Measured.At, func(src facts.SourceFacts, sub Subject) {
		switch {
		case src.EpochUnit == "" || lastName(src.EpochColumn) != lastName(m.Field):
		case src.EpochUnit == m.Unit:
			s.pass(code, key, d.Measured.At, sub, "%s reads %s as %s, which the records of %s carry", quote(src.Name), quote(src.EpochColumn), m.Unit, m.Source)
		default:
			s.otherUnit(key, d.Measured.At, sub, src, m.Unit, evidence(m.Source, "unit of "+m.Field, m.Unit), "the records of "+m.Source+" carry "+m.Unit)
		}
	})
}

// otherUnit fails a table that reads a number in another unit than it has.
func (s scope) otherUnit(key string, at Location, sub Subject, src facts.SourceFacts, unit string, shows []catalog.Evidence, has string) {
	call := map[string]string{"s": ", 0)", "ms": ", 3)", "us": " / 1000, 3)", "ns": " / 1000000, 3)"}[unit]
	s.add("TM864", key, at, sub, finish{status: Failed, confidence: catalog.Certain, evidence: shows,
		fix: catalog.Fix{
			Text: "Read the number in the unit that it has.",
			SQL:  src.Rowtime + " AS TO_TIMESTAMP_LTZ(" + src.EpochColumn + call,
		},
		message: quote(src.Name) + " reads " + quote(src.EpochColumn) + " as " + src.EpochUnit + "; " + has})
}

// lastName is the last part of a path, by dots or JSON pointers.
func lastName(path string) string { return path[strings.LastIndexAny(path, "./")+1:] }
