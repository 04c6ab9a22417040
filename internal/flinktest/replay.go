package flinktest

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"tidemark/flinkapi"
)

// ReplayOptions configure a replay. The zero value is a cluster at the root of its URL with /v1,
// whose metric cache refreshes as in its recorded configuration.
type ReplayOptions struct {
	Now      func() time.Time // nil = time.Now
	Interval time.Duration    // metric fetch interval, also shown in /jobmanager/config; 0 = 10 s
	Prefix   string           // path prefix, "/proxy/app_1"
	NoV1     bool             // only unversioned paths are served
	Frozen   bool             // the metric cache never refreshes: a fetch hangs on a lost TaskManager
	GoneFrom int              // jobs answer 404 from this sample on (2 = after the first); 0 = never
}

// Replay serves a recording over HTTP as a cluster would: sample by sample as the metric cache
// refreshes, for any batch of metric ids, with aggregates computed from the subtasks' values.
type Replay struct {
	opts    ReplayOptions
	cluster map[string]flinkapi.Entry
	jobs    map[string]*replayJob
	fetch   fetcher
}

// NewReplay indexes the answers of a recording.
func NewReplay(entries []flinkapi.Entry, opts ReplayOptions) *Replay {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Interval <= 0 {
		opts.Interval = 10 * time.Second
	}
	r := &Replay{opts: opts, cluster: map[string]flinkapi.Entry{}, jobs: map[string]*replayJob{},
		fetch: fetcher{now: opts.Now, interval: opts.Interval, frozen: opts.Frozen, hold: true}}
	for _, e := range entries {
		seg, query := e.Route()
		if len(seg) >= 2 && seg[0] == "jobs" && len(seg[1]) == 32 {
			j := r.jobs[seg[1]]
			if j == nil {
				j = &replayJob{}
				r.jobs[seg[1]] = j
			}
			j.add(e, seg[2:], query)
			continue
		}
		if _, known := r.cluster[e.Path]; !known {
			r.cluster[e.Path] = e
		}
	}
	return r
}

// Samples is how many readings of a job the recording holds.
func (r *Replay) Samples(job string) int { return len(r.jobs[job].samples) }

// ServeHTTP answers only GETs, because a read-only tool must not send anything else.
func (r *Replay) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if req.Method != http.MethodGet {
		reply(w, 405, []byte(`{"errors":["Method not allowed."]}`))
		return
	}
	path, ok := route(req.URL.EscapedPath(), r.opts.Prefix, r.opts.NoV1)
	if !ok || tooLong(w, req) {
		if !ok {
			reply(w, 404, []byte(`{"errors":["Unable to load requested file `+"/bad-request"+`."]}`))
		}
		return
	}
	seg, query := (flinkapi.Entry{Path: path + "?" + req.URL.RawQuery}).Route()
	if len(seg) >= 2 && seg[0] == "jobs" && len(seg[1]) == 32 {
		r.serveJob(w, seg, query)
		return
	}
	e, known := r.cluster[path]
	if !known {
		notFound(w, "Not found: "+path)
		return
	}
	switch path {
	case "/jobmanager/config":
		e.Body = withInterval(e.Body, r.opts.Interval)
	case "/jobs/overview":
		e.Body = r.recordedJobs(e.Body)
	}
	reply(w, e.Status, e.Body)
}

// recordedJobs lists only jobs that were recorded: every answer about another one would be 404.
func (r *Replay) recordedJobs(body []byte) []byte {
	var list struct {
		Jobs []map[string]any `json:"jobs"`
	}
	if json.Unmarshal(body, &list) != nil {
		return body
	}
	kept := []map[string]any{}
	for _, j := range list.Jobs {
		if id, _ := j["jid"].(string); r.jobs[id] != nil {
			kept = append(kept, j)
		}
	}
	out, _ := json.Marshal(map[string]any{"jobs": kept})
	return out
}

// route removes the prefix and the version from a path.
func route(path, prefix string, noV1 bool) (string, bool) {
	rest, ok := strings.CutPrefix(path, prefix)
	if !ok || !strings.HasPrefix(rest, "/") {
		return "", false
	}
	if bare, versioned := strings.CutPrefix(rest, "/v1/"); versioned {
		return "/" + bare, !noV1
	}
	return rest, true
}

func withInterval(body []byte, interval time.Duration) []byte {
	const key = "metrics.fetcher.update-interval"
	var conf []flinkapi.ConfigEntry
	if json.Unmarshal(body, &conf) != nil {
		return body
	}
	out := []flinkapi.ConfigEntry{{Key: key, Value: interval.String()}}
	if ms := interval.Milliseconds(); time.Duration(ms)*time.Millisecond == interval {
		out[0].Value = jsonNumber(ms) + " ms"
	}
	for _, kv := range conf {
		if kv.Key != key {
			out = append(out, kv)
		}
	}
	b, _ := json.Marshal(out)
	return b
}
