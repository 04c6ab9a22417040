package prometheus

import (
	"encoding/json"
	"math"
	"slices"
	"sort"
	"strconv"
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

// plan is the graph, or what metrics show of it: which vertices are sources, and that all others
// are somewhere downstream of them.
func (p *past) plan() flinkapi.Plan {
	if len(p.known.Plan.Nodes) > 0 {
		return p.known.Plan
	}
	var plan flinkapi.Plan
	var inputs []flinkapi.PlanInput
	for _, v := range p.sorted() {
		if v.isSource() {
			inputs = append(inputs, flinkapi.PlanInput{Num: len(inputs), ID: v.id})
		}
	}
	for _, v := range p.sorted() {
		n := flinkapi.PlanNode{ID: v.id, Parallelism: v.parallelism}
		if !v.isSource() {
			n.Inputs = inputs
		}
		plan.Nodes = append(plan.Nodes, n)
	}
	return plan
}

// details is GET /jobs/:jobid as it would have been.
func (p *past) details() flinkapi.JobDetails {
	d := flinkapi.JobDetails{ID: p.id, Name: p.name, State: p.state(), JobType: p.known.JobType, Now: p.at, Plan: p.plan(), Timestamps: map[string]int64{}}
	if p.known.Name != "" {
		d.Name = p.known.Name
	}
	up := p.gauges["uptime"].V
	if g, ok := p.gauges["runningTime"]; ok {
		up = g.V
	}
	d.StartTime = p.known.StartTime
	if up > 0 {
		began := max(p.gauges["uptime"].T, p.gauges["runningTime"].T) - int64(up)
		if p.began != nil { // a scrape takes a moment, so each one gives a slightly different time
			if away := began - *p.began; away > jitter || away < -jitter {
				*p.began = began
			}
			began = *p.began
		}
		d.Timestamps["RUNNING"] = began
		if d.StartTime == 0 {
			d.StartTime = began
		}
	}
	for _, v := range p.sorted() {
		jv := flinkapi.JobVertex{ID: v.id, Name: v.name, Parallelism: v.parallelism, Status: d.State, StartTime: d.Timestamps["RUNNING"], Tasks: map[string]int{d.State: v.parallelism}}
		if was := p.endedBefore(v.id); was != "" {
			jv.Status, jv.Tasks = was, map[string]int{was: v.parallelism}
		}
		sum := func(name string) (float64, bool) { return v.sums[name], v.complete[name] == v.parallelism }
		read, all := sum("numRecordsIn")
		wrote, allWrote := sum("numRecordsOut")
		jv.Metrics = flinkapi.IOMetrics{ReadRecords: int64(read), ReadRecordsComplete: all, WriteRecords: int64(wrote), WriteRecordsComplete: allWrote}
		for name, into := range map[string]*flinkapi.Float{"accumulateIdleTimeMs": &jv.Metrics.AccumulatedIdle, "accumulateBusyTimeMs": &jv.Metrics.AccumulatedBusy, "accumulateBackPressuredTimeMs": &jv.Metrics.AccumulatedBackpressured} {
			*into = flinkapi.Float(v.sums[name])
		}
		d.Vertices = append(d.Vertices, jv)
	}
	return d
}

// endedBefore is FINISHED for a vertex that has ended according to the graph and sends nothing.
func (p *past) endedBefore(id string) string {
	if v := p.vertices[id]; v != nil && len(v.values) > 0 {
		return ""
	}
	for _, v := range p.known.Vertices {
		if v.ID == id && v.Status == "FINISHED" && v.EndTime > 0 && v.EndTime <= p.at {
			return v.Status
		}
	}
	return ""
}

// entries are the answers that REST would have given.
func (p *past) entries() []flinkapi.Entry {
	base := "/jobs/" + p.id
	d := p.details()
	all := []flinkapi.Entry{answer(p.at, base, d)}
	var gauges []flinkapi.Metric
	for name, g := range p.gauges {
		gauges = append(gauges, flinkapi.Metric{ID: name, Value: g.text()})
	}
	sort.Slice(gauges, func(i, k int) bool { return gauges[i].ID < gauges[k].ID })
	if len(gauges) > 0 {
		all = append(all, answer(p.at, base+"/metrics?get=uptime", gauges))
	}
	all = append(all, p.checkpoints(base)...)
	if d.State != "RUNNING" {
		return all
	}
	for _, v := range p.sorted() {
		if p.endedBefore(v.id) == "" {
			all = append(all, v.entries(base+"/vertices/"+v.id, p.at)...)
		}
	}
	return all
}

// checkpoints is GET /jobs/:jobid/checkpoints, as far as the JobManager's gauges show it.
func (p *past) checkpoints(base string) []flinkapi.Entry {
	failed, told := p.gauges["numberOfFailedCheckpoints"]
	if !told {
		return nil
	}
	body := map[string]any{"counts": map[string]any{"completed": int64(p.gauges["numberOfCompletedCheckpoints"].V), "failed": int64(failed.V)}}
	latest := map[string]any{}
	if at := p.gauges["lastCheckpointRestoreTimestamp"]; at.V > 0 {
		latest["restored"] = map[string]any{"restore_timestamp": int64(at.V)}
	}
	if id, took := p.gauges["lastCompletedCheckpointId"], p.gauges["lastCheckpointDuration"]; id.V > 0 && took.V >= 0 {
		size, whole := p.gauges["lastCheckpointFullSize"] // lastCheckpointSize is only what an incremental checkpoint wrote
		if !whole {
			size = p.gauges["lastCheckpointSize"]
		}
		latest["completed"] = map[string]any{"id": int64(id.V), "state_size": int64(size.V), "end_to_end_duration": int64(took.V)}
	}
	body["latest"] = latest
	return []flinkapi.Entry{answer(p.at, base+"/checkpoints", body)}
}

// entries are the answers about a vertex; its newest sample counts as the end of a metric fetch.
func (v *pastVertex) entries(base string, at int64) []flinkapi.Entry {
	sort.Strings(v.ids)
	listed, values, inputs := []flinkapi.Metric{}, []flinkapi.Metric{}, []flinkapi.Metric{}
	for _, id := range v.ids {
		listed = append(listed, flinkapi.Metric{ID: id})
		values = append(values, flinkapi.Metric{ID: id, Value: v.values[id]})
		if m, _ := flinkapi.ParseMetricID(id); m.Operator == "" && m.Name == "currentInputWatermark" {
			inputs = append(inputs, flinkapi.Metric{ID: id, Value: v.values[id]})
		}
	}
	if v.at > 0 {
		at = v.at
	}
	pressure := map[string]any{"status": "ok", "end-timestamp": at}
	var ratios []map[string]any
	details := map[string]any{"id": v.id, "name": v.name, "now": at}
	var subtasks []map[string]any
	for i := range v.parallelism {
		s := v.subtasks[i]
		if s == nil {
			continue
		}
		subtasks = append(subtasks, map[string]any{"subtask": i, "status": "RUNNING", "attempt": s.attempt, "taskmanager-id": s.tm})
		if !math.IsNaN(s.busy) && !math.IsNaN(s.pressed) && !math.IsNaN(s.idle) {
			ratios = append(ratios, map[string]any{"subtask": i, "ratio": s.pressed / 1000, "busyRatio": s.busy / 1000, "idleRatio": s.idle / 1000})
		}
	}
	pressure["subtasks"], details["subtasks"] = ratios, subtasks
	all := []flinkapi.Entry{answer(at, base, details)}
	if v.large {
		all = append(all, v.aggregates(base, at)...)
	} else {
		all = append(all, answer(at, base+"/metrics", listed))
	}
	if len(inputs) > 0 {
		all = append(all, answer(at, base+"/watermarks", inputs))
	}
	if len(v.ids) > 0 {
		all = append(all, answer(at, base+"/backpressure", pressure), answer(at, base+"/metrics?get="+strings.Join(v.asked(), ","), values))
	}
	return all
}

// asked are the ids that a reading requests. For a large source those of every subtask, so that a
// subtask that reports nothing is noticed.
func (v *pastVertex) asked() []string {
	if !v.large || !v.isSource() {
		return v.ids[:1]
	}
	ids := slices.Clone(v.ids)
	for id := range v.whole {
		if strings.HasSuffix(id, ".currentOutputWatermark") {
			for i := range v.parallelism {
				ids = append(ids, strconv.Itoa(i)+"."+id)
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// date sets when each subtask of the newest sample was scraped.
func (p *past) date(j flinkapi.JobCapture) {
	if len(j.Samples) == 0 {
		return
	}
	for id, v := range j.Samples[len(j.Samples)-1].Vertices {
		if scraped := p.vertices[id]; scraped != nil {
			v.SubtaskAt = map[int]int64{}
			for i, sub := range scraped.subtasks {
				v.SubtaskAt[i] = sub.at
			}
		}
	}
}

// answer is a REST answer of an instant.
func answer(at int64, path string, body any) flinkapi.Entry {
	raw, err := json.Marshal(body)
	if err != nil {
		return missing(at, path, flinkapi.GapField, err.Error())
	}
	return flinkapi.Entry{T: at, Path: path, Status: 200, Body: raw}
}

// missing is a missing answer, with the reason.
func missing(at int64, path string, reason flinkapi.GapReason, cause string) flinkapi.Entry {
	raw, _ := json.Marshal(cause)
	return flinkapi.Entry{T: at, Path: path, Body: raw, Fault: reason}
}
