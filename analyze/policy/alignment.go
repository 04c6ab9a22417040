package policy

import (
	"tidemark/analyze/catalog"
	"tidemark/analyze/facts"
	"tidemark/internal/units"
)

var (
	_ = catalog.Register(catalog.Check{
		Code: "TM860", Cause: "alignment-missing", Title: "Watermark alignment is not what the policy demands", Symptom: 5,
		Severity: catalog.Warning, Needs: catalog.Needs(asks("alignment"), catalog.Or(catalog.PlanSQL, catalog.Named("source metrics")).Apart()),
		Means: "The policy demands that sources which read a backlog are aligned (or that no source is, or which group it is in), and the job is not.",
		Why: "While a backlog is read, a split with little data runs ahead of the others; what it has read waits in the state of every window until the slowest split arrives. Alignment pauses the fast ones. " +
			"It is in force where the plan shows a group, or where the reader shows watermarkAlignmentDrift, which is registered with the first announcement.",
		Fix: catalog.Fix{
			Text:       "Put the sources into one alignment group with a drift above the idle timeout.",
			DataStream: "strategy.withWatermarkAlignment(\"orders\", Duration.ofMinutes(1), Duration.ofSeconds(1))",
			SQL:        "WITH ('scan.watermark.alignment.group' = 'orders', 'scan.watermark.alignment.max-drift' = '1 min', …)",
		},
	})
	_ = catalog.Register(catalog.Check{
		Code: "TM861", Cause: "drift-above-limit", Title: "The alignment drift is above the limit of the policy", Symptom: 5,
		Severity: catalog.Warning, Needs: catalog.Needs(asks("alignment.max-drift"), catalog.Or(catalog.PlanSQL, catalog.AlignmentDrift).Apart()),
		Means: "Sources may run further apart than agreed, and as much event time is kept in the state of windows.",
		Why:   "The drift of a plan is compared exactly. One that is inferred (the announced maximum minus the slowest member) is a range of about four seconds, and is compared only where all of it is on one side.",
		Fix:   catalog.Fix{Text: "Lower the drift, not below the idle timeout (TM502)."},
	})
)

func (s scope) alignment(a *Alignment) {
	if a.Required != nil {
		s.eachSource("TM860", "alignment.required", a.Required.At, func(src facts.SourceFacts, sub Subject) { s.aligned(a.Required, src, sub) })
	}
	if a.Group != nil {
		s.eachSource("TM860", "alignment.group", a.Group.At, func(src facts.SourceFacts, sub Subject) { s.group(a.Group, src, sub) })
	}
	if a.MaxDrift != nil {
		s.eachSource("TM861", "alignment.max-drift", a.MaxDrift.At, func(src facts.SourceFacts, sub Subject) { s.maxDrift(a.MaxDrift, src, sub) })
	}
	if a.DriftCovers != nil && a.DriftCovers.On {
		s.eachSource("TM502", "alignment.drift-at-least-idle-timeout", a.DriftCovers.At, func(src facts.SourceFacts, sub Subject) { s.driftCovers(a.DriftCovers.At, src, sub) })
	}
}

func (s scope) aligned(required *Word, src facts.SourceFacts, sub Subject) {
	const code, key = "TM860", "alignment.required"
	backlog := len(s.findings(src.Vertex.ID, "TM304")) > 0
	switch fact := src.Alignment; {
	case !fact.Known:
		s.skip(code, key, required.At, sub, "whether %s is aligned is not shown", quote(src.Name))
	case required.Text == "never" && fact.Aligned:
		s.fail(code, key, required.At, sub, catalog.Certain, nil, "%s is aligned%s; the policy says never", quote(src.Name), inGroup(fact))
	case required.Text == "never":
		s.pass(code, key, required.At, sub, "%s is not aligned", quote(src.Name))
	case fact.Aligned:
		s.pass(code, key, required.At, sub, "%s is aligned%s", quote(src.Name), inGroup(fact))
	case required.Text == "always" || backlog:
		why := ""
		if backlog {
			why = " and reads a backlog"
		}
		s.fail(code, key, required.At, sub, catalog.Certain, nil, "%s is not aligned%s", quote(src.Name), why)
	case s.unmet("TM304") != "":
		s.skip(code, key, required.At, sub, "%s is not aligned; whether it reads a backlog cannot be determined: %s", quote(src.Name), s.unmet("TM304"))
	default:
		s.leave(code, key, required.At, sub, "%s reads no backlog now", quote(src.Name))
	}
}

