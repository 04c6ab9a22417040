package policy

import (
	"tidemark/analyze/catalog"
	"tidemark/analyze/facts"
)

var (
	_ = catalog.Register(catalog.Check{
		Code: "TM854", Cause: "idle-timeout-missing", Title: "A source has no idle timeout, and the policy demands one", Symptom: 1,
		Severity: catalog.Warning, Needs: catalog.Needs(asks("idleness"), catalog.Or(catalog.PlanSQL, catalog.Named("split idle times (2.1+)"), catalog.Named("a silent split")).Apart()),
		Means: "A partition without records, or one input of a join or union, would stop event time for everything downstream, and no timeout would release it.",
		Why: "The plan of a SQL scan shows the timeout or its absence. REST shows nothing of a DataStream strategy: a split that has been idle proves a timeout, a silent split that still holds event time disproves it. " +
			"Where neither is seen the demand counts as not judged, never as kept.",
		Fix: catalog.Fix{
			Text:       "Set a timeout longer than the longest ordinary silence of a partition (tidemark recommend states one), or write idleness: excused with the reason.",
			DataStream: "strategy.withIdleness(Duration.ofMinutes(1))",
			SQL:        "SET 'table.exec.source.idle-timeout' = '60 s'",
		},
	})
	_ = catalog.Register(catalog.Check{
		Code: "TM855", Cause: "idle-timeout-out-of-range", Title: "The idle timeout is outside of what the policy allows", Symptom: 1,
		Severity: catalog.Warning, Needs: catalog.Needs(asks("idleness.min", "idleness.max"), catalog.Or(catalog.PlanSQL, catalog.Named("split idle times (2.1+)")).Apart()),
		Means: "Too short a timeout declares busy partitions idle, and their records late when they come; too long a one lets a quiet partition stop results for as long.",
		Why:   "The timeout of a plan is compared exactly. One that is inferred from a silent split (its silence minus the time it has been idle) is a range of about six seconds, and is compared only where all of it is on one side.",
		Fix:   catalog.Fix{Text: "Set the timeout between the longest ordinary silence of a partition and the longest wait that is acceptable."},
	})
)

// silentCodes are findings of a split, subtask or input that holds event time without a timeout.
var silentCodes = []string{"TM102", "TM103", "TM104", "TM105"}

func (s scope) idleness(i *Idleness) {
	const code = "TM854"
	if i.Excused != nil {
		s.excused(i)
		return
	}
	if i.Required != nil && i.Required.On || i.Min != nil || i.Max != nil {
		at := i.At
		if i.Required != nil {
			at = i.Required.At
		}
		s.eachSource(code, "idleness.required", at, func(src facts.SourceFacts, sub Subject) { s.idleTimeout(at, src, sub) })
	}
	if i.Min != nil || i.Max != nil {
		s.eachSource("TM855", "idleness", i.At, func(src facts.SourceFacts, sub Subject) { s.idleRange(i, src, sub) })
	}
}

// excused is a decision that was written down; it is refuted by a silence that holds event time.
func (s scope) excused(i *Idleness) {
	const code, key = "TM854", "idleness.excused"
	if s.unreadable() != "" {
		s.pass(code, key, i.Excused.At, s.subject, "no idle timeout is demanded: %s", sentence(i.Excused.Text))
		return
	}
	for _, src := range s.sources {
		if held := s.findings(src.Vertex.ID, silentCodes...); len(held) > 0 && src.Vertex.ID != "" {
			f := held[0]
			f.Summary = "excused (" + sentence(i.Excused.Text) + "), but " + f.Summary
			s.found(code, key, i.Excused.At, f, f.Severity)
			continue
		}
		s.pass(code, key, i.Excused.At, s.at(src), "no idle timeout is demanded of %s: %s", quote(src.Name), sentence(i.Excused.Text))
	}
}

func (s scope) idleTimeout(at Location, src facts.SourceFacts, sub Subject) {
	const code, key = "TM854", "idleness.required"
	held := s.findings(src.Vertex.ID, silentCodes...)
	switch {
	case src.Idle.State == facts.IdleSet:
		s.pass(code, key, at, sub, "%s has an idle timeout of %s: %s", quote(src.Name), src.Idle, src.Idle.How)
	case src.Vertex.ID != "" && len(held) > 0:
		s.found(code, key, at, held[0], held[0].Severity)
	case s.script != nil && noWatermark(src):
		s.leave(code, key, at, sub, "%s has no WATERMARK clause, so no partition of it can hold event time back", quote(src.Name))
	case src.Idle.State == facts.IdleUnset:
		s.fail(code, key, at, sub, catalog.Certain, evidence(src.Name, "idle timeout", "none"), "%s has no idle timeout: %s", quote(src.Name), src.Idle.How)
	default:
		s.skip(code, key, at, sub, "REST does not show the idle timeout of %s and no split has been idle; excuse it with a reason, or let a test partition fall silent", quote(src.Name))
	}
}

func (s scope) idleRange(i *Idleness, src facts.SourceFacts, sub Subject) {
	const code, key = "TM855", "idleness"
	proof := evidence(src.Name, "idle timeout", src.Idle.String())
	confidence := catalog.Certain
	if src.Idle.LowMs != src.Idle.HighMs {
		confidence = catalog.Likely
	}
	switch idle := src.Idle; {
	case idle.State == facts.IdleUnset:
		s.leave(code, key, i.At, sub, "%s has no idle timeout", quote(src.Name))
	case idle.State == facts.IdleUnknown || idle.HighMs == 0:
		s.skip(code, key, i.At, sub, "REST does not show how long the idle timeout of %s is: take min and max out, or hold them against the SQL script (--sql)", quote(src.Name))
	case i.Min != nil && idle.HighMs < i.Min.Ms:
		s.fail(code, key, i.Min.At, sub, confidence, proof, "the idle timeout of %s is %s, below the %s allowed", quote(src.Name), idle, i.Min)
	case i.Max != nil && idle.LowMs > i.Max.Ms:
		s.fail(code, key, i.Max.At, sub, confidence, proof, "the idle timeout of %s is %s, above the %s allowed", quote(src.Name), idle, i.Max)
	case i.Min != nil && idle.LowMs < i.Min.Ms, i.Max != nil && idle.HighMs > i.Max.Ms:
		s.skip(code, key, i.At, sub, "the idle timeout of %s is %s, which does not tell on which side of the range it is", quote(src.Name), idle)
	default:
		s.pass(code, key, i.At, sub, "the idle timeout of %s is %s", quote(src.Name), idle)
	}
}
