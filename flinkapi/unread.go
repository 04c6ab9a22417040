package flinkapi

import (
	"slices"
	"sort"
	"strconv"
	"strings"
)

// unread lists what sample k lacks although another sample has it or every reading requests it: a
// lost answer leaves no other trace.
func (j JobCapture) unread(k int) []Gap {
	s := j.Samples[k]
	if !s.HasJob || s.Job.State != "RUNNING" {
		return nil
	}
	var gaps []Gap
	fed := s.fed()
	for _, jv := range s.Job.Vertices {
		if jv.Status != "RUNNING" {
			continue
		}
		lost := func(ep Endpoint, ids []string) {
			gaps = append(gaps, Gap{Vertex: jv.ID, Endpoint: ep, IDs: ids, Reason: GapUnread, Cause: "not in this reading"})
		}
		v := s.Vertices[jv.ID]
		if v == nil {
			lost(OtherEndpoint, nil)
			continue
		}
		failed := map[Endpoint]bool{}
		for _, g := range v.Missing {
			failed[g.Endpoint] = failed[g.Endpoint] || g.IDs == nil
		}
		if fed[jv.ID] && !failed[VertexWatermarks] {
			if ids := v.withoutInput(jv); !v.HasWatermarks && ids != nil {
				lost(VertexWatermarks, nil)
			} else if ids != nil {
				gaps = append(gaps, Gap{Vertex: jv.ID, Endpoint: VertexWatermarks, IDs: ids, Reason: GapUnanswered, Status: 200,
					Cause: "the answer has no watermark of these subtasks", At: v.ReadAt})
			}
		}
		if v.MetricIDs == nil && v.AggregateIDs == nil && len(v.Metrics) == len(v.Watermarks) && !failed[MetricIDList] && !failed[AggregateIDList] {
			lost(MetricIDList, nil)
		}
		if ids := v.unlisted(jv); len(ids) > 0 {
			gaps = append(gaps, Gap{Vertex: jv.ID, Endpoint: MetricIDList, IDs: ids, Reason: GapUnlisted, Status: 200,
				Cause: "some running subtasks lack metrics that others have", At: v.ReadAt})
		}
		if ids := j.unreadIDs(k, v, fed[jv.ID]); len(ids) > 0 && !failed[MetricValues] {
			lost(MetricValues, ids)
		}
	}
	return gaps
}

// withoutInput are the input watermarks that no answer has, if they are of more subtasks than
// have ended.
func (v *VertexSample) withoutInput(jv JobVertex) []string {
	if len(v.Watermarks) >= jv.Parallelism {
		return nil
	}
	var ids []string
	for i := range min(jv.Parallelism, maxSubtasks) {
		if id := strconv.Itoa(i) + ".currentInputWatermark"; v.Metrics[id] == "" {
			ids = append(ids, id)
		}
	}
	if running, told := jv.Tasks["RUNNING"]; told && len(ids) <= jv.Parallelism-running {
		return nil
	}
	return ids
}

// unlisted are metrics that every running subtask has and only some list: the JobManager did not
// receive the rest, for example from a TaskManager whose metrics were lost.
func (v *VertexSample) unlisted(jv JobVertex) []string {
	if jv.Parallelism < 2 || jv.Parallelism > maxSubtasks || jv.Tasks["RUNNING"] != jv.Parallelism {
		return nil
	}
	subtasks := map[string]int{}
	for _, id := range v.MetricIDs {
		if ofEverySubtask(id) {
			_, bare, _ := strings.Cut(id, ".")
			subtasks[bare]++
		}
	}
	listed := map[string]bool{}
	var ids []string
	for bare, n := range subtasks {
		if n == jv.Parallelism {
			continue
		}
		if len(listed) == 0 {
			for _, id := range v.MetricIDs {
				listed[id] = true
			}
		}
		for i := range jv.Parallelism {
			if id := strconv.Itoa(i) + "." + bare; !listed[id] {
				ids = append(ids, id)
			}
		}
	}
	sort.Strings(ids)
	return ids
}

// maxSubtasks is Flink's own limit (KeyGroupRangeAssignment.UPPER_BOUND_MAX_PARALLELISM).
const maxSubtasks = 1 << 15

// unreadIDs are the ids of a vertex without a value that were neither refused nor unanswered:
// listed ones that every reading requests, and those that have a value in another sample.
func (j JobCapture) unreadIDs(k int, v *VertexSample, hasInputs bool) []string {
	known := map[string]bool{}
	for _, g := range v.Missing {
		for _, id := range g.IDs {
			known[id] = true
		}
	}
	missing := map[string]bool{}
	// A large source is read in detail only if something differs.
	least := detail
	if !hasInputs && v.AggregateIDs != nil {
		least = core
	}
	for _, id := range v.MetricIDs {
		if _, has := v.Metrics[id]; !has && !known[id] && interestOf(id) >= least {
			missing[id] = true
		}
	}
	// Without a list, an id may have disappeared; a large vertex is not listed if nothing
	// differed.
	if v.MetricIDs == nil && v.AggregateIDs == nil {
		for o, other := range j.Samples {
			if w := other.Vertices[v.ID]; o != k && w != nil {
				for id := range w.Metrics {
					if _, has := v.Metrics[id]; !has && !known[id] && interestOf(id) >= detail {
						missing[id] = true
					}
				}
			}
		}
	}
	return sortedKeys(missing)
}

// fed are the vertices that read from others, according to the plan; a source has no input
// watermark.
func (s *Sample) fed() map[string]bool {
	fed := make(map[string]bool, len(s.Plan.Nodes))
	for _, n := range slices.Backward(s.Plan.Nodes) { // if a vertex is listed twice, the first counts
		fed[n.ID] = len(n.Inputs) > 0
	}
	return fed
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}
