package flinkapi

// add files one answer about a job. A second GET /jobs/:jobid starts the next sample, whether it
// succeeded or not: values of two moments must never mix in one sample.
func (j *jobAssembly) add(e Entry, q question) {
	if opens := q.endpoint == JobAnswer; opens && j.asked || len(j.samples) == 0 {
		j.samples = append(j.samples, &Sample{ReadAt: e.T, Vertices: map[string]*VertexSample{}})
	}
	s := j.last()
	switch q.endpoint {
	case JobAnswer:
		j.asked = true
		g, ok := decodeJob(e, q, &s.Job)
		if s.note(g); ok {
			s.HasJob, s.ReadAt = true, e.T
		} else {
			s.Job = JobDetails{}
		}
	case JobPlan:
		var p struct {
			Plan Plan `json:"plan"`
		}
		if s.read(e, q, &p) {
			s.Plan = p.Plan
		}
	case JobConfiguration:
		var c JobConfig
		if s.read(e, q, &c) {
			s.JobConfig = &c
		}
	case JobExceptions:
		var x Exceptions
		if s.read(e, q, &x) {
			s.Exceptions = &x
		}
	case JobCheckpoints:
		var c Checkpoints
		if s.read(e, q, &c) {
			s.Checkpoints = &c
		}
	case CheckpointSetup:
		var c CheckpointConfig
		if s.read(e, q, &c) {
			s.CheckpointConfig = &c
		}
	case JobMetrics:
		var m metricList
		if s.read(e, q, &m) {
			if s.JobMetrics == nil {
				s.JobMetrics = map[string]string{}
			}
			putMetrics(s.JobMetrics, m)
		}
	default:
		if q.vertex != "" {
			s.vertex(q.vertex).add(e, q)
		}
	}
}

func (j *jobAssembly) last() *Sample { return j.samples[len(j.samples)-1] }

func (s *Sample) read(e Entry, q question, into any) bool {
	g, ok := decode(e, q, into)
	s.note(g)
	return ok
}

func (s *Sample) note(g Gap) {
	if g.Reason != "" {
		s.Missing = append(s.Missing, g)
	}
}

func (s *Sample) vertex(id string) *VertexSample {
	v := s.Vertices[id]
	if v == nil {
		v = &VertexSample{ID: id, Metrics: map[string]string{}, Aggregates: map[string]Aggregate{}}
		s.Vertices[id] = v
	}
	return v
}

func (v *VertexSample) add(e Entry, q question) {
	switch q.endpoint {
	case VertexAnswer:
		var d VertexDetails
		if v.read(e, q, &d) {
			v.Details = &d
		}
	case VertexWatermarks:
		var m metricList
		if v.read(e, q, &m) {
			v.Watermarks, v.HasWatermarks, v.ReadAt = m, true, e.T
			putMetrics(v.Metrics, m)
		}
	case VertexTimes:
		var t SubtaskTimes
		if v.read(e, q, &t) {
			v.Times = &t
		}
	case VertexPressure:
		var b Backpressure
		if v.read(e, q, &b) {
			v.Backpressure = &b
		}
	case MetricIDList:
		var m metricList
		if v.read(e, q, &m) {
			v.MetricIDs = idsOf(m)
		}
	case MetricValues:
		var m metricList
		if v.read(e, q, &m) {
			v.ReadAt = e.T
			putMetrics(v.Metrics, m)
			v.missed(e, q, func(id string) bool { return v.Metrics[id] != "" })
		}
	case AggregateIDList:
		var m metricList
		if v.read(e, q, &m) {
			v.AggregateIDs = idsOf(m)
		}
	case AggregateValues:
		var aggs []Aggregate
		if v.read(e, q, &aggs) {
			for _, a := range aggs {
				v.Aggregates[a.ID] = a
			}
			v.missed(e, q, func(id string) bool { _, has := v.Aggregates[id]; return has })
		}
	case CoordinatorList:
		v.read(e, q, new(metricList))
	case CoordinatorValue:
		var m metricList
		if v.read(e, q, &m) {
			if v.Coordinator == nil {
				v.Coordinator = map[string]string{}
			}
			putMetrics(v.Coordinator, m)
		}
	}
}

func (v *VertexSample) read(e Entry, q question, into any) bool {
	g, ok := decode(e, q, into)
	if g.Reason != "" {
		v.Missing = append(v.Missing, g)
	}
	return ok
}

// missed notes the requested ids that have no value in an answer.
func (v *VertexSample) missed(e Entry, q question, has func(id string) bool) {
	var ids []string
	for _, id := range q.ids {
		if !has(id) {
			ids = append(ids, id)
		}
	}
	if len(ids) > 0 {
		g := e.gap(q, GapUnanswered, "listed and asked for, but not in the answer")
		g.IDs = ids
		v.Missing = append(v.Missing, g)
	}
}

func putMetrics(into map[string]string, ms metricList) {
	for _, m := range ms {
		if m.Value != "" { // an id without a value counts as unanswered
			into[m.ID] = m.Value
		}
	}
}

func idsOf(ms metricList) []string {
	ids := make([]string, len(ms))
	for i, m := range ms {
		ids[i] = m.ID
	}
	return ids
}
