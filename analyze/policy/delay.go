package policy

import (
	"math/big"

	"tidemark/analyze/catalog"
	"tidemark/analyze/facts"
	"tidemark/analyze/lag"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

var (
	_ = catalog.Register(catalog.Check{
		Code: "TM850", Cause: "delay-below-measured", Title: "The delay is smaller than the measured need", Symptom: 4,
		Severity: catalog.Warning, Needs: catalog.Needs(asks("delay.covers", "delay.measured")),
		Means: "The out-of-orderness bound (in SQL the delay of the WATERMARK clause) does not cover the percentile of disorder that the policy names: more records than agreed are late.",
		Why: "Disorder is how far a record is behind the newest one of its partition. A delay covers a percentile when at most the rest of the measured records is behind by more (SQL counts one millisecond less). " +
			"A delay of a plan or of the policy is compared exactly, one that is inferred from gauges only where it is clearly on one side.",
		Fix: catalog.Fix{
			Text:       "Declare the recommended delay (tidemark recommend TOPIC), or lower the percentile in the policy and say who agreed.",
			DataStream: "WatermarkStrategy.<Order>forBoundedOutOfOrderness(Duration.ofSeconds(5))",
			SQL:        "WATERMARK FOR ts AS ts - INTERVAL '5' SECOND",
		},
	})
	_ = catalog.Register(catalog.Check{
		Code: "TM851", Cause: "delay-above-need", Title: "The delay is far above the measured need", Symptom: 3,
		Severity: catalog.Warning, Needs: catalog.Needs(asks("delay.at-most", "delay.measured")),
		Means: "Every result waits for the delay. It is a multiple of what the records need, so results are late by a constant without a record being saved.",
		Why:   "The need is the smallest delay for the percentile of delay.covers (p99.9 where the policy names none). A need below 100 ms counts as 100 ms, or no delay could be small enough for records that come in order.",
		Fix:   catalog.Fix{Text: "Lower the delay towards the recommended one (tidemark recommend TOPIC). Records that come much later belong to allowed lateness or a side output."},
	})
	_ = catalog.Register(catalog.Check{
		Code: "TM852", Cause: "delay-differs-from-declared", Title: "The delay in force is not the one the policy declares", Symptom: 3,
		Severity: catalog.Warning, Needs: catalog.Needs(asks("delay.declared"), catalog.Or(catalog.Plan, catalog.Named("moving split watermarks")).Apart()),
		Means: "The policy writes down which delay the job has; the plan or the gauges of the running job show another one.",
		Why: "The plan of a SQL job shows the delay (for a Kafka scan before 2.3). For other jobs it is inferred: the lag of a moving split's watermark minus the lag of the records read, right to about a second or a fifth. " +
			"tidemark crosscheck compares it exactly with the records (TM801).",
		Fix: catalog.Fix{Text: "Deploy the job with the declared delay, or write down the one that is meant."},
	})
	_ = catalog.Register(catalog.Check{
		Code: "TM853", Cause: "latency-sla-missed", Title: "Results come later than agreed", Symptom: 3,
		Severity: catalog.Warning, Needs: catalog.Needs(asks("delay.sla")),
		Means: "The delay plus what passes before it (age of the records on arrival, 99th percentile) is more than the latest moment agreed for a result after its window's end.",
		Why:   "A window fires when the watermark passes its end, so the delay is part of every result's latency. What passes before is measured from the records' arrival; where that says nothing, only a delay that is too large by itself can be told.",
		Fix:   catalog.Fix{Text: "Lower the delay and take late records to a side output, shorten the way to the topic, or agree on another moment."},
	})
)

// delay judges the delay in force at every source.
func (s scope) delay(d *Delay) {
	if d.Declared != nil && d.Measured != nil && s.job == nil && s.script == nil && !s.in.JobsRead {
		s.leave("TM852", "delay.declared", d.Declared.At, s.subject, "no job was read; the declared delay is compared with the measurement")
	} else if d.Declared != nil {
		s.eachSource("TM852", "delay.declared", d.Declared.At, func(src facts.SourceFacts, sub Subject) { s.declared(d.Declared, src, sub) })
	}
	m, ok := s.in.Measured[d.Measured]
	if d.Measured == nil || !ok || m.Err != "" || m.Thin != "" || s.job == nil && s.script == nil {
		return // said once per rule
	}
	for _, src := range s.sources {
		if s.unreadable() == "" && src.Used != model.UseNo {
			s.against(d, m, heldOf(src, d), s.at(src))
		}
	}
}

func (s scope) declared(want *Duration, src facts.SourceFacts, sub Subject) {
	const code, key = "TM852", "delay.declared"
	if !src.DelayKnown {
		why := "the delay in force at %s cannot be read: the plan does not show it and no split moves"
		switch {
		case s.script != nil && noWatermark(src):
			why = "%s has no WATERMARK clause, so no delay: declare one, or leave the table out of the rule"
		case s.script != nil:
			why = "the delay of %s cannot be read from its WATERMARK clause, which is not a column minus an interval"
		}
		s.skip(code, key, want.At, sub, why, quote(src.Name))
		return
	}
	diff, tolerance := src.Delay.Ms-want.Ms, src.Delay.Tolerance()
	proof := evidence(src.Name, "delay in force", src.Delay.String())
	switch {
	case src.Delay.Declared && diff == 0, !src.Delay.Declared && !src.Delay.Upper && -tolerance <= diff && diff <= tolerance:
		s.pass(code, key, want.At, sub, "the delay at %s is %s, declared is %s", quote(src.Name), src.Delay, want)
	case src.Delay.Upper && diff >= -tolerance:
		s.skip(code, key, want.At, sub, "the delay at %s is %s, which does not tell whether it is %s", quote(src.Name), src.Delay, want)
	case !src.Delay.Declared && -tolerance-src.Delay.MoreMs <= diff && diff < 0:
		s.skip(code, key, want.At, sub, "the records at %s are out of order, so the gauges show only that the delay is between %s and %s; take declared out and hold it against measured", quote(src.Name),
			units.Duration(src.Delay.Ms), units.Duration(src.Delay.Ms+src.Delay.MoreMs))
	case src.Delay.Declared:
		s.fail(code, key, want.At, sub, catalog.Certain, proof, "the delay at %s is %s; the policy declares %s", quote(src.Name), src.Delay, want)
	default:
		s.fail(code, key, want.At, sub, catalog.Likely, proof, "the delay at %s is %s; the policy declares %s", quote(src.Name), src.Delay, want)
	}
}

// noWatermark reports a table of a script without a WATERMARK clause.
func noWatermark(src facts.SourceFacts) bool { return src.Expr == "" && src.Rowtime == "" }

// held is a delay that is compared with a measurement, with how far it may be off.
type held struct {
	bound   lag.Bound
	known   bool
	sql     bool
	subject string
}

// heldOf is the delay of a source: what its plan declares, else what the policy declares (whether that
// is in force is TM852's question), else what the gauges tell.
func heldOf(src facts.SourceFacts, d *Delay) held {
	h := held{bound: src.Delay, known: src.DelayKnown, sql: src.Expr != "", subject: quote(src.Name)}
	if d.Declared != nil && !(src.DelayKnown && src.Delay.Declared) {
		h.bound, h.known = lag.Bound{Ms: d.Declared.Ms, Declared: true, Where: "the policy"}, true
	}
	return h
}

// measured judges the declared delay against the measurement, once per rule, and what is wrong with the
// measurement itself.
func (s scope) measured(d *Delay) {
	m, ok := s.in.Measured[d.Measured]
	if !ok {
		return
	}
	if !s.sound(d, m) {
		return
	}
	if d.Declared != nil {
		s.against(d, m, held{bound: lag.Bound{Ms: d.Declared.Ms, Declared: true, Where: "the policy"}, known: true, subject: "the declared strategy"}, s.subject)
	} else if !s.judgedAtSource() {
		for _, k := range []struct {
			code, key string
			on        bool
			at        Location
		}{{"TM850", "delay.covers", d.Covers != nil, d.At}, {"TM851", "delay.at-most", d.AtMost != nil, d.At}, {"TM853", "delay.sla", d.SLA != nil, d.At}} {
			if k.on {
				s.skip(k.code, k.key, k.at, s.subject, "no delay to judge: no subject of the rule was read, and delay.declared is not written down")
			}
		}
	}
}

// judgedAtSource reports that the rule's measured keys have a result at some source.
func (s scope) judgedAtSource() bool {
	for _, r := range s.run.Results {
		if (r.Code == "TM850" || r.Code == "TM851" || r.Code == "TM853") && s.rule.Delay.owns(r.Location) {
			return true
		}
	}
	return false
}

func (d *Delay) owns(l Location) bool {
	return d.Covers != nil && d.Covers.At == l || d.AtMost != nil && d.AtMost.At == l || d.SLA != nil && d.SLA.At == l
}

// against compares one delay with the measured need.
func (s scope) against(d *Delay, m Measurement, h held, sub Subject) {
	need := m.NeedMs
	if h.sql {
		need = m.NeedSQLMs
	}
	if d.Covers != nil {
		s.covers(d, m, h, need, sub)
	}
	if d.AtMost != nil {
		s.atMost(d, m, h, need, sub)
	}
	if d.SLA != nil {
		s.sla(d, m, h, sub)
	}
}

func (s scope) covers(d *Delay, m Measurement, h held, need int64, sub Subject) {
	const code, key = "TM850", "delay.covers"
	proof := append(evidence(h.subject, "delay", h.bound.String()), evidence(m.Source, d.Covers.Text+" of disorder", milliseconds(need))...)
	tolerance := h.bound.Tolerance()
	confidence := confidenceOf(h.bound)
	switch {
	case !h.known:
		s.skip(code, key, d.Covers.At, sub, "the delay in force at %s cannot be read, and delay.declared is not written down", h.subject)
	case h.bound.Ms+tolerance+h.bound.MoreMs < need:
		s.fail(code, key, d.Covers.At, sub, confidence, proof, "the delay of %s is %s; %s of %s needs %s", h.subject, h.bound, d.Covers.Text, m.Source, units.Duration(need))
	case h.bound.Upper || h.bound.Ms < need:
		s.skip(code, key, d.Covers.At, sub, "the delay of %s is %s, too near to the %s that %s needs", h.subject, h.bound, units.Duration(need), d.Covers.Text)
	default:
		s.pass(code, key, d.Covers.At, sub, "the delay of %s is %s; %s of %s needs %s", h.subject, h.bound, d.Covers.Text, m.Source, units.Duration(need))
	}
}

// leastNeedMs is the smallest need that at-most multiplies.
const leastNeedMs = 100

func (s scope) atMost(d *Delay, m Measurement, h held, need int64, sub Subject) {
	const code, key = "TM851", "delay.at-most"
	product := new(big.Rat).Mul(d.AtMost.Value, new(big.Rat).SetInt64(max(need, leastNeedMs)))
	limit, _ := product.Float64()
	most := units.Duration(int64(limit))
	proof := append(evidence(h.subject, "delay", h.bound.String()), evidence(m.Source, "need", milliseconds(need))...)
	tolerance := h.bound.Tolerance()
	switch {
	case !h.known:
		s.skip(code, key, d.AtMost.At, sub, "the delay in force at %s cannot be read, and delay.declared is not written down", h.subject)
	case !h.bound.Upper && float64(h.bound.Ms-tolerance) > limit:
		s.fail(code, key, d.AtMost.At, sub, confidenceOf(h.bound), proof, "the delay of %s is %s, above %s the need of %s, which is %s", h.subject, h.bound, d.AtMost.Text, units.Duration(need), most)
	case float64(h.bound.Ms) > limit:
		s.skip(code, key, d.AtMost.At, sub, "the delay of %s is %s, too near to %s the need, which is %s", h.subject, h.bound, d.AtMost.Text, most)
	default:
		s.pass(code, key, d.AtMost.At, sub, "the delay of %s is %s, at most %s the need of %s", h.subject, h.bound, d.AtMost.Text, units.Duration(need))
	}
}

func (s scope) sla(d *Delay, m Measurement, h held, sub Subject) {
	const code, key = "TM853", "delay.sla"
	proof := append(evidence(h.subject, "delay", h.bound.String()), evidence(m.Source, "latency before any delay, p99", milliseconds(m.SpentMs))...)
	tolerance := h.bound.Tolerance()
	latest := h.bound.Ms + m.SpentMs
	switch {
	case !h.known:
		s.skip(code, key, d.SLA.At, sub, "the delay in force at %s cannot be read, and delay.declared is not written down", h.subject)
	case !h.bound.Upper && latest-tolerance > d.SLA.Ms:
		s.fail(code, key, d.SLA.At, sub, confidenceOf(h.bound), proof, "a result of %s comes %s after its window's end (delay %s and %s before it), agreed is %s",
			h.subject, units.Duration(latest), units.Duration(h.bound.Ms), units.Duration(m.SpentMs), d.SLA)
	case !m.SpentKnown:
		s.skip(code, key, d.SLA.At, sub, "the arrival times of %s do not tell how old records are when they are read", m.Source)
	case latest > d.SLA.Ms:
		s.skip(code, key, d.SLA.At, sub, "the delay of %s is %s, too near to what %s leaves", h.subject, h.bound, d.SLA)
	default:
		s.pass(code, key, d.SLA.At, sub, "a result of %s comes %s after its window's end, agreed is %s", h.subject, units.Duration(latest), d.SLA)
	}
}

func confidenceOf(b lag.Bound) catalog.Confidence {
	if b.Declared {
		return catalog.Certain
	}
	return catalog.Likely
}
