package analyze

import (
	"fmt"

	"tidemark/analyze/catalog"
	"tidemark/analyze/lag"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

// lateUnexplainedMs is the part of a lag that may stay without an explanation.
const lateUnexplainedMs = 60_000

// unexplained lists vertices whose event time stands still or is late while no finding covers them.
func unexplained(j *model.Job, fs []catalog.Finding) []string {
	if !j.Compared() || j.UsesEventTime() == model.UseNo {
		return nil
	}
	var out []string
	for _, v := range j.Vertices {
		if len(v.In) == 0 && len(v.Out) > 0 || covered(j, v, fs) {
			continue
		}
		et := v.EventTime()
		if v.IsSource() {
			et = v.MinOut()
		}
		moved, known := et.Moved()
		flows, counted := v.Flows()
		switch {
		case j.WarmingUp() && !moved: // splits speak one after another
		case known && !moved && counted && flows && et.Now.State() != "end":
			out = append(out, fmt.Sprintf("event time of %s stands at %s although records flow, and no check explains it", model.QuoteName(v.Name), model.Describe(et.Now)))
		case known && moved:
			lag, ok := j.Lag(v, et)
			if rest := restOf(j, v, lag); ok && rest > lateUnexplainedMs {
				out = append(out, fmt.Sprintf("%s of the event-time lag of %s are unexplained", units.Duration(rest), model.QuoteName(v.Name)))
			}
		}
	}
	return out
}

// covered reports a vertex that a finding is about, that inherits from one, or that has one upstream.
func covered(j *model.Job, v *model.Vertex, fs []catalog.Finding) bool {
	upstream := map[string]bool{v.ID: true}
	for _, src := range v.Ancestors() {
		upstream[src.ID] = true
	}
	for _, f := range fs {
		if f.Vertex == nil && f.Code != "TM603" {
			return true // about the whole job
		}
		if f.Code >= "TM400" && f.Code < "TM500" || f.Code == "TM604" || f.Code == "TM302" {
			continue // says nothing of what holds event time
		}
		if upstream[vertexID(f)] {
			return true
		}
	}
	return false
}

func restOf(j *model.Job, v *model.Vertex, lagMs int64) int64 {
	for _, p := range lag.Budget(j, v, lagMs) {
		if p.Part == "unexplained" {
			return p.Ms
		}
	}
	return 0
}
