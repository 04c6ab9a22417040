package policy

import (
	"fmt"

	"tidemark/analyze/catalog"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM878", Cause: "whatif-failed", Title: "A change would not have the expected effect",
	Severity: catalog.Critical, Needs: catalog.Needs(asks("whatif"), catalog.Named("two samples of the job"), catalog.Named("the records of its sources")),
	Means: "The twin of the job reproduces the cluster. Played with the same records and the change, it exceeds a limit: event time stands, records are dropped, windows do not fire or fire too late.",
	Why: "The job is played on the reference engine with the records that its sources have read, first as it is. Only where each gauge of the cluster lies in the twin's range is the change played. " +
		"A limit is kept where all of the range does; where the twin differs, or has no number that holds, the demand is not judged and the run is incomplete.",
	Fix: catalog.Fix{Text: "tidemark whatif with the same change shows vertex by vertex what happens; change the setting until the limits are kept."},
})

// whatIf reports each limit of a change.
func (s scope) whatIf(w *WhatIf) {
	const code, key = "TM878", "whatif.expect"
	if !s.jobOnly(code, key, w.At) {
		return
	}
	out, ok := s.job.WhatIfs[w]
	switch {
	case !ok:
		s.skip(code, key, w.At, s.subject, "the change was not played")
		return
	case out.Err != "":
		s.skip(code, key, w.At, s.subject, "%s", sentence(out.Err))
		return
	}
	for _, e := range out.Expectations {
		sub := s.subject
		sub.Operator = e.Window
		text := e.Text
		if e.Column != "" {
			text = e.Column + ": " + text
		}
		one, what := key+" "+text, "expected "+text
		proof := append(evidence(out.Source, e.Text, e.Actual), evidence("twin", "gauges reproduced", fmt.Sprint(out.Gauges))...)
		switch {
		case e.Unknown:
			s.skip(code, one, e.At, sub, "%s: %s", what, e.Actual)
		case e.Met:
			s.add(code, one, e.At, sub, finish{status: Passed, evidence: proof, message: what + "; it is " + e.Actual})
		default:
			s.add(code, one, e.At, sub, finish{status: Failed, confidence: catalog.Certain, evidence: proof, message: what + "; it is " + e.Actual})
		}
	}
}
