package model

import (
	"tidemark/flinkapi"
)

// buildVertex fills in chain, subtasks and gauges of one vertex from both samples; stood says that its accumulated times
// in GET /jobs/:jobid did not grow.
func (j *Job) buildVertex(v *Vertex, stood bool) {
	now := j.Now.Vertices[v.ID]
	v.Sample = now
	var before *flinkapi.VertexSample
	if j.Before != nil {
		before = j.Before.Vertices[v.ID]
	}
	if now == nil { // the second sample broke off before this vertex
		now, before = before, nil
		v.Sample = now
	}
	v.FetchedMs, _ = now.FetchedAt()
	if j.RestartedBetween() {
		before = nil // counters and watermarks started again
	}
	if before != nil {
		gap, fresh := j.fetchGap(before, now)
		switch {
		case !fresh:
			before = nil
		case sameValues(v, before, now, stood):
			v.Stale, before = true, nil
		default:
			v.GapMs = gap
			j.GapMs = max(j.GapMs, gap)
		}
	}
	a, b := indexMetrics(before), indexMetrics(now)
	ops := b.ops
	v.Chain = buildChain(v.Name, j.planOf(v.ID), ops, v.IsSource())
	j.buildSubtasks(v, a, b, now)
	v.foldOperators(before, now)
	v.Late = v.lateCounters(a, b, before, now)
}

func (j *Job) planOf(id string) []PlanOperator {
	if n, planned := j.nodes[id]; planned {
		return ParseDescription(n.Description)
	}
	return nil
}

// foldOperators gives each operator the minimum over its subtasks: from the watermarks of the subtasks where they were
// read, or else from the aggregated metrics, which are doubles.
func (v *Vertex) foldOperators(before, now *flinkapi.VertexSample) {
	for i, op := range v.Chain {
		for _, s := range v.Subtasks {
			if i < len(s.Ops) {
				op.In, op.Out = MinReading(op.In, s.Ops[i].In), MinReading(op.Out, s.Ops[i].Out)
			}
		}
		op.In = op.In.orAggregated(before, now, op.Metric+".currentInputWatermark")
		op.Out = op.Out.orAggregated(before, now, op.Metric+".currentOutputWatermark")
	}
}

// orAggregated is the reading, or the aggregated metric where the reading is not readable now.
func (r Reading) orAggregated(before, now *flinkapi.VertexSample, id string) Reading {
	if whole := aggregated(before, now, id); !r.Now.Readable() && whole.Now.Readable() {
		return whole
	}
	return r
}

func aggregated(before, now *flinkapi.VertexSample, id string) Reading {
	read := func(v *flinkapi.VertexSample) flinkapi.Watermark {
		if v != nil {
			if a, ok := v.Aggregates[id]; ok && a.Min != nil {
				return flinkapi.AggregatedWatermark(float64(*a.Min))
			}
		}
		return flinkapi.AbsentWatermark()
	}
	return Reading{read(before), read(now)}
}
