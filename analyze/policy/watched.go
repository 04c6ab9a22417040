package policy

import (
	"strings"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM868", Cause: "late-not-watched", Title: "Nobody would notice late records", Symptom: 4,
	Severity: catalog.Warning, Needs: catalog.Needs(asks("lateness.watched"), catalog.Plan, catalog.LateCounters),
	Means: "The policy says how late records are seen: by a counter of every operator that drops them, or by a side output. The job has no such counter, or no operator of the side output's name.",
	Why: "Windows count what they drop (numLateRecordsDropped), but interval joins, temporal joins and sorts have no counter in most versions, and a side output takes the records out of the counter. " +
		"The operator behind a side output is looked for by its name in the job graph; whether it alerts anybody is the business of alerts.",
	Fix: catalog.Fix{
		Text:       "Send late records to a side output with its own sink, or watch the counter of an operator that has one.",
		DataStream: "window.sideOutputLateData(lateTag)\nresult.getSideOutput(lateTag).sinkTo(lateSink).name(\"LateOrders\")",
		SQL:        "-- tap what is late before the operator\nSELECT * FROM orders WHERE ts <= CURRENT_WATERMARK(ts)",
	},
})

// watched judges how late records are seen.
func (s scope) watched(l *Lateness) {
	const code, key = "TM868", "lateness.watched"
	at := l.Watched.At
	if l.Watched.Text == "none" {
		s.pass(code, key, at, s.subject, "late records are not watched: %s", sentence(l.Reason.Text))
		return
	}
	if !s.jobOnly(code, key, at) {
		return
	}
	if l.Watched.Text == "side-output" {
		for _, name := range s.job.Facts.Names {
			if name == l.Sink.Text || strings.TrimPrefix(name, "Sink: ") == l.Sink.Text {
				s.pass(code, key, at, s.subject, "operator %s takes the late records", quote(name))
				return
			}
		}
		s.fail(code, key, l.Sink.At, s.subject, catalog.Certain, nil, "the job has no operator %s that would take the late records", quote(l.Sink.Text))
		return
	}
	if len(s.droppers()) == 0 {
		s.noDroppers(code, key, at)
		return
	}
	for _, op := range s.droppers() {
		sub := s.subject.At(model.Place{Vertex: &op.Vertex, Operator: op.Name})
		switch {
		case op.Counted:
			s.pass(code, key, at, sub, "%s counts what it drops", quote(op.Name))
		case op.Uncounted:
			s.fail(code, key, at, sub, catalog.Certain, nil, "%s (%s) drops late rows and has no counter in this version", quote(op.Name), string(op.Kind))
		default:
			s.skip(code, key, at, sub, "the late counter of %s could not be read", quote(op.Name))
		}
	}
}
