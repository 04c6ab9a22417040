package prometheus

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"tidemark/flinkapi"
)

// Graph provides what Prometheus lacks about a job: its edges, its names before the reporter
// replaced characters, its configuration and exceptions.
type Graph interface {
	// Name is its origin: an address without secrets, or a file.
	Name() string
	// Answers are REST answers about the job and its cluster; none if the job is not known. why
	// then explains that in a sentence for the reader.
	Answers(ctx context.Context, id, name string) (answers []flinkapi.Entry, why string)
}

// AskedOnce wraps a graph so that each job is requested once; nil stays nil.
func AskedOnce(g Graph) Graph {
	if _, is := g.(*askedOnce); is || g == nil {
		return g
	}
	return &askedOnce{Graph: g, jobs: map[string]*asked{}}
}

type askedOnce struct {
	Graph
	mu   sync.Mutex
	jobs map[string]*asked // by id
}

type asked struct {
	once    sync.Once
	answers []flinkapi.Entry
	why     string
}

// Answers implements Graph.
func (g *askedOnce) Answers(ctx context.Context, id, name string) ([]flinkapi.Entry, string) {
	g.mu.Lock()
	a := g.jobs[id]
	if a == nil {
		a = &asked{}
		g.jobs[id] = a
	}
	g.mu.Unlock()
	a.once.Do(func() { a.answers, a.why = g.Graph.Answers(ctx, id, name) })
	return a.answers, a.why
}

// perJob are the answers about a job that are still true of its past, by their path below it.
var perJob = []string{"", "/config", "/checkpoints/config", "/exceptions?maxExceptions=20"}

// RestGraph reads a JobManager or a HistoryServer.
type RestGraph struct{ Client *flinkapi.Client }

// Name implements Graph.
func (g RestGraph) Name() string { return g.Client.URL() }

// Answers implements Graph.
func (g RestGraph) Answers(ctx context.Context, id, name string) ([]flinkapi.Entry, string) {
	base := "/jobs/" + url.PathEscape(id)
	e, err := g.Client.Get(ctx, base)
	if flinkapi.IsNotFound(err) {
		why := fmt.Sprintf("%s does not have job %s any more", g.Client.URL(), id)
		if jobs, err := g.Client.Jobs(ctx); err == nil {
			for _, j := range jobs {
				if SameName(name, j.Name) && j.ID != id {
					return nil, why + fmt.Sprintf("; %s has the same name and another id, so its graph is not used", j.ID)
				}
			}
		}
		return nil, why
	}
	if err != nil {
		return nil, err.Error()
	}
	all := []flinkapi.Entry{e}
	for _, path := range []string{"/overview", "/jobmanager/config", base + perJob[1], base + perJob[2], base + perJob[3]} {
		if e, err := g.Client.Get(ctx, path); err == nil {
			all = append(all, e)
		}
	}
	for _, v := range sources(e) { // which has the names of the splits
		if e, err := g.Client.Get(ctx, base+"/vertices/"+url.PathEscape(v)+"/metrics"); err == nil {
			all = append(all, e)
		}
	}
	return all, ""
}

// RecordedGraph reads a recording of the same job, taken at any time.
type RecordedGraph struct{ Recording *flinkapi.Recording }

// Name implements Graph.
func (g RecordedGraph) Name() string { return g.Recording.Name }

// Answers implements Graph.
func (g RecordedGraph) Answers(_ context.Context, id, name string) ([]flinkapi.Entry, string) {
	var all []flinkapi.Entry
	base, known, other := "/jobs/"+id, false, ""
	seen := map[string]bool{}
	for _, e := range g.Recording.Entries {
		seg, _ := e.Route()
		path := "/" + strings.Join(seg, "/")
		head, query, _ := strings.Cut(e.Path, "?")
		switch {
		case !e.OK() || seen[path]:
			continue
		case path == "/overview", path == "/jobmanager/config":
		case path == base:
			known = true
		case len(seg) == 2 && seg[0] == "jobs":
			if j := detailsOf(e); SameName(name, j.Name) {
				other = j.ID
			}
			continue
		case path == base+"/plan":
		case slices.ContainsFunc(perJob[1:], func(p string) bool { return path == base+strings.Split(p, "?")[0] }):
		case strings.HasPrefix(path, base+"/vertices/") && strings.HasSuffix(head, "/metrics") && query == "":
		default:
			continue
		}
		seen[path] = true
		all = append(all, e)
	}
	if known {
		return all, ""
	}
	why := fmt.Sprintf("%s does not hold job %s", g.Name(), id)
	if other != "" {
		why += fmt.Sprintf("; %s has the same name and another id, so its graph is not used", other)
	}
	return nil, why
}

func detailsOf(e flinkapi.Entry) (j flinkapi.JobDetails) {
	_ = json.Unmarshal(e.Body, &j) // a field of another type leaves the others intact
	return j
}

// sources are the vertices without inputs.
func sources(job flinkapi.Entry) []string {
	var ids []string
	for _, n := range detailsOf(job).Plan.Nodes {
		if len(n.Inputs) == 0 {
			ids = append(ids, n.ID)
		}
	}
	return ids
}

func planOf(e flinkapi.Entry) flinkapi.Plan {
	var p struct{ Plan flinkapi.Plan }
	_ = json.Unmarshal(e.Body, &p) // anything but a plan has no nodes, which is checked
	return p.Plan
}

// idsOf are the ids of a list of metrics.
func idsOf(e flinkapi.Entry) []string {
	var list []flinkapi.Metric
	_ = json.Unmarshal(e.Body, &list) // as above
	ids := make([]string, len(list))
	for i, m := range list {
		ids[i] = m.ID
	}
	return ids
}

// until removes from the exceptions what happened after an instant.
func until(e flinkapi.Entry, at time.Time) flinkapi.Entry {
	var x flinkapi.Exceptions
	if json.Unmarshal(e.Body, &x) != nil {
		return e // the assembler reports what is wrong with it
	}
	if x.Timestamp.V > at.UnixMilli() {
		x.RootException, x.Timestamp = "", flinkapi.Int{}
	}
	x.History.Entries = slices.DeleteFunc(x.History.Entries, func(one flinkapi.ExceptionEntry) bool { return one.Timestamp > at.UnixMilli() })
	body := map[string]any{"root-exception": x.RootException, "exceptionHistory": map[string]any{"entries": x.History.Entries}}
	if x.Timestamp.Valid {
		body["timestamp"] = x.Timestamp.V
	}
	return answer(e.T, e.Path, body)
}
