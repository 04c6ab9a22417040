package flinktest

import (
	"encoding/json"
	"net/http"
	"net/url"
	"sort"
	"strconv"
	"strings"

	"tidemark/flinkapi"
)

// replayJob is a job of a recording: one replaySample for each time it was read.
type replayJob struct{ samples []*replaySample }

type replaySample struct {
	read     bool
	verbatim map[string]flinkapi.Entry // answers without metric values, by path below the job
	vertices map[string]*replayVertex
	metrics  map[string]string
}

type replayVertex struct {
	values      map[string]string // "0.op.metric" to value
	listed      map[string]bool   // ids the cluster listed
	aggregates  map[string]map[string]any
	coordinator map[string]string
}

func (j *replayJob) add(e flinkapi.Entry, rest []string, query url.Values) {
	if len(j.samples) == 0 || len(rest) == 0 && j.samples[len(j.samples)-1].read {
		j.samples = append(j.samples, &replaySample{verbatim: map[string]flinkapi.Entry{}, vertices: map[string]*replayVertex{}, metrics: map[string]string{}})
	}
	s := j.samples[len(j.samples)-1]
	s.read = s.read || len(rest) == 0
	key := strings.Join(rest, "/")
	if key == "metrics" {
		collect(e, s.metrics)
		return
	}
	if len(rest) < 3 || rest[0] != "vertices" {
		s.verbatim[key] = e
		return
	}
	v := s.vertex(rest[1])
	switch tail := strings.Join(rest[2:], "/"); tail {
	case "watermarks":
		collect(e, v.values)
		s.verbatim[key] = e
	case "metrics":
		v.list(e, collect(e, v.values), "")
	case "subtasks/metrics":
		if !query.Has("get") {
			v.list(e, nil, "*.")
			return
		}
		var aggs []map[string]any
		json.Unmarshal(e.Body, &aggs)
		for _, a := range aggs {
			if id, ok := a["id"].(string); ok {
				v.aggregates[id] = a
			}
		}
	case "jm-operator-metrics":
		collect(e, v.coordinator)
	default:
		s.verbatim[key] = e
	}
}

func (s *replaySample) vertex(id string) *replayVertex {
	v := s.vertices[id]
	if v == nil {
		v = &replayVertex{map[string]string{}, map[string]bool{}, map[string]map[string]any{}, map[string]string{}}
		s.vertices[id] = v
	}
	return v
}

// collect keeps the values of a metrics answer and returns their ids.
func collect(e flinkapi.Entry, into map[string]string) []string {
	var ms []struct {
		ID    string  `json:"id"`
		Value *string `json:"value"`
	}
	if !e.OK() || json.Unmarshal(e.Body, &ms) != nil {
		return nil
	}
	var ids []string
	for _, m := range ms {
		if m.Value != nil {
			into[m.ID] = *m.Value
		}
		ids = append(ids, m.ID)
	}
	return ids
}

func (v *replayVertex) list(e flinkapi.Entry, ids []string, prefix string) {
	if ids == nil {
		ids = collect(e, map[string]string{})
	}
	for _, id := range ids {
		v.listed[prefix+id] = true
	}
}

// ids lists what the cluster would: subtask ids with their prefix, or without it where aggregated.
func (v *replayVertex) ids(aggregated bool) []string {
	set := map[string]bool{}
	for id := range v.listed {
		rest, star := strings.CutPrefix(id, "*.")
		switch {
		case aggregated && star:
			set[rest] = true
		case aggregated:
			if _, metric, ok := strings.Cut(id, "."); ok {
				set[metric] = true
			}
		case !star:
			set[id] = true
		}
	}
	out := make([]string, 0, len(set))
	for id := range set {
		out = append(out, id)
	}
	sort.Strings(out)
	return out
}

func jsonNumber(n int64) string { return strconv.FormatInt(n, 10) }

// serveJob answers a path below /jobs/:jobid.
func (r *Replay) serveJob(w http.ResponseWriter, seg []string, query url.Values) {
	job := r.jobs[seg[1]]
	if job == nil {
		notFound(w, "Job "+seg[1]+" not found")
		return
	}
	rest := seg[2:]
	shown, started, _ := r.fetch.state()
	if refreshes(rest) {
		shown, started = r.fetch.touch()
	}
	if len(rest) > 0 && rest[len(rest)-1] != "backpressure" {
		r.fetch.release() // more than the warm-up asks for: the first sample is being read
	}
	k := min(max(shown, 1), len(job.samples)) - 1
	if r.opts.GoneFrom > 0 && max(shown, started) >= r.opts.GoneFrom {
		notFound(w, "Job "+seg[1]+" not found")
		return
	}
	s := job.samples[k]
	key := strings.Join(rest, "/")
	if key == "metrics" {
		answerMetrics(w, query, s.metrics, nil)
		return
	}
	if len(rest) == 3 && rest[2] == "backpressure" {
		// The end-timestamp moves when a fetch starts, before its numbers are there.
		k = min(max(started, 1), len(job.samples)) - 1
	}
	if len(rest) >= 3 && rest[0] == "vertices" && strings.HasSuffix(key, "metrics") {
		v := s.vertices[rest[1]]
		if v == nil {
			notFound(w, "JobVertex "+rest[1]+" not found")
			return
		}
		v.serve(w, strings.Join(rest[2:], "/"), query)
		return
	}
	// What was read once is the same in every sample.
	for ; k >= 0; k-- {
		if e, ok := job.samples[k].verbatim[key]; ok && (e.Status != 0 || k == 0) {
			reply(w, max(e.Status, 200), e.Body)
			return
		}
	}
	notFound(w, "Not found: "+key)
}

func (v *replayVertex) serve(w http.ResponseWriter, tail string, query url.Values) {
	switch tail {
	case "metrics":
		answerMetrics(w, query, v.values, v.ids(false))
	case "jm-operator-metrics":
		answerMetrics(w, query, v.coordinator, keys(v.coordinator))
	case "subtasks/metrics":
		if !query.Has("get") {
			answerMetrics(w, query, nil, v.ids(true))
			return
		}
		values := bySubtask(v.values)
		if ids, _ := wantedIDs(query); len(ids) > 0 && len(values[ids[0]]) == 0 && v.aggregates[ids[0]] != nil {
			v.serveAggregates(w, ids)
			return
		}
		answerAggregates(w, query, func(id string) []string { return values[id] })
	default:
		notFound(w, "Not found: "+tail)
	}
}

// serveAggregates repeats recorded aggregates, where the subtasks' own values were not recorded.
func (v *replayVertex) serveAggregates(w http.ResponseWriter, ids []string) {
	out := []map[string]any{}
	for _, id := range ids {
		a := v.aggregates[id]
		if a == nil {
			out = out[:0]
			break
		}
		out = append(out, a)
	}
	replyJSON(w, out)
}

func keys(m map[string]string) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// refreshes reports the endpoints below a job that call MetricFetcher#update.
func refreshes(rest []string) bool {
	if len(rest) == 0 {
		return true
	}
	last := rest[len(rest)-1]
	return last == "watermarks" || last == "backpressure" || strings.HasSuffix(last, "metrics") || len(rest) == 2 && rest[0] == "vertices"
}
