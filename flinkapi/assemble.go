package flinkapi

import (
	"slices"
	"sort"
	"strings"
)

// Assemble turns REST answers, from however many batches, into a Capture. Each GET /jobs/:jobid
// starts a new sample of its job; metrics are merged by id within a sample.
func Assemble(entries []Entry) *Capture {
	a := newAssembler()
	for _, e := range entries {
		a.add(e)
	}
	return a.finish()
}

type assembler struct {
	capture   *Capture
	overviews []JobOverview
	jobs      map[string]*jobAssembly
	lastAt    int64 // client time of the newest answer, epoch ms
}

func newAssembler() *assembler {
	return &assembler{capture: &Capture{Config: map[string]string{}}, jobs: map[string]*jobAssembly{}}
}

type jobAssembly struct {
	samples []*Sample
	asked   bool // the last sample has an answer to GET /jobs/:jobid, even a failed one
}

func (a *assembler) add(e Entry) {
	q := e.question()
	a.lastAt = max(a.lastAt, e.T)
	switch q.endpoint {
	case ClusterOverview:
		a.clusterRead(e, q, &a.capture.Overview)
	case ClusterDashboard:
		var d Dashboard
		a.clusterRead(e, q, &d)
		if a.capture.Overview.FlinkVersion == "" {
			a.capture.Overview.FlinkVersion = d.FlinkVersion
		}
	case ClusterConfig:
		var c []ConfigEntry
		if a.clusterRead(e, q, &c) {
			a.capture.HasConfig = true
		}
		for _, kv := range c {
			a.capture.Config[kv.Key] = kv.Value
		}
	case TaskManagerList:
		var t struct {
			TaskManagers []TaskManager `json:"taskmanagers"`
		}
		if a.clusterRead(e, q, &t) {
			for _, was := range a.capture.TaskManagers {
				if !slices.ContainsFunc(t.TaskManagers, func(is TaskManager) bool { return is.ID == was.ID }) {
					a.capture.Lost = append(a.capture.Lost, was)
				}
			}
			a.capture.TaskManagers = t.TaskManagers
		}
	case JobList:
		var o struct {
			Jobs []JobOverview `json:"jobs"`
		}
		if a.clusterRead(e, q, &o) {
			a.overviews = o.Jobs
		}
	default:
		if q.job == "" {
			return
		}
		j := a.jobs[q.job]
		if j == nil {
			j = &jobAssembly{}
			a.jobs[q.job] = j
		}
		j.add(e, q)
	}
}

// clusterRead decodes an answer about the cluster, or stores why that failed.
func (a *assembler) clusterRead(e Entry, q question, into any) bool {
	g, ok := decode(e, q, into)
	if g.Reason != "" {
		g.Sample = -1
		a.capture.Missing = append(a.capture.Missing, g)
	}
	return ok
}

func isHexID(s string) bool {
	return len(s) == 32 && strings.Trim(s, "0123456789abcdefABCDEF") == ""
}

// finish returns the capture so far; later answers are in the next one.
func (a *assembler) finish() *Capture {
	c := *a.capture
	c.Missing, c.Jobs, c.Listed = slices.Clone(c.Missing), nil, a.overviews
	byID := map[string]JobOverview{}
	for _, o := range a.overviews {
		byID[o.ID] = o
	}
	for id, j := range a.jobs {
		jc := JobCapture{ID: id, Name: byID[id].Name, Listed: byID[id]}
		began := int64(0)
		if len(j.samples) == 1 { // who compares samples waits for the numbers of a fetch
			began = a.began()
		}
		for _, s := range j.samples {
			s = s.clone()
			s.Overview = byID[id]
			s.shareFetch(began)
			if s.HasJob {
				jc.Name = s.Job.Name
			}
			if len(s.Plan.Nodes) == 0 {
				s.Plan = s.Job.Plan
			}
			s.settleGaps(c.FlinkVersion())
			jc.Samples = append(jc.Samples, s)
			if s.Job.Now > c.ReadAt {
				c.ReadAt = s.Job.Now
			}
			if s.HasJob && c.SkewMs == 0 {
				c.SkewMs = s.Job.Now - s.ReadAt
			}
		}
		fillFromEarlier(jc.Samples)
		c.Jobs = append(c.Jobs, jc)
	}
	if c.ReadAt == 0 { // no job reported the time
		c.ReadAt = a.lastAt
	}
	sort.Slice(c.Jobs, func(i, k int) bool {
		x, y := c.Jobs[i], c.Jobs[k]
		return x.Name < y.Name || x.Name == y.Name && x.ID < y.ID
	})
	return &c
}

// began is the JobManager's clock at the start of the first samples, epoch ms: one fetch serves
// all jobs.
func (a *assembler) began() int64 {
	first := int64(0)
	for _, j := range a.jobs {
		if len(j.samples) > 0 {
			if now := j.samples[0].Job.Now; now > 0 && (first == 0 || now < first) {
				first = now
			}
		}
	}
	return first
}

// forget drops all but the last two samples: a caller that samples for long has received them.
func (a *assembler) forget() {
	for _, j := range a.jobs {
		if n := len(j.samples) - 2; n > 0 {
			fillFromEarlier(j.samples)
			j.samples = slices.Clone(j.samples[n:])
		}
	}
}

// clone copies a sample; what no longer changes is shared with s.
func (s *Sample) clone() *Sample {
	c := *s
	c.Missing, c.Vertices = slices.Clone(s.Missing), make(map[string]*VertexSample, len(s.Vertices))
	for id, v := range s.Vertices {
		own := *v
		own.Missing = slices.Clone(v.Missing)
		c.Vertices[id] = &own
	}
	return &c
}

// fillFromEarlier copies what does not change and is read only once into the later samples.
func fillFromEarlier(samples []*Sample) {
	for i := 1; i < len(samples); i++ {
		prev, s := samples[i-1], samples[i]
		if len(s.Plan.Nodes) == 0 {
			s.Plan = prev.Plan
		}
		if s.JobConfig == nil {
			s.JobConfig = prev.JobConfig
		}
		if s.CheckpointConfig == nil {
			s.CheckpointConfig = prev.CheckpointConfig
		}
	}
}
