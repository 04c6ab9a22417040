package flinkapi

import (
	"encoding/json"
	"errors"
	"sort"
	"strings"
)

// Assemble orders REST answers, from whichever batches they came, into a Capture: per job one
// sample each time GET /jobs/:jobid was read, and metrics merged by id within a sample.
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
}

func newAssembler() *assembler {
	return &assembler{capture: &Capture{Config: map[string]string{}}, jobs: map[string]*jobAssembly{}}
}

type jobAssembly struct {
	samples []*Sample
}

func (a *assembler) add(e Entry) {
	seg, query := e.Route()
	switch {
	case len(seg) == 1 && seg[0] == "overview":
		a.clusterRead(e, &a.capture.Overview)
	case len(seg) == 1 && seg[0] == "config":
		var d Dashboard
		a.clusterRead(e, &d)
		if a.capture.Overview.FlinkVersion == "" {
			a.capture.Overview.FlinkVersion = d.FlinkVersion
		}
	case len(seg) == 2 && seg[0] == "jobmanager" && seg[1] == "config":
		var c []ConfigEntry
		if a.clusterRead(e, &c) {
			a.capture.HasConfig = true
		}
		for _, kv := range c {
			a.capture.Config[kv.Key] = kv.Value
		}
	case len(seg) == 1 && seg[0] == "taskmanagers":
		var t struct {
			TaskManagers []TaskManager `json:"taskmanagers"`
		}
		if a.clusterRead(e, &t) {
			a.capture.TaskManagers = t.TaskManagers
		}
	case len(seg) == 2 && seg[0] == "jobs" && seg[1] == "overview":
		var o struct {
			Jobs []JobOverview `json:"jobs"`
		}
		if a.clusterRead(e, &o) {
			a.overviews = o.Jobs
		}
	case len(seg) >= 2 && seg[0] == "jobs" && isHexID(seg[1]):
		j := a.jobs[seg[1]]
		if j == nil {
			j = &jobAssembly{}
			a.jobs[seg[1]] = j
		}
		j.add(e, seg, query)
	}
}

// clusterRead decodes a cluster-level answer, or keeps why that failed.
func (a *assembler) clusterRead(e Entry, into any) bool {
	f, ok := decode(e, into)
	if f != (Failure{}) {
		a.capture.Failures = append(a.capture.Failures, f)
	}
	return ok
}

// decode reads an answer. A failure with true means that a part of it could not be read.
func decode(e Entry, into any) (Failure, bool) {
	if !e.OK() {
		return Failure{Path: shorten(e.Path), Status: e.Status, Reason: DeepestCause(e.Body)}, false
	}
	err := error(nil)
	if list, ok := into.(*metricList); ok {
		*list, err = parseMetrics(e.Body)
	} else {
		err = json.Unmarshal(e.Body, into)
	}
	if err != nil {
		return Failure{Path: shorten(e.Path), Status: e.Status, Reason: oneLine("the answer is not the JSON expected here: " + err.Error())}, onlyAField(err)
	}
	return Failure{}, true
}

// onlyAField reports a field of another type than expected, such as "NaN" for a number: it is left
// out and told, the rest of the answer counts.
func onlyAField(err error) bool {
	var field *json.UnmarshalTypeError
	return errors.As(err, &field) && field.Field != ""
}

func isHexID(s string) bool {
	return len(s) == 32 && strings.Trim(s, "0123456789abcdefABCDEF") == ""
}

func (a *assembler) finish() *Capture {
	byID := map[string]JobOverview{}
	for _, o := range a.overviews {
		byID[o.ID] = o
	}
	for id, j := range a.jobs {
		jc := JobCapture{ID: id, Name: byID[id].Name}
		for _, s := range j.samples {
			s.Overview = byID[id]
			s.shareFetch()
			if s.HasJob {
				jc.Name = s.Job.Name
			}
			if len(s.Plan.Nodes) == 0 {
				s.Plan = s.Job.Plan
			}
			jc.Samples = append(jc.Samples, s)
			if s.Job.Now > a.capture.ReadAt {
				a.capture.ReadAt = s.Job.Now
			}
			if s.HasJob && a.capture.SkewMs == 0 {
				a.capture.SkewMs = s.Job.Now - s.ReadAt
			}
		}
		fillFromEarlier(jc.Samples)
		a.capture.Jobs = append(a.capture.Jobs, jc)
	}
	sort.Slice(a.capture.Jobs, func(i, k int) bool {
		x, y := a.capture.Jobs[i], a.capture.Jobs[k]
		return x.Name < y.Name || x.Name == y.Name && x.ID < y.ID
	})
	return a.capture
}

// fillFromEarlier carries what does not change, and is read once, into the later samples.
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
