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
