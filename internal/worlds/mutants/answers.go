// Package mutants changes recordings of real clusters whose verdict is known: it removes answers,
// metrics, subtasks and samples, or changes what must not matter.
package mutants

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"tidemark/flinkapi"
)

// Recording is a recording with its metric lists parsed.
type Recording struct {
	Name    string
	Entries []flinkapi.Entry
	lists   [][]flinkapi.Metric // by entry; nil if the entry is not a metric list
	samples []int               // by entry
}

// noise are parts of metric ids that no verdict depends on, most of what a vertex lists; telling
// are the rates among them that verdicts do depend on.
var (
	noise   = []string{"KafkaConsumer.", "Shuffle.", "mailbox", "Netty", "uffers", "numBytes", "checkpoint", "initializationTime", "commit", "PerSecond"}
	telling = []string{"busyTimeMs", "idleTimeMs", "ackPressuredTimeMs", "pausedTimeMs", "activeTimeMs", "numFiredTimers"}
)

func isNoise(id string) bool {
	in := func(part string) bool { return strings.Contains(id, part) }
	return slices.ContainsFunc(noise, in) && !slices.ContainsFunc(telling, in)
}

// New parses a recording and removes noise, so that judging it is fast.
func New(name string, entries []flinkapi.Entry) *Recording {
	r := &Recording{Name: name}
	sample, seen := 0, false
	for _, e := range entries {
		seg, query := e.Route()
		if len(seg) == 2 && seg[0] == "jobs" && seg[1] != "overview" {
			if seen {
				sample++
			}
			seen = true
		}
		if e.OK() && e.Path == "/jobs/overview" {
			e.Body = onlyJob(e.Body, jobOf(entries))
		}
		var list []flinkapi.Metric
		if e.OK() && len(seg) > 4 && (strings.HasSuffix(e.Path, "etrics") || query.Has("get") || seg[len(seg)-1] == "watermarks") {
			if json.Unmarshal(e.Body, &list) == nil && list != nil {
				kept := []flinkapi.Metric{}
				for _, m := range list {
					if !isNoise(m.ID) {
						kept = append(kept, m)
					}
				}
				if len(kept) == 0 && len(list) > 0 {
					continue // the answer contained only noise
				}
				list = kept
				e = withList(e, list)
			}
		}
		r.Entries, r.lists, r.samples = append(r.Entries, e), append(r.lists, list), append(r.samples, sample)
	}
	return r
}

// valued reports an answer with values, as opposed to a list of ids.
func valued(e flinkapi.Entry) bool {
	return strings.Contains(e.Path, "?get=") || strings.HasSuffix(e.Path, "/watermarks")
}

// withList is an answer with other metrics; the requested ids stay, except noise.
func withList(e flinkapi.Entry, list []flinkapi.Metric) flinkapi.Entry {
	b := []byte{'['}
	for i, m := range list {
		if i > 0 {
			b = append(b, ',')
		}
		id, _ := json.Marshal(m.ID)
		b = append(append(b, `{"id":`...), id...)
		if valued(e) {
			value, _ := json.Marshal(m.Value)
			b = append(append(b, `,"value":`...), value...)
		}
		b = append(b, '}')
	}
	e.Body = append(b, ']')
	if path, get, ok := strings.Cut(e.Path, "?get="); ok {
		var ids []string
		for _, id := range strings.Split(get, ",") {
			plain, err := url.QueryUnescape(id)
			if err != nil || !isNoise(plain) {
				ids = append(ids, id)
			}
		}
		e.Path = path + "?get=" + strings.Join(ids, ",")
	}
	return e
}

// without is the recording without the metrics that drop selects, in the samples for which in is
// true. listed keeps their ids in the lists, as when a TaskManager does not answer for what it
// announced.
func (r *Recording) without(drop func(vertex string, id string) bool, in func(sample int) bool, listed bool) []flinkapi.Entry {
	out := make([]flinkapi.Entry, 0, len(r.Entries))
	for i, e := range r.Entries {
		list := r.lists[i]
		if list == nil || !in(r.samples[i]) || listed && !valued(e) {
			out = append(out, e)
			continue
		}
		seg, _ := e.Route()
		var kept []flinkapi.Metric
		for _, m := range list {
			if !drop(seg[3], m.ID) {
				kept = append(kept, m)
			}
		}
		if len(kept) < len(list) {
			e = withList(e, kept)
		}
		out = append(out, e)
	}
	return out
}

// jobOf is the id of the job that the answers are about, "" if there is none.
func jobOf(entries []flinkapi.Entry) string {
	for _, e := range entries {
		if seg, _ := e.Route(); len(seg) >= 2 && seg[0] == "jobs" && len(seg[1]) == 32 {
			return seg[1]
		}
	}
	return ""
}

// onlyJob is a list of jobs reduced to one.
func onlyJob(body json.RawMessage, id string) json.RawMessage {
	var all struct {
		Jobs []json.RawMessage `json:"jobs"`
	}
	if json.Unmarshal(body, &all) != nil {
		return body
	}
	all.Jobs = slices.DeleteFunc(all.Jobs, func(j json.RawMessage) bool { return !strings.Contains(string(j), id) })
	out, err := json.Marshal(all)
	if err != nil {
		return body
	}
	return out
}
