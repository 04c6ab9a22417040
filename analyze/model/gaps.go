package model

import "tidemark/flinkapi"

// takeGaps keeps the gaps of the two samples that are compared, and of samples that do not contain the job.
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

// InNow reports a gap in the newest sample.
func (j *Job) InNow(g flinkapi.Gap) bool { return j.Now != nil && g.Sample == j.nowAt }

// SampleCount is how many samples were taken of the job, failed ones included.
func (j *Job) SampleCount() int { return j.samples }

// GapsOf lists the gaps of a vertex.
func (j *Job) GapsOf(v *Vertex) []flinkapi.Gap {
	if j.gapsOf == nil {
		j.gapsOf = map[string][]flinkapi.Gap{}
		for _, g := range j.Gaps {
			j.gapsOf[g.Vertex] = append(j.gapsOf[g.Vertex], g)
		}
	}
	return j.gapsOf[v.ID]
}

// Broken is the gap because of which the job could not be read again after Now: the job or the cluster was gone, or the
// request was refused.
func (j *Job) Broken() (flinkapi.Gap, bool) {
	for _, g := range j.Gaps {
		if g.Endpoint == flinkapi.JobAnswer && (j.Now == nil || g.Sample > j.nowAt) {
			return g, true
		}
	}
	return flinkapi.Gap{}, false
}

// OneFetch says why two metric fetches could not be compared.
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

// Bears reports a gap that a claim about the running job depends on: a watermark, a late counter, or, where the watermark
// does not certainly advance, whether records flow.
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

// inputsRead reports that the input watermark of each subtask was read from another answer.
func (v *Vertex) inputsRead(j *Job, g flinkapi.Gap) bool {
	for _, s := range v.Subtasks {
		if w := s.In.Before; j.InNow(g) && !s.In.Now.Readable() || !j.InNow(g) && !w.Readable() {
			return false
		}
	}
	return len(v.Subtasks) > 0
}
