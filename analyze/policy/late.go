package policy

import (
	"slices"

	"tidemark/analyze/catalog"
	"tidemark/analyze/facts"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

var (
	_ = catalog.Register(catalog.Check{
		Code: "TM857", Cause: "late-above-limit", Title: "More records are dropped as late than agreed", Symptom: 4,
		Severity: catalog.Warning, Needs: catalog.Needs(asks("late.share"), catalog.TwoSamples, catalog.LateCounters),
		Means: "Between two samples an operator dropped a larger share of its input than the policy allows.",
		Why:   "The share is the rise of numLateRecordsDropped over the rise of the operator's numRecordsIn. Behind a local aggregation both count pre-aggregated rows. An operator without a late counter (TM403) is never taken to have dropped nothing.",
		Fix:   catalog.Fix{Text: "Fix wrong units, zones or records from the future first; then raise the delay to what tidemark recommend measures, or allow lateness."},
	})
	_ = catalog.Register(catalog.Check{
		Code: "TM858", Cause: "dropped-above-limit", Title: "More records were dropped since the start than agreed", Symptom: 4,
		Severity: catalog.Warning, Needs: catalog.Needs(asks("late.dropped"), catalog.LateCounters),
		Means: "An operator's counter of dropped late records is above the number that the policy allows.",
		Why:   "The counter starts at 0 with each restart and only grows, so the number also holds what was dropped while the job caught up.",
		Fix:   catalog.Fix{Text: "Find out when they were dropped (a rising counter is TM401); if only during catch-up, restart from a point where the limit is meant to hold."},
	})
)

func (s scope) late(l *Late) {
	at := l.At
	if l.Share != nil {
		at = l.Share.At
	}
	code, key := "TM857", "late.share"
	if l.Share == nil {
		code, key = "TM858", "late.dropped"
		if l.Dropped == nil {
			return
		}
		at = l.Dropped.At
	}
	if !s.jobOnly(code, key, at) {
		return
	}
	if len(s.droppers()) == 0 {
		s.noDroppers(code, key, at)
		return
	}
	for _, op := range s.droppers() {
		sub := s.subject.At(model.Place{Vertex: &op.Vertex, Operator: op.Name})
		if l.Share != nil {
			s.lateShare(l.Share, op, sub)
		}
		if l.Dropped != nil {
			s.lateDropped(l.Dropped, op, sub)
		}
	}
}

// droppers are the operators that can drop late records.
func (s scope) droppers() []facts.OperatorFacts {
	return slices.DeleteFunc(slices.Clone(s.job.Facts.Operators), func(op facts.OperatorFacts) bool { return !op.Drops })
}

// noDroppers is a job in which no operator is known to drop late records.
func (s scope) noDroppers(code, key string, at Location) {
	if s.job.Facts.UsesEventTime == model.UseNo {
		s.leave(code, key, at, s.subject, "no operator of the job uses event time")
		return
	}
	s.skip(code, key, at, s.subject, "no operator is known to drop late records; a user function may")
}

func (s scope) lateShare(most *Share, op facts.OperatorFacts, sub Subject) {
	const code, key = "TM857", "late.share"
	dropped, risen := op.Dropped.Rise()
	input, fed := op.Input.Rise()
	switch {
	case !op.Counted && op.Uncounted:
		s.skip(code, key, most.At, sub, "%s drops late rows without counting them in this version", quote(op.Name))
	case !op.Counted:
		s.skip(code, key, most.At, sub, "the late counter of %s could not be read", quote(op.Name))
	case !risen:
		s.skip(code, key, most.At, sub, "one metric fetch only: whether the late counter of %s rises cannot be determined", quote(op.Name))
	case dropped == 0:
		s.pass(code, key, most.At, sub, "%s dropped no late record between the samples", quote(op.Name))
	case !fed || input <= 0:
		s.skip(code, key, most.At, sub, "%s dropped %s records, and its input could not be read", quote(op.Name), units.Number(dropped))
	case dropped/input > most.Value:
		s.fail(code, key, most.At, sub, catalog.Certain, append(evidence(op.Name, "numLateRecordsDropped", "+"+units.Number(dropped)), evidence(op.Name, "numRecordsIn", "+"+units.Number(input))...),
			"%s dropped %s of %s records as late (%s); the policy allows %s", quote(op.Name), units.Number(dropped), units.Number(input), units.Share(dropped/input), most.Text)
	default:
		s.pass(code, key, most.At, sub, "%s dropped %s of its input as late; the policy allows %s", quote(op.Name), units.Share(dropped/input), most.Text)
	}
}

func (s scope) lateDropped(most *Count, op facts.OperatorFacts, sub Subject) {
	const code, key = "TM858", "late.dropped"
	dropped, ok := op.Dropped.Value()
	switch {
	case !op.Counted && op.Uncounted:
		s.skip(code, key, most.At, sub, "%s drops late rows without counting them in this version", quote(op.Name))
	case !ok:
		s.skip(code, key, most.At, sub, "the late counter of %s could not be read", quote(op.Name))
	case dropped > float64(most.N):
		s.fail(code, key, most.At, sub, catalog.Certain, evidence(op.Name, "numLateRecordsDropped", units.Number(dropped)),
			"%s has dropped %s late records since its start; the policy allows %s", quote(op.Name), units.Number(dropped), units.Count(most.N))
	default:
		s.pass(code, key, most.At, sub, "%s has dropped %s late records since its start; the policy allows %s", quote(op.Name), units.Number(dropped), units.Count(most.N))
	}
}
