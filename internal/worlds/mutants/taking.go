package mutants

import (
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"

	"tidemark/flinkapi"
)

// Mutant is a changed recording; Make makes it.
type Mutant struct {
	Kind  string // what was done
	Where string // where
	Make  func() []flinkapi.Entry
}

// spoils are possible replacements of an answer.
var spoils = []struct {
	kind   string
	status int
	body   func(was json.RawMessage) json.RawMessage
}{
	{"answer refused, 403", 403, fixed(`{"errors":["Forbidden"]}`)},
	{"answer refused, 404", 404, fixed(`{"errors":["Not found."]}`)},
	{"answer refused, 500", 500, fixed(`{"errors":["Internal server error.","<Exception on server side: java.util.concurrent.TimeoutException: Invocation timed out End of exception on server side>"]}`)},
	{"answer is a page", 200, fixed(`"<!DOCTYPE html><html><body>Sign in</body></html>"`)},
	{"answer is null", 200, fixed(`null`)},
	{"answer is {}", 200, fixed(`{}`)},
	{"answer is []", 200, fixed(`[]`)},
	{"answer is errors", 200, fixed(`{"errors":[]}`)},
	{"answer is cut", 200, func(was json.RawMessage) json.RawMessage { return was[:len(was)/2] }},
}

func fixed(body string) func(json.RawMessage) json.RawMessage {
	return func(json.RawMessage) json.RawMessage { return json.RawMessage(body) }
}

// Taking yields every mutant that lacks something.
func (r *Recording) Taking(each func(Mutant)) {
	for i, e := range r.Entries {
		where := fmt.Sprintf("%.90s, sample %d", e.Path, r.samples[i])
		each(Mutant{"answer missing", where, func() []flinkapi.Entry { return slices.Delete(slices.Clone(r.Entries), i, i+1) }})
		for _, s := range spoils {
			each(Mutant{s.kind, where, func() []flinkapi.Entry {
				out := slices.Clone(r.Entries)
				out[i].Status, out[i].Body = s.status, s.body(e.Body)
				return out
			}})
		}
	}
	r.takeMetrics(each)
	r.takeSamples(each)
}

// spans are the samples in which something is missing.
var spans = []struct {
	name string
	in   func(sample int) bool
}{
	{"", func(int) bool { return true }},
	{" in the earlier sample", func(s int) bool { return s == 0 }},
	{" in the later sample", func(s int) bool { return s > 0 }},
}

func (r *Recording) takeMetrics(each func(Mutant)) {
	take := func(kind, where string, drop func(vertex, id string) bool) {
		for _, span := range spans {
			each(Mutant{kind + " not listed" + span.name, where, func() []flinkapi.Entry { return r.without(drop, span.in, false) }})
			each(Mutant{kind + " not answered" + span.name, where, func() []flinkapi.Entry { return r.without(drop, span.in, true) }})
		}
	}
	for _, name := range r.names() {
		take("metric", name, func(_, id string) bool { return lastOf(id) == name })
	}
	for _, s := range r.subtasks() {
		take("subtask", s.vertex[:6]+" "+s.prefix, func(vertex, id string) bool { return vertex == s.vertex && strings.HasPrefix(id, s.prefix) })
	}
	for _, id := range r.watermarks() {
		take("gauge", id.vertex[:6]+" "+id.prefix, func(vertex, x string) bool { return vertex == id.vertex && x == id.prefix })
	}
}

func lastOf(id string) string { return id[strings.LastIndexByte(id, '.')+1:] }

// names are the names of metrics that have values.
func (r *Recording) names() []string {
	seen := map[string]bool{}
	for i, e := range r.Entries {
		for _, m := range r.lists[i] {
			if valued(e) {
				seen[lastOf(m.ID)] = true
			}
		}
	}
	return sorted(seen)
}

func sorted(set map[string]bool) []string {
	var all []string
	for s := range set {
		all = append(all, s)
	}
	sort.Strings(all)
	return all
}

type placeOf struct{ vertex, prefix string }

func (r *Recording) places(of func(id string) (string, bool)) []placeOf {
	seen := map[placeOf]bool{}
	var all []placeOf
	for i, e := range r.Entries {
		if r.lists[i] == nil || !valued(e) {
			continue
		}
		seg, _ := e.Route()
		for _, m := range r.lists[i] {
			if prefix, ok := of(m.ID); ok && !seen[placeOf{seg[3], prefix}] {
				seen[placeOf{seg[3], prefix}] = true
				all = append(all, placeOf{seg[3], prefix})
			}
		}
	}
	return all
}

// subtasks are the subtasks that have metrics, as "2.".
func (r *Recording) subtasks() []placeOf {
	return r.places(func(id string) (string, bool) {
		n, _, ok := strings.Cut(id, ".")
		return n + ".", ok
	})
}

// watermarks are the single gauges and counters that verdicts depend on.
func (r *Recording) watermarks() []placeOf {
	return r.places(func(id string) (string, bool) {
		name := lastOf(id)
		return id, strings.HasSuffix(name, "Watermark") || name == "currentOffset" || name == "numRecordsIn" || strings.HasSuffix(name, "umLateRecordsDropped")
	})
}

func (r *Recording) takeSamples(each func(Mutant)) {
	last := r.samples[len(r.samples)-1]
	if last == 0 {
		return
	}
	each(Mutant{"only the earlier sample", "", func() []flinkapi.Entry { return r.only(func(s int) bool { return s == 0 }) }})
	each(Mutant{"only the later sample", "", func() []flinkapi.Entry { return r.only(func(s int) bool { return s > 0 }) }})
}

// only keeps the answers about the cluster, the plan, and those of some samples.
func (r *Recording) only(in func(sample int) bool) []flinkapi.Entry {
	var out []flinkapi.Entry
	for i, e := range r.Entries {
		seg, _ := e.Route()
		if in(r.samples[i]) || seg[0] != "jobs" || seg[len(seg)-1] == "plan" || seg[1] == "overview" {
			out = append(out, e)
		}
	}
	return out
}