// unmet says why a check could not judge the job.
func (s scope) unmet(code string) string {
	if s.job == nil {
		return "no running job was read"
	}
	return s.job.Unmet[code]
}

func inGroup(a facts.AlignmentFact) string {
	if a.Group == "" {
		return ""
	}
	return " in group " + quote(a.Group)
}

func (s scope) group(want *Text, src facts.SourceFacts, sub Subject) {
	const code, key = "TM860", "alignment.group"
	switch fact := src.Alignment; {
	case !fact.Known, fact.Aligned && fact.Group == "":
		s.skip(code, key, want.At, sub, "the alignment group of %s is not shown", quote(src.Name))
	case fact.Group != want.Text:
		s.fail(code, key, want.At, sub, catalog.Certain, nil, "%s is %s; the policy names group %s", quote(src.Name), "in group "+quote(fact.Group), quote(want.Text))
	default:
		s.pass(code, key, want.At, sub, "%s is aligned in group %s", quote(src.Name), quote(fact.Group))
	}
}

func (s scope) maxDrift(most *Duration, src facts.SourceFacts, sub Subject) {
	const code, key = "TM861", "alignment.max-drift"
	fact := src.Alignment
	confidence := catalog.Certain
	if fact.DriftLowMs != fact.DriftHiMs {
		confidence = catalog.Likely
	}
	switch {
	case !fact.Known, fact.Aligned && fact.DriftHiMs == 0:
		s.skip(code, key, most.At, sub, "the alignment drift of %s is not shown", quote(src.Name))
	case !fact.Aligned:
		s.leave(code, key, most.At, sub, "%s is not aligned", quote(src.Name))
	case fact.DriftLowMs > most.Ms:
		s.fail(code, key, most.At, sub, confidence, evidence(src.Name, "alignment drift", driftText(fact)), "the alignment drift of %s is %s; the policy allows %s", quote(src.Name), driftText(fact), most)
	case fact.DriftHiMs > most.Ms:
		s.skip(code, key, most.At, sub, "the alignment drift of %s is %s, too near to the %s allowed", quote(src.Name), driftText(fact), most)
	default:
		s.pass(code, key, most.At, sub, "the alignment drift of %s is %s; the policy allows %s", quote(src.Name), driftText(fact), most)
	}
}

// driftCovers is TM502 as a demand: where triage cannot tell, it is not judged.
func (s scope) driftCovers(at Location, src facts.SourceFacts, sub Subject) {
	const code, key = "TM502", "alignment.drift-at-least-idle-timeout"
	fact, idle := src.Alignment, src.Idle
	found := s.findings(src.Vertex.ID, "TM502")
	switch {
	case src.Vertex.ID != "" && len(found) > 0:
		s.found(code, key, at, found[0], "")
	case fact.Known && !fact.Aligned:
		s.leave(code, key, at, sub, "%s is not aligned", quote(src.Name))
	case idle.State == facts.IdleUnset:
		s.leave(code, key, at, sub, "%s has no idle timeout", quote(src.Name))
	case !fact.Known || fact.DriftHiMs == 0 || idle.State != facts.IdleSet || idle.HighMs == 0:
		s.skip(code, key, at, sub, "the drift of %s is %s and its idle timeout %s", quote(src.Name), driftText(fact), idle)
	case fact.DriftHiMs < idle.LowMs:
		s.fail(code, key, at, sub, catalog.Certain, nil, "the alignment drift of %s is %s, below its idle timeout of %s", quote(src.Name), driftText(fact), idle)
	case fact.DriftLowMs < idle.HighMs:
		s.skip(code, key, at, sub, "the drift of %s is %s, too near to its idle timeout of %s", quote(src.Name), driftText(fact), idle)
	default:
		s.pass(code, key, at, sub, "the drift of %s is %s, its idle timeout %s", quote(src.Name), driftText(fact), idle)
	}
}

func driftText(a facts.AlignmentFact) string {
	switch {
	case a.DriftHiMs == 0:
		return "not shown"
	case a.DriftLowMs == a.DriftHiMs:
		return units.Duration(a.DriftHiMs)
	}
	return units.Duration(a.DriftLowMs) + " to " + units.Duration(a.DriftHiMs)
}
