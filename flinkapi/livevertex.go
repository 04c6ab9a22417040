package flinkapi

import (
	"slices"
	"strconv"

	"github.com/tidwall/gjson"
)

// vertexTask is a vertex to read, and how.
type vertexTask struct {
	id          string
	parallelism int
	source      bool
	full        bool // every interesting metric of every subtask
}

// estimate is what reading the vertex costs at least, in requests.
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
	if !v.source { // of a source it is always empty (JobVertexWatermarksHandler)
		if e, err := v.ask("/watermarks"); err == nil {
			inputs, _ = parseMetrics(e.Body)
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
		if e, err := v.ask("/metrics"); err == nil {
			v.askMetrics(filterIDs(metricIDs(e.Body), detail))
		}
		return
	}
	v.look(inputs)
}

// readBackpressure also dates the metric cache; a large vertex is asked only where its aggregates
// say that it is under pressure, since the date is the same for all.
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

func atLeast(version string, major, minor int) bool {
	var got [2]int
	for i, rest := 0, version; i < 2; i++ {
		n := 0
		for n < len(rest) && rest[n] >= '0' && rest[n] <= '9' {
			n++
		}
		got[i], _ = strconv.Atoi(rest[:n])
		rest = rest[min(n+1, len(rest)):]
	}
	return got[0] > major || got[0] == major && got[1] >= minor
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
	slices.Sort(ids) // the cluster lists them in any order; the same ids make the same requests
	paths, tooLong := v.job.run.c.batches(v.base+"/metrics?get=", ids, "")
	for _, id := range tooLong {
		v.job.run.note(v.base+"/metrics", "the metric id of "+strconv.Itoa(len(id))+" bytes fits no request: "+shorten(id))
	}
	var all metricList
	for _, e := range v.job.run.askAll(paths) {
		ms, _ := parseMetrics(e.Body)
		all = append(all, ms...)
	}
	return all
}
