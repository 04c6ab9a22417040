package flinktest

import (
	"net/http"
	"net/url"
	"sort"
	"strings"
)

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
		r.fetch.release() // more requests than the warm-up needs: the first sample is being read
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
		// The end-timestamp changes when a fetch starts, before its numbers arrive.
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
	// An answer that was read once is the same in every sample.
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

// serveAggregates repeats recorded aggregates if the subtasks' own values were not recorded.
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
