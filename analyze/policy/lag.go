package policy

import (
	"tidemark/analyze"
	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/flinkapi"
	"tidemark/internal/units"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM856", Cause: "lag-above-limit", Title: "Event-time lag is above the limit of the policy", Symptom: 3,
	Severity: catalog.Warning, Needs: catalog.Needs(asks("max-lag"), catalog.Named("input watermarks")),
	Means: "The clock minus the watermark of a vertex is more than the policy allows: its windows fire that late.",
	Why: "The lag is of the slowest subtask at the time of the metric fetch, by the JobManager's clock. A vertex that has no watermark has no lag; where a finding says why, the limit counts as broken, else as not judged. " +
		"While every source is silent the lag only grows with the clock, which is no fault of the job.",
	Fix: catalog.Fix{Text: "tidemark triage JOB splits the lag into its parts: age of the records, delay, split skew, queues, operators that hold."},
})

func (s scope) maxLag(most *Duration) {
	const code, key = "TM856", "max-lag"
	if !s.jobOnly(code, key, most.At) {
		return
	}
	if s.job.Facts.UsesEventTime == model.UseNo {
		s.leave(code, key, most.At, s.subject, "no operator of the job uses event time")
		return
	}
	if len(s.findings("", "TM106")) > 0 {
		s.skip(code, key, most.At, s.subject, "every source is silent: the lag only grows with the clock")
		return
	}
	for _, v := range s.job.Report.Vertices {
		sub := s.subject.At(model.Place{Vertex: &model.Ref{ID: v.ID, Name: v.Name}})
		state := v.Min.State()
		switch {
		case v.LagMs != nil && *v.LagMs > most.Ms:
			s.fail(code, key, most.At, sub, catalog.Certain, evidence(v.Name, "event-time lag", units.Duration(*v.LagMs)),
				"event time of %s is %s behind the clock; the policy allows %s", quote(v.Name), units.Duration(*v.LagMs), most)
		case v.LagMs != nil:
			s.pass(code, key, most.At, sub, "event time of %s is %s behind the clock; the policy allows %s", quote(v.Name), units.Duration(*v.LagMs), most)
		case state == flinkapi.End:
			s.leave(code, key, most.At, sub, "the input of %s has ended", quote(v.Name))
		case state == flinkapi.None && s.explained(v.ID):
			s.fail(code, key, most.At, sub, catalog.Certain, evidence(v.Name, "watermark", "none (never emitted)"), "%s has no event time at all; the policy allows a lag of %s", quote(v.Name), most)
		case state == flinkapi.None && v.Kind == "source" && anyKnown(v):
			s.leave(code, key, most.At, sub, "a subtask of %s has sent no watermark and counts as idle; the vertices behind it are judged", quote(v.Name))
		case state == flinkapi.None:
			s.skip(code, key, most.At, sub, "%s has no watermark", quote(v.Name))
		default:
			s.skip(code, key, most.At, sub, "the watermark of %s could not be read", quote(v.Name))
		}
	}
}

// anyKnown reports a vertex of which some subtask has a watermark. At a source that is no stall by
// itself: one that is idle counts for nobody, and one that is not leaves those behind it without any.
func anyKnown(v analyze.VertexReport) bool {
	for _, s := range v.Subtasks {
		if s.Out.State() == flinkapi.Known {
			return true
		}
	}
	return false
}

// explained reports a critical finding at the vertex, or one that holds it back.
func (s scope) explained(vertex string) bool {
	for _, f := range s.job.Report.Findings {
		if f.Severity != catalog.Critical {
			continue
		}
		if f.Vertex != nil && f.Vertex.ID == vertex {
			return true
		}
		for _, h := range f.HeldBack {
			if h.ID == vertex {
				return true
			}
		}
	}
	return false
}
