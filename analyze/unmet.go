package analyze

import (
	"slices"
	"strings"

	"tidemark/analyze/catalog"
	"tidemark/analyze/checks"
	"tidemark/analyze/model"
	"tidemark/flinkapi"
)

// Unmet says why a check could not judge this job, "" where it could: then no finding means that
// there is nothing to find. It follows the needs that the check itself states.
func Unmet(j *model.Job, c catalog.Check) string {
	switch {
	case c.Run == nil:
		return "it does not judge jobs"
	case j.Now == nil:
		return "the job could not be read"
	case j.Batch && !checks.Applies(j, c):
		return "batch job: watermarks do not apply"
	case !checks.Applies(j, c):
		return "the job is " + j.State + ": its cached metrics are of the past"
	case j.Running() && j.WarmingUp() && c.Settled:
		return "the job just started: no watermark yet is normal"
	}
	for _, need := range c.Needs {
		if reason := lacks(j, need); reason != "" {
			return reason
		}
	}
	return ""
}

// lacks says why a need is not met. Needs joined with "or" are met by one of them.
func lacks(j *model.Job, need string) string {
	unread := ""
	for _, alternative := range alternatives(need) {
		gap, missing := gapIn(j, alternative)
		if has(j, alternative) && !missing {
			return ""
		}
		if missing && unread == "" {
			unread = gapLines(j, []flinkapi.Gap{gap})[0]
		}
	}
	if unread != "" {
		return unread
	}
	if need == "two samples" {
		return j.OneFetch() + ": what moves and what rises cannot be told"
	}
	return "not readable here: " + need
}

// gapIn finds an answer that the need may hide in: what was read of it is not all.
func gapIn(j *model.Job, need string) (flinkapi.Gap, bool) {
	var hides func(flinkapi.MetricID) bool
	switch need {
	case "late counters":
		hides = flinkapi.MetricID.IsLateCounter
	case "operator watermarks", "source output watermark":
		hides = func(m flinkapi.MetricID) bool {
			return m.Name == "currentOutputWatermark" || m.Name == "currentInputWatermark"
		}
	case "split metrics (2.1+)":
		hides = func(m flinkapi.MetricID) bool { return m.Name == "currentWatermark" }
	default:
		return flinkapi.Gap{}, false
	}
	for _, g := range j.Gaps {
		if v := j.Vertex(g.Vertex); v != nil && j.Bears(g) && (v.IsSource() || need != "source output watermark" && need != "split metrics (2.1+)") && g.Lacks(hides) {
			return g, true
		}
	}
	return flinkapi.Gap{}, false
}

// alternatives takes "a, b or c" apart; one of them is enough.
func alternatives(need string) []string {
	return strings.Split(strings.NewReplacer(", or ", " or ", ", ", " or ").Replace(need), " or ")
}

// alwaysRead come with the job itself.
var alwaysRead = []string{"job state", "job type", "uptime", "numRestarts", "exceptions"}

func has(j *model.Job, need string) bool {
	anyVertex := func(has func(*model.Vertex) bool) bool {
		for _, v := range j.Vertices {
			if has(v) {
				return true
			}
		}
		return false
	}
	anySource := func(has func(*model.Vertex) bool) bool {
		return anyVertex(func(v *model.Vertex) bool { return v.IsSource() && has(v) })
	}
	anySubtask := func(has func(*model.Subtask) bool) bool {
		return anySource(func(v *model.Vertex) bool {
			for _, s := range v.Subtasks {
				if has(s) {
					return true
				}
			}
			return false
		})
	}
	told := func(g model.Gauge) bool { _, ok := g.Value(); return ok }
	switch need {
	case "two samples":
		return j.Compared()
	case "plan (SQL scan text before 2.3)", "plan (SQL before 2.3)":
		return anySource(func(v *model.Vertex) bool { d, ok := j.Declared(v); return ok && d.IdleKnown })
	case "plan":
		return len(j.Now.Plan.Nodes) > 0
	case "source output watermark":
		return anySource(func(v *model.Vertex) bool { return v.MinOut().Now.Readable() || v.AnyKnown() })
	case "operator watermarks":
		return anyVertex(hasWatermarks)
	case "numRecordsOut":
		return anySource(func(v *model.Vertex) bool { return told(v.Records()) })
	case "late counters":
		// No operator that counts means nothing to count, unless metrics are missing altogether.
		return anyVertex(func(v *model.Vertex) bool { return len(v.Late) > 0 }) || len(j.Now.Plan.Nodes) > 0 && !countsLate(j) && anyVertex(hasWatermarks)
	case "split metrics (2.1+)", "split pause metrics (2.1+)", "split metrics (2.1+) of an idle split", "split pause metrics":
		return anySource(model.SplitsTellWatermarks)
	case "several source subtasks":
		return anySource(func(v *model.Vertex) bool { return len(v.Subtasks) > 1 })
	case "split metrics (2.1+) to name the split":
		return true // the finding is made without it
	case "Kafka offsets":
		return anySource((*model.Vertex).NamesSplits)
	case "currentEmitEventTimeLag":
		return anySubtask(func(s *model.Subtask) bool { return told(s.EmitLag) })
	case "pendingRecords":
		return anySubtask(func(s *model.Subtask) bool { return told(s.Pending) })
	case "watermarkAlignmentDrift":
		return len(j.AlignedSubtasks()) > 0 || anySubtask(func(s *model.Subtask) bool { return told(s.Records) })
	case "busy and backpressured time", "backpressure":
		return anyVertex(func(v *model.Vertex) bool {
			for _, s := range v.Subtasks {
				if told(s.Busy) || told(s.Backpressured) {
					return true
				}
			}
			return false
		})
	case "Flink version":
		return j.Version.Known()
	}
	return slices.Contains(alwaysRead, need)
}

// countsLate reports an operator that would have a late counter.
func countsLate(j *model.Job) bool {
	for _, v := range j.Vertices {
		for _, op := range v.Chain {
			if op.Kind.CountsLate() {
				return true
			}
		}
	}
	return false
}
