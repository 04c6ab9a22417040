package flinkapi

import (
	"slices"
	"strconv"

	"github.com/tidwall/gjson"
)

// vertexTask is a vertex and how to read it.
type vertexTask struct {
	id          string
	parallelism int
	running     int // running subtasks, according to the job
	source      bool
	full        bool // every interesting metric of every subtask
}

// estimate is the least number of requests that reading the vertex needs.
func (t vertexTask) estimate() int {
	switch {
	case t.full:
		return 5 + t.parallelism/4
	case t.source:
		return 5 + t.parallelism/30
	}
	return 3
}

// liveVertex reads one vertex for one sample.
type liveVertex struct {
	vertexTask
	job  *liveJob
	base string
}

func (v *liveVertex) ask(path string) (Entry, error) { return v.job.run.ask(v.base + path) }

func (v *liveVertex) read() {
	var inputs metricList
	if !v.source { // always empty for a source (JobVertexWatermarksHandler)
		if v.askTwice("/watermarks", func(s *VertexSample) bool { return len(s.Watermarks) >= v.running }) {
			inputs = v.assembled().Watermarks
		}
	}
	if v.full || v.source {
		v.readBackpressure()
	}
	if v.source && v.job.run.hasCoordinatorMetrics() {
		v.readCoordinator()
	}
	if v.full {
		v.ask("")
		if v.askTwice("/metrics", func(s *VertexSample) bool { return len(s.MetricIDs) > 0 || v.running == 0 }) {
			v.askMetrics(filterIDs(v.assembled().MetricIDs, detail))
		}
		return
	}
	v.look(inputs)
}

// askTwice requests path again if the answer has less than a running vertex must show.
func (v *liveVertex) askTwice(path string, enough func(*VertexSample) bool) bool {
	_, err := v.ask(path)
	if err == nil && !enough(v.assembled()) && v.again(1) {
		v.ask(path) // the first answer is used as well
	}
	return err == nil
}

// again waits a moment and reserves requests for a second attempt; false if none are left.
func (v *liveVertex) again(requests int) bool {
	r := v.job.run
	return v.job.reserve(requests) && r.c.opts.Sleep(r.ctx, r.c.opts.RetryWait) == nil
}

// assembled is what the answers about this vertex in this sample amount to. Only answers about
// this vertex change it.
func (v *liveVertex) assembled() *VertexSample {
	r := v.job.run
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.asm.jobs[v.job.id].last().vertex(v.id)
}

// readBackpressure also gives the time of the metric fetch. A large vertex is only read if its
// aggregates show back pressure, because that time is the same for all.
func (v *liveVertex) readBackpressure() {
	if e, err := v.ask("/backpressure"); err == nil {
		v.job.run.sawFetch(gjson.GetBytes(e.Body, "end-timestamp").Int())
	}
}

func (r *liveRun) sawFetch(at int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fetched = max(r.fetched, at)
}

// hasCoordinatorMetrics: jm-operator-metrics exists since 1.20.
func (r *liveRun) hasCoordinatorMetrics() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return atLeast(r.asm.capture.Overview.FlinkVersion, 1, 20)
}

func (v *liveVertex) readCoordinator() {
	e, err := v.ask("/jm-operator-metrics")
	if err != nil {
		return
	}
	if ids := metricIDs(e.Body); len(ids) > 0 {
		paths, _ := v.job.run.c.batches(v.base+"/jm-operator-metrics?get=", ids, "")
		v.job.run.askAll(paths)
	}
}

// askMetrics reads per-subtask values, as exact strings.
func (v *liveVertex) askMetrics(ids []string) metricList {
	slices.Sort(ids) // the cluster lists them in any order; equal ids must make equal requests
	paths, tooLong := v.job.run.c.batches(v.base+"/metrics?get=", ids, "")
	for _, id := range tooLong {
		v.job.run.note(v.base+"/metrics", GapSpared, "the metric id of "+strconv.Itoa(len(id))+" bytes is too long for a request:  "+shorten(id))
	}
	all, left := v.answered(paths)
	if left = v.listed(left); len(left) > 0 {
		if paths, _ = v.job.run.c.batches(v.base+"/metrics?get=", left, ""); v.again(len(paths)) {
			more, _ := v.answered(paths)
			all = append(all, more...)
		}
	}
	return all
}

// answered reads batches of values; left are the ids without a value.
func (v *liveVertex) answered(paths []string) (all metricList, left []string) {
	for _, e := range v.job.run.askAll(paths) {
		ms, _ := parseMetrics(e.Body)
		all = append(all, ms...)
		has := make(map[string]bool, len(ms))
		for _, m := range ms {
			has[m.ID] = m.Value != ""
		}
		for _, id := range e.question().ids {
			if !has[id] {
				left = append(left, id)
			}
		}
	}
	return all, left
}

// listed keeps the ids that the cluster listed.
func (v *liveVertex) listed(ids []string) []string {
	if len(ids) == 0 {
		return nil
	}
	s := v.assembled()
	listed := map[string]bool{}
	for _, id := range s.MetricIDs {
		listed[id] = true
	}
	return slices.DeleteFunc(ids, func(id string) bool { return !s.lists(listed, MetricValues, id) })
}
