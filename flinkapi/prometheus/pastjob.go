package prometheus

import (
	"math"
	"slices"
	"sort"
	"strings"

	"tidemark/flinkapi"
)

// jitter is the possible difference, ms, between the start times that two scrapes of one run
// report.
const jitter = 1500

// past is a job at one instant; entries turns it into REST answers.
type past struct {
	id, name string
	known    flinkapi.JobDetails // from the graph; its ID is "" without one
	names    restorer
	vertices map[string]*pastVertex
	gauges   map[string]Point // gauges of the job, by metric name without prefix
	at       int64            // epoch ms
	began    *int64           // when the job last began to run, as first reported; nil outside a walk
}

type pastVertex struct {
	id, name    string
	parallelism int
	at          int64 // its newest sample, epoch ms
	ids         []string
	values      map[string]string
	subtasks    map[int]*pastSubtask
	sums        map[string]float64 // sums over subtasks, by metric name of the task
	complete    map[string]int     // number of subtasks that have the metric

	large   bool                   // most of its values are aggregated over all subtasks
	running int                    // subtasks that report, if large
	whole   map[string]*[3]float64 // min, max and sum over the subtasks, by id without a subtask
}

type pastSubtask struct {
	attempt             int
	tm                  string
	at                  int64   // its newest sample, epoch ms
	busy, pressed, idle float64 // ms per second, NaN = unknown
}

// newPast sorts the values of an instant by vertex and subtask. A vertex of the known graph is
// listed even without a sample.
func newPast(id, name string, known flinkapi.JobDetails, names restorer, m moment) *past {
	p := &past{id: id, name: name, known: known, names: names, vertices: map[string]*pastVertex{}, gauges: map[string]Point{}, at: m.at}
	for _, v := range known.Vertices {
		p.vertices[v.ID] = newPastVertex(v.ID, v.Name, v.Parallelism)
	}
	var tasks []Series
	for _, v := range m.values {
		if gauge, ofJob := strings.CutPrefix(v.labels["__name__"], jobPrefix); ofJob {
			p.gauges[gauge] = v.p
		} else {
			tasks = append(tasks, Series{Labels: v.labels})
		}
	}
	splits := splitNames(tasks)
	for _, v := range m.values {
		if id, ok := p.names.restore(v.labels, splits); ok {
			p.put(id, v)
		}
	}
	return p
}

func newPastVertex(id, name string, parallelism int) *pastVertex {
	return &pastVertex{id: id, name: name, parallelism: parallelism, values: map[string]string{}, subtasks: map[int]*pastSubtask{}, sums: map[string]float64{}, complete: map[string]int{}, whole: map[string]*[3]float64{}}
}

func (p *past) put(id string, v value) {
	vertex := p.vertices[v.labels["task_id"]]
	if vertex == nil {
		if p.known.ID != "" { // not a task of this job's graph
			return
		}
		vertex = newPastVertex(v.labels["task_id"], v.labels["task_name"], 0)
		p.vertices[vertex.id] = vertex
	}
	m, ok := flinkapi.ParseMetricID(id)
	if !ok || m.Subtask < 0 || m.Subtask >= 1<<15 {
		return
	}
	if vertex.at = max(vertex.at, v.p.T); p.known.ID == "" {
		vertex.parallelism = max(vertex.parallelism, m.Subtask+1)
	}
	sub := vertex.subtasks[m.Subtask]
	if sub == nil {
		nan := math.NaN()
		sub = &pastSubtask{busy: nan, pressed: nan, idle: nan}
		vertex.subtasks[m.Subtask] = sub
	}
	sub.attempt, sub.tm, sub.at = attempt(v.labels), v.labels["tm_id"], max(sub.at, v.p.T)
	if m.Operator == "" {
		switch m.Name {
		case "busyTimeMsPerSecond":
			sub.busy = v.p.V
		case "backPressuredTimeMsPerSecond":
			sub.pressed = v.p.V
		case "idleTimeMsPerSecond":
			sub.idle = v.p.V
		}
	}
	if _, twice := vertex.values[id]; !twice {
		vertex.ids = append(vertex.ids, id)
		if m.Operator == "" {
			vertex.sums[m.Name] += v.p.V
			vertex.complete[m.Name]++
		}
	}
	vertex.values[id] = v.p.text()
}

// state is the JobStatus that the job's time metrics show (JobStatusMetrics: the current one is
// above 0); RUNNING if only the tasks report.
func (p *past) state() string {
	for _, s := range []struct{ gauge, state string }{
		{"failingTime", "FAILING"}, {"cancellingTime", "CANCELLING"}, {"restartingTime", "RESTARTING"},
		{"runningTime", "RUNNING"}, {"initializingTime", "INITIALIZING"}, {"createdTime", "CREATED"},
	} {
		if g, ok := p.gauges[s.gauge]; ok && g.V > 0 {
			return s.state
		}
	}
	if p.hasTasks() || p.gauges["uptime"].V > 0 {
		return "RUNNING"
	}
	return ""
}

func (p *past) hasTasks() bool {
	for _, v := range p.vertices {
		if len(v.values) > 0 {
			return true
		}
	}
	return false
}

// sorted are the vertices in a fixed order, upstream first if the graph is known.
func (p *past) sorted() []*pastVertex {
	var all []*pastVertex
	for _, v := range p.known.Vertices {
		if v := p.vertices[v.ID]; v != nil && !slices.Contains(all, v) {
			all = append(all, v)
		}
	}
	if p.known.ID != "" {
		return all
	}
	for _, v := range p.vertices {
		all = append(all, v)
	}
	sort.Slice(all, func(i, k int) bool { return all[i].id < all[k].id })
	return all
}

// isSource: only a task that reads from another one registers an input watermark for the task.
func (v *pastVertex) isSource() bool {
	return !slices.ContainsFunc(v.ids, func(id string) bool {
		m, _ := flinkapi.ParseMetricID(id)
		return m.Operator == "" && strings.HasPrefix(m.Name, "currentInput")
	})
}
