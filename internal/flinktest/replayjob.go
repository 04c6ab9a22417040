package flinktest

import (
	"encoding/json"
	"net/url"
	"sort"
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

// collect stores the values of a metrics answer and returns their ids.
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
