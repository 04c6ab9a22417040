package policy

import (
	"regexp"
	"sync"

	"tidemark/analyze/catalog"
	"tidemark/analyze/facts"
	"tidemark/internal/units"
)

var (
	_ = catalog.Register(catalog.Check{
		Code: "TM863", Cause: "event-time-field", Title: "The event time is not read from the field the policy names", Symptom: 4,
		Severity: catalog.Warning, Needs: catalog.Needs(asks("event-time.field"), catalog.Or(catalog.Named("a measurement"), catalog.Named("a SQL plan")).Apart()),
		Means: "The measurement took its event times from another field, or the WATERMARK clause of the table is on another column.",
		Why:   "A record often carries several times (created, updated, sent). A watermark on the wrong one is right in unit and zone and still fires windows at the wrong moment. REST does not show the field that a DataStream job reads.",
		Fix:   catalog.Fix{Text: "Take the watermark from the field that says when the thing happened, or correct the policy."},
	})
	_ = catalog.Register(catalog.Check{
		Code: "TM864", Cause: "event-time-unit", Title: "The unit of the timestamps is not what the policy says", Symptom: 4,
		Severity: catalog.Critical, Needs: catalog.Needs(asks("event-time.unit"), catalog.Or(catalog.Named("a measurement"), catalog.Named("watermarks of a running job")).Apart()),
		Means: "The records carry another unit than the policy writes down, several units in one field, or the job reads them in a wrong one: nothing fires, or everything is late.",
		Why: "Records prove the unit by their magnitude. A running job proves it by its watermark: seconds read as milliseconds are in January 1970, microseconds thousands of years ahead (TM201, TM205). " +
			"A watermark within a day of the clock is the proof that the job reads the unit right; without a watermark nothing is proven.",
		Fix: catalog.Fix{
			Text:       "Convert to epoch milliseconds where the timestamp is assigned.",
			DataStream: ".withTimestampAssigner((order, t) -> order.epochSeconds() * 1000)",
			SQL:        "ts AS TO_TIMESTAMP_LTZ(epoch_seconds, 0)",
		},
	})
	_ = catalog.Register(catalog.Check{
		Code: "TM865", Cause: "event-time-zone", Title: "The zone of the timestamps is not what the policy says", Symptom: 4,
		Severity: catalog.Critical, Needs: catalog.Needs(asks("event-time.zone"), catalog.Or(catalog.Named("a measurement"), catalog.Named("watermarks of a running job")).Apart()),
		Means: "The text in the records is in another zone than the policy writes down, or the job reads it in a wrong one: results are late by a constant, or records count as late.",
		Why: "Zones are multiples of 15 minutes. A watermark that is within seven minutes of the clock, its delay set aside, cannot be off by one; one that is off by a multiple is TM203. " +
			"Old data hides the difference, so a lag in between proves nothing.",
		Fix: catalog.Fix{
			Text:       "Read the text in the zone in which it is written.",
			DataStream: "LocalDateTime.parse(text).atZone(ZoneId.of(\"Europe/Berlin\")).toInstant().toEpochMilli()",
			SQL:        "-- TIMESTAMP_LTZ with the session's zone, not TIMESTAMP\nSET 'table.local-time-zone' = 'Europe/Berlin'",
		},
	})
)

func (s scope) eventTime(e *EventTime) {
	m, measured := Measurement{}, false
	if d := s.rule.Delay; d != nil && d.Measured != nil && d.Measured.Value == nil {
		m, measured = s.in.Measured[d.Measured]
		measured = measured && m.Err == ""
	}
	if e.Field != nil {
		s.field(e.Field, m, measured)
	}
	if e.Unit != nil {
		s.unit(e.Unit, m, measured)
	}
	if e.Zone != nil {
		s.zone(e.Zone, m, measured)
	}
}

// compare compares what the records showed with the policy; false where they showed nothing.
func (s scope) compare(code, key string, at Location, what, got, want string, m Measurement) bool {
	if got == "" {
		return false
	}
	if got == want {
		s.pass(code, key, at, s.subject, "the %s of the records of %s is %s", what, m.Source, got)
	} else {
		s.fail(code, key, at, s.subject, catalog.Certain, evidence(m.Source, what, got), "the %s of the records of %s is %s; the policy says %s", what, m.Source, got, want)
	}
	return true
}

