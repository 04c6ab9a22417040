package flinkapi

import (
	"slices"
	"strings"
)

// settleGaps keeps only the gaps that are still open at the end of a sample: a repeated request
// may have closed one, and some answers are missing by design.
func (s *Sample) settleGaps(version string) {
	s.Missing = slices.DeleteFunc(s.Missing, func(g Gap) bool {
		return g.Status == 404 && withoutCheckpoints(g) ||
			g.Endpoint == JobAnswer && g.Reason != GapField && s.HasJob
	})
	running := map[string]bool{}
	for _, jv := range s.Job.Vertices {
		running[jv.ID] = s.Job.State == "RUNNING" && jv.Status == "RUNNING"
	}
	fed := s.fed()
	for id, v := range s.Vertices {
		if running[id] {
			v.noteEmptyLists()
		}
		v.settleGaps(atLeast(version, 1, 20))
		if len(s.Plan.Nodes) > 0 && !fed[id] { // a source has none (JobVertexWatermarksHandler)
			v.Missing = slices.DeleteFunc(v.Missing, func(g Gap) bool { return g.Endpoint == VertexWatermarks })
		}
	}
}

// withoutCheckpoints reports the answer for a job without checkpointing (1.17 to 2.3): nothing is
// missing then.
func withoutCheckpoints(g Gap) bool {
	return (g.Endpoint == JobCheckpoints || g.Endpoint == CheckpointSetup) &&
		(strings.Contains(g.Cause, "Checkpointing has not been enabled") || strings.Contains(g.Cause, "Checkpointing is not enabled"))
}

// noteEmptyLists notes empty metric lists: a running vertex has metrics as soon as the JobManager
// has fetched any.
func (v *VertexSample) noteEmptyLists() {
	note := func(ep Endpoint, ids []string) {
		if ids != nil && len(ids) == 0 {
			v.Missing = append(v.Missing, Gap{Vertex: v.ID, Endpoint: ep, Reason: GapEmpty, Status: 200, Cause: "the list is empty", At: v.ReadAt})
		}
	}
	note(MetricIDList, v.MetricIDs)
	note(AggregateIDList, v.AggregateIDs)
}

func (v *VertexSample) settleGaps(coordinators bool) {
	if len(v.Missing) == 0 {
		return
	}
	listed := map[string]bool{}
	for _, id := range v.MetricIDs {
		listed[id] = true
	}
	seen := map[string]bool{} // an id requested twice counts as missing once, by its last answer
	var kept []Gap
	for _, g := range slices.Backward(v.Missing) {
		switch {
		case !coordinators && g.Status == 404 && (g.Endpoint == CoordinatorList || g.Endpoint == CoordinatorValue):
			continue // since 1.20
		case g.IDs == nil:
			if g.Reason == GapField || !v.has(g.Endpoint) || g.Reason == GapEmpty {
				kept = append(kept, g)
			}
			continue
		}
		var left []string
		for _, id := range g.IDs {
			key := string(g.Endpoint) + id
			if !seen[key] && !v.answers(g.Endpoint, id) && interestOf(id) >= detail && (g.Reason != GapUnanswered || v.lists(listed, g.Endpoint, id)) {
				left = append(left, id)
			}
			seen[key] = true
		}
		if len(left) > 0 {
			g.IDs = left
			kept = append(kept, g)
		}
	}
	slices.Reverse(kept)
	v.Missing = kept
}

// has reports that an endpoint was answered.
func (v *VertexSample) has(ep Endpoint) bool {
	switch ep {
	case VertexAnswer:
		return v.Details != nil
	case VertexWatermarks:
		return v.HasWatermarks
	case VertexTimes:
		return v.Times != nil
	case VertexPressure:
		return v.Backpressure != nil
	case MetricIDList:
		return v.MetricIDs != nil
	case AggregateIDList:
		return v.AggregateIDs != nil
	}
	return false
}

func (v *VertexSample) answers(ep Endpoint, id string) (has bool) {
	switch ep {
	case AggregateValues:
		_, has = v.Aggregates[id]
	case CoordinatorValue:
		_, has = v.Coordinator[id]
	default:
		_, has = v.Metrics[id]
	}
	return has
}

// lists reports that the cluster listed a requested id. For a large vertex only the ids of all
// subtasks together are listed; then an id counts that every subtask of an operator has.
func (v *VertexSample) lists(listed map[string]bool, ep Endpoint, id string) bool {
	if ep != MetricValues || listed[id] {
		return true
	}
	if v.MetricIDs != nil {
		return false
	}
	_, bare, _ := strings.Cut(id, ".")
	return ofEverySubtask(id) && slices.Contains(v.AggregateIDs, bare)
}

// ofEverySubtask reports metrics that each running subtask registers at its start (1.17 to 2.3).
func ofEverySubtask(id string) bool {
	m, ok := ParseMetricID(id)
	if !ok || len(m.Groups) > 0 {
		return false
	}
	switch m.Name {
	case "currentInputWatermark", "currentOutputWatermark", "numRecordsIn", "numRecordsOut":
		return true
	}
	return m.IsLateCounter()
}
