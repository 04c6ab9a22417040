package crosscheck

import (
	"sort"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/flinkapi"
)

// observe collects the watermarks of every sample with the offsets they belong to.
func (s *CrossSource) observe(jobs []*model.Job) {
	s.Assigner = s.findAssigner()
	for i, j := range jobs {
		v := j.Vertex(s.Vertex.ID)
		if v == nil {
			continue
		}
		if i == 0 && j.Compared() {
			s.observeSample(v, beforeOf, fetchedBefore(j, v), false)
		}
		s.observeSample(v, nowOf, v.FetchedMs, i == len(jobs)-1)
	}
}

func beforeOf(r model.Reading, g model.Gauge) (flinkapi.Watermark, float64) {
	return r.Before, g.Before
}

func nowOf(r model.Reading, g model.Gauge) (flinkapi.Watermark, float64) { return r.Now, g.Now }

func fetchedBefore(j *model.Job, v *model.Vertex) int64 {
	if j.Before == nil {
		return 0
	}
	ms, _ := j.Before.Vertices[v.ID].FetchedAt()
	return ms
}

func (s *CrossSource) observeSample(v *model.Vertex, pick func(model.Reading, model.Gauge) (flinkapi.Watermark, float64), fetched int64, last bool) {
	at := 0
	for i, op := range v.Chain {
		if s.Assigner != nil && op.Metric == s.Assigner.Metric {
			at = i
		}
	}
	for _, t := range v.Subtasks {
		var offsets []offsetOf
		perSplit := 0
		for _, sp := range t.ActiveSplits() {
			w, offset := pick(sp.Watermark, sp.Offset)
			if offset != offset { // NaN: not shown
				continue
			}
			offsets = append(offsets, offsetOf{sp.ID, int64(offset)})
			if s.Assigner == nil && w.Readable() {
				perSplit++
				s.Observed = append(s.Observed, Observation{Split: sp, Subtask: t, Splits: []offsetOf{{sp.ID, int64(offset)}}, Watermark: w, FetchedMs: fetched, Last: last})
			}
		}
		if perSplit > 0 || at >= len(t.Ops) || len(offsets) == 0 {
			continue
		}
		w, _ := pick(t.Ops[at].Out, model.NoGauge())
		if w.Readable() {
			s.Observed = append(s.Observed, Observation{Subtask: t, Splits: offsets, Watermark: w, FetchedMs: fetched, Last: last})
		}
	}
}

// findAssigner is the operator that emits in place of the splits: a source whose own output was never
// given a watermark although an assigner of its chain has one.
func (s *CrossSource) findAssigner() *model.Operator {
	v := s.Vertex
	if len(v.Chain) == 0 || v.Chain[0].Out.Now.IsKnown() {
		return nil
	}
	for _, sub := range v.Subtasks {
		if sub.SourceOut().Now.IsKnown() {
			return nil
		}
	}
	for _, op := range v.Chain[1:] {
		if op.Kind == model.KindAssigner {
			return op
		}
	}
	return nil
}

func sortNotChecked(list []catalog.NotChecked) {
	sort.Slice(list, func(i, k int) bool {
		if list[i].Code != list[k].Code {
			return list[i].Code < list[k].Code
		}
		return list[i].Reason < list[k].Reason
	})
}