func (s scope) field(want *Text, m Measurement, measured bool) {
	const code, key = "TM863", "event-time.field"
	if measured && s.compare(code, key, want.At, "event-time field", m.Field, want.Text, m) {
		return
	}
	s.eachSource(code, key, want.At, func(src facts.SourceFacts, sub Subject) {
		mentioned := regexp.MustCompile(`(^|[^\pL\pN_$])` + regexp.QuoteMeta(want.Text) + `($|[^\pL\pN_$])`).MatchString(src.Expr)
		plain := plainColumn().FindStringSubmatch(src.Expr)
		switch {
		case src.Rowtime == want.Text:
			s.pass(code, key, want.At, sub, "the watermark of %s is on column %s", quote(src.Name), quote(want.Text))
		case src.Rowtime != "":
			s.fail(code, key, want.At, sub, catalog.Certain, evidence(src.Name, "rowtime", src.Rowtime), "the watermark of %s is on column %s; the policy says %s", quote(src.Name), quote(src.Rowtime), quote(want.Text))
		case src.Expr == "" && s.script != nil:
			s.skip(code, key, want.At, sub, "%s has no WATERMARK clause, so no event time: declare one, or leave the table out of the rule", quote(src.Name))
		case src.Expr == "":
			s.skip(code, key, want.At, sub, "REST does not show the field that %s reads; measure records or a topic (delay.measured)", quote(src.Name))
		case mentioned:
			s.pass(code, key, want.At, sub, "the watermark of %s is on %s", quote(src.Name), quote(want.Text))
		case plain != nil:
			s.fail(code, key, want.At, sub, catalog.Certain, evidence(src.Name, "watermark", src.Expr), "the watermark of %s is on %s; the policy says %s", quote(src.Name), quote(plain[1]), quote(want.Text))
		default:
			s.skip(code, key, want.At, sub, "the watermark of %s is computed, and its text does not name %s: %s", quote(src.Name), quote(want.Text), quote(src.Expr))
		}
	})
}

// plainColumn is a watermark on a column itself, with or without a delay.
var plainColumn = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("^-?\\(?`?([\\pL_$][\\pL\\pN_$]*)`?(?:(?:,| -) -?[0-9]+:INTERVAL [A-Z()0-9 ]+)?\\)?$")
})

func (s scope) unit(want *Word, m Measurement, measured bool) {
	const code, key = "TM864", "event-time.unit"
	if measured && m.MixedUnits != "" {
		s.fail(code, key, want.At, s.subject, catalog.Certain, evidence(m.Source, "units", m.MixedUnits), "the records of %s carry several units: %s; the policy says %s", m.Source, m.MixedUnits, want.Text)
		return
	}
	refuted := s.refuted(code, key, want.At, "TM201", "TM205")
	known := measured && s.compare(code, key, want.At, "unit", m.Unit, want.Text, m) || refuted
	if known && s.script == nil {
		return
	}
	s.eachSource(code, key, want.At, func(src facts.SourceFacts, sub Subject) {
		const day = 86_400_000
		switch {
		case s.job == nil && src.EpochUnit == want.Text:
			s.pass(code, key, want.At, sub, "%s reads %s as %s, which the policy says its records carry", quote(src.Name), quote(src.EpochColumn), src.EpochUnit)
		case s.job == nil && src.EpochUnit != "":
			s.otherUnit(key, want.At, sub, src, want.Text, evidence(src.Name, src.EpochColumn, src.EpochUnit), "the policy says that its records carry "+want.Text)
		case known: // by the records; the script reads no number
		case s.job == nil:
			s.skip(code, key, want.At, sub, "before it runs the script does not show the unit of the records; measure records or a topic (delay.measured)")
		case src.NewestKnown && -day < src.NewestLagMs && src.NewestLagMs < day:
			s.pass(code, key, want.At, sub, "the newest watermark of %s is %s behind the clock, so the unit is read right", quote(src.Name), units.Duration(src.NewestLagMs))
		case src.NewestKnown:
			s.skip(code, key, want.At, sub, "the newest watermark of %s is %s behind the clock, which proves no unit", quote(src.Name), units.Duration(src.NewestLagMs))
		default:
			s.skip(code, key, want.At, sub, "%s has no watermark, so no unit is proven", quote(src.Name))
		}
	})
}

func (s scope) zone(want *Text, m Measurement, measured bool) {
	const code, key = "TM865", "event-time.zone"
	refuted := s.refuted(code, key, want.At, "TM203")
	if measured && s.compare(code, key, want.At, "zone", m.Zone, want.Text, m) || refuted {
		return
	}
	s.eachSource(code, key, want.At, func(src facts.SourceFacts, sub Subject) {
		const near = 7 * 60_000
		off := src.NewestLagMs
		if src.DelayKnown && src.Delay.Declared {
			off -= src.Delay.Ms
		}
		switch {
		case s.job == nil:
			s.skip(code, key, want.At, sub, "before it runs the script does not show the zone of the records; measure records or a topic (delay.measured)")
		case src.NewestKnown && -near < off && off < near:
			s.pass(code, key, want.At, sub, "the newest watermark of %s is %s behind the clock, so the zone is read right", quote(src.Name), units.Duration(src.NewestLagMs))
		case src.NewestKnown:
			s.skip(code, key, want.At, sub, "the newest watermark of %s is %s behind the clock, which may be a zone or old data", quote(src.Name), units.Duration(src.NewestLagMs))
		default:
			s.skip(code, key, want.At, sub, "%s has no watermark, so no zone is proven", quote(src.Name))
		}
	})
}

// refuted fails a key by what triage found at the job; true where it did.
func (s scope) refuted(code, key string, at Location, codes ...string) bool {
	found := s.findings("", codes...)
	for _, f := range found {
		s.found(code, key, at, f, "")
	}
	return len(found) > 0
}
