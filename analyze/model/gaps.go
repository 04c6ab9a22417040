package model

import "tidemark/flinkapi"

// takeGaps keeps what the samples that are compared lack, and what could not be read of the job after
// them. Samples in between are no evidence here.
func (j *Job) takeGaps(jc flinkapi.JobCapture) {
	if why, unreadable := jc.Unreadable(); unreadable {
		j.Unreadable = &why
	}
	for _, g := range jc.Gaps() {
		s := jc.Samples[g.Sample]
		if s == j.Now || s == j.Before || !s.HasJob {
			j.Gaps = append(j.Gaps, g)
		}
	}
	j.samples = len(jc.Samples)
	for k, s := range jc.Samples {
		if s == j.Now {
			j.nowAt = k
		}
	}
}

// InNow reports a gap in the newest sample; what a claim rests on is missing in either.
func (j *Job) InNow(g flinkapi.Gap) bool { return j.Now != nil && g.Sample == j.nowAt }

// SampleCount is how many readings were taken of the job, those that failed included.
func (j *Job) SampleCount() int { return j.samples }

// GapsOf are the gaps of a vertex.
func (j *Job) GapsOf(v *Vertex) []flinkapi.Gap {
	if j.gapsOf == nil {
		j.gapsOf = map[string][]flinkapi.Gap{}
		for _, g := range j.Gaps {
			j.gapsOf[g.Vertex] = append(j.gapsOf[g.Vertex], g)
		}
	}
	return j.gapsOf[v.ID]
}

// Broken is the gap that ended the reading of the job after the newest sample that holds it: the job
// or the cluster was gone, or refused it.
func (j *Job) Broken() (flinkapi.Gap, bool) {
	for _, g := range j.Gaps {
		if g.Endpoint == flinkapi.JobAnswer && (j.Now == nil || g.Sample > j.nowAt) {
			return g, true
		}
	}
	return flinkapi.Gap{}, false
}

// OneFetch says why no two metric fetches are compared.
func (j *Job) OneFetch() string {
	if j.RestartedBetween() {
		return "the job restarted between the samples"
	}
	if _, broken := j.Broken(); broken {
		return "the job could not be read a second time"
	}
	return "one metric fetch only"
}

func noPlan(g flinkapi.Gap) bool {
	return g.Endpoint == flinkapi.JobPlan && g.Reason == flinkapi.GapUnread
}

// Bears reports a gap that a claim of the running job rests on: a watermark, a late counter, or, where
// event time does not certainly advance, whether records flow.
func (j *Job) Bears(g flinkapi.Gap) bool {
	switch {
	case g.Reason == flinkapi.GapEnd || noPlan(g) || g.Endpoint == flinkapi.JobAnswer && g.Reason != flinkapi.GapField:
		return true
	case g.Vertex == "" || g.Reason == flinkapi.GapSpared || !j.Running() || j.Batch:
		return false
	}
	v := j.Vertex(g.Vertex)
	if v == nil || v.Status != "RUNNING" {
		return false
	}
	if g.Endpoint == flinkapi.VertexWatermarks && g.IDs == nil {
		return !v.inputsRead(j, g)
	}
	stands := !MovedCertainly(v.EventTime())
	return g.Lacks(func(m flinkapi.MetricID) bool {
		return m.IsWatermark() || m.IsLateCounter() || stands && (m.Name == "numRecordsIn" || m.Name == "numRecordsOut")
	})
}

// inputsRead reports that the input watermark of each subtask came by another answer.
func (v *Vertex) inputsRead(j *Job, g flinkapi.Gap) bool {
	for _, s := range v.Subtasks {
		if w := s.In.Before; j.InNow(g) && !s.In.Now.Readable() || !j.InNow(g) && !w.Readable() {
			return false
		}
	}
	return len(v.Subtasks) > 0
}
