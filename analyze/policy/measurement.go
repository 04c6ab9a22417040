package policy

import (
	"tidemark/analyze/catalog"
	"tidemark/internal/units"
)

var (
	_ = catalog.Register(catalog.Check{
		Code: "TM871", Cause: "measurement-missing", Title: "The measurement does not show what the policy asks of it",
		Severity: catalog.Warning, Needs: catalog.Needs(asks("delay.measured")),
		Means: "The delay is to be compared with a measurement that has too few records or wrong timestamps: no delay can be judged by it.",
		Why:   "A percentile of 99.9 needs thousands of records from several episodes; disorder of records with mixed units or from the future is not disorder. The reason is the verdict of tidemark recommend on the same input.",
		Fix:   catalog.Fix{Text: "Observe the topic for longer (tidemark observe TOPIC --profile FILE), or fix the timestamps it names."},
	})
	_ = catalog.Register(catalog.Check{
		Code: "TM872", Cause: "measurement-too-old", Title: "The measurement is older than the policy allows",
		Severity: catalog.Warning, Needs: catalog.Needs(asks("delay.measured.max-age")),
		Means: "The last record that was measured arrived longer ago than the policy's max-age: today's disorder may be different.",
		Why:   "Producers, networks and loads change; a profile that nobody renews keeps passing. The age is today's clock minus the arrival of the newest record, also for a recording.",
		Fix:   catalog.Fix{Text: "Measure again: tidemark observe TOPIC --profile FILE continues with the same file."},
	})
)

// sound judges the measurement itself; false where nothing can be compared with it.
func (s scope) sound(d *Delay, m Measurement) bool {
	at := d.Measured.At
	if m.Err != "" {
		s.skip("TM871", "delay.measured", at, s.subject, "%s could not be measured: %s", m.Source, sentence(m.Err))
		return false
	}
	if m.Thin != "" {
		s.fail("TM871", "delay.measured", at, s.subject, catalog.Certain, evidence(m.Source, "records", units.Count(m.Records)), "%s cannot tell the need: %s", m.Source, sentence(m.Thin))
		return false
	}
	s.pass("TM871", "delay.measured", at, s.subject, "%s tells the need: %s", m.Source, units.Duration(m.NeedMs))
	if a := d.Measured.MaxAge; a != nil {
		s.age(a, m)
	}
	return true
}

// aheadMs is how far the clocks of a broker and of this machine may differ.
const aheadMs = 5 * 60_000

func (s scope) age(most *Duration, m Measurement) {
	const code, key = "TM872", "delay.measured.max-age"
	if m.LastMs == 0 {
		s.skip(code, key, most.At, s.subject, "%s does not tell when its newest record arrived", m.Source)
		return
	}
	age := s.in.NowMs - m.LastMs
	if age < -aheadMs {
		s.fail(code, key, most.At, s.subject, catalog.Certain, evidence(m.Source, "newest arrival", units.Time(m.LastMs)),
			"the newest record of %s arrived %s after now: its clock or this one is wrong, so its age cannot be determined", m.Source, units.Duration(-age))
		return
	}
	if age > most.Ms {
		s.fail(code, key, most.At, s.subject, catalog.Certain, evidence(m.Source, "newest arrival", units.Time(m.LastMs)),
			"the newest record of %s arrived %s ago; the policy allows %s", m.Source, units.Duration(age), most)
		return
	}
	s.pass(code, key, most.At, s.subject, "the newest record of %s arrived %s ago; the policy allows %s", m.Source, units.Duration(age), most)
}
