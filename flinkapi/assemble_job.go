package flinkapi

import (
	"net/url"
	"strings"
)

// add puts one answer about a job where it belongs. A second GET /jobs/:jobid opens the next sample.
func (j *jobAssembly) add(e Entry, seg []string, query url.Values) {
	// A job that is gone keeps its last sample, with the failure noted there.
	opens := len(seg) == 2 && e.OK() && len(j.samples) > 0 && j.last().HasJob
	if opens || len(j.samples) == 0 {
		j.samples = append(j.samples, &Sample{ReadAt: e.T, Vertices: map[string]*VertexSample{}})
	}
	s := j.last()
	rest := strings.Join(seg[2:], "/")
	switch {
	case rest == "":
		if s.read(e, &s.Job) {
			s.HasJob, s.ReadAt = true, e.T
		}
	case rest == "plan":
		var p struct {
			Plan Plan `json:"plan"`
		}
		if s.read(e, &p) {
			s.Plan = p.Plan
		}
	case rest == "config":
		var c JobConfig
		if s.read(e, &c) {
			s.JobConfig = &c
		}
	case rest == "exceptions":
		var x Exceptions
		if s.read(e, &x) {
			s.Exceptions = &x
		}
	case rest == "checkpoints":
		var c Checkpoints
		if s.read(e, &c) {
			s.Checkpoints = &c
		}
	case rest == "checkpoints/config":
		var c CheckpointConfig
		if s.read(e, &c) {
			s.CheckpointConfig = &c
		}
	case rest == "metrics":
		var m metricList
		if s.read(e, &m) {
			if s.JobMetrics == nil {
				s.JobMetrics = map[string]string{}
			}
			putMetrics(s.JobMetrics, m)
		}
	case len(seg) >= 4 && seg[2] == "vertices":
		s.vertex(seg[3]).add(e, seg[4:], query)
	}
}

func (j *jobAssembly) last() *Sample { return j.samples[len(j.samples)-1] }

func (s *Sample) read(e Entry, into any) bool {
	f, ok := decode(e, into)
	if f != (Failure{}) {
		s.Failures = append(s.Failures, f)
	}
	return ok
}

func (s *Sample) vertex(id string) *VertexSample {
	v := s.Vertices[id]
	if v == nil {
		v = &VertexSample{ID: id, Metrics: map[string]string{}, Aggregates: map[string]Aggregate{}}
		s.Vertices[id] = v
	}
	return v
}

func (v *VertexSample) add(e Entry, rest []string, query url.Values) {
	switch strings.Join(rest, "/") {
	case "":
		var d VertexDetails
		if v.read(e, &d) {
			v.Details = &d
		}
	case "watermarks":
		var m metricList
		if v.read(e, &m) {
			v.Watermarks, v.HasWatermarks, v.ReadAt = m, true, e.T
			for _, m := range v.Watermarks {
				v.Metrics[m.ID] = m.Value
			}
		}
	case "subtasktimes":
		var t SubtaskTimes
		if v.read(e, &t) {
			v.Times = &t
		}
	case "backpressure":
		var b Backpressure
		if v.read(e, &b) {
			v.Backpressure = &b
		}
	case "metrics":
		var m metricList
		if !v.read(e, &m) {
			return
		}
		if query.Has("get") {
			v.ReadAt = e.T
			putMetrics(v.Metrics, m)
			return
		}
		v.MetricIDs = idsOf(m)
	case "subtasks/metrics":
		v.addAggregates(e, query)
	case "jm-operator-metrics":
		var m metricList
		if v.read(e, &m) && query.Has("get") {
			if v.Coordinator == nil {
				v.Coordinator = map[string]string{}
			}
			putMetrics(v.Coordinator, m)
		}
	}
}

func (v *VertexSample) addAggregates(e Entry, query url.Values) {
	if !query.Has("get") {
		var m metricList
		if v.read(e, &m) {
			v.AggregateIDs = idsOf(m)
		}
		return
	}
	var aggs []Aggregate
	if v.read(e, &aggs) {
		for _, a := range aggs {
			v.Aggregates[a.ID] = a
		}
	}
}

func (v *VertexSample) read(e Entry, into any) bool {
	f, ok := decode(e, into)
	if f != (Failure{}) {
		v.Failures = append(v.Failures, f)
	}
	return ok
}

func putMetrics(into map[string]string, ms metricList) {
	for _, m := range ms {
		into[m.ID] = m.Value
	}
}

func idsOf(ms metricList) []string {
	ids := make([]string, len(ms))
	for i, m := range ms {
		ids[i] = m.ID
	}
	return ids
}
