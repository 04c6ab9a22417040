package prometheus

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"tidemark/flinkapi"
	"tidemark/internal/units"
)

// Reading says which jobs to read, and for what time.
type Reading struct {
	Jobs     []string // names, ids or id prefixes; none: every job that had samples then
	At       time.Time
	Graph    Graph         // nil: none
	Back     time.Duration // how long before the instant a job may have ended and still be reported; 0 = Prometheus's own lookback
	Once     bool          // one sample: whether something advances is then unknown
	Progress func(flinkapi.Progress)
}

// Capture reads jobs as they were at an instant: the newest samples at that time, and those one
// gap earlier. They become the answers that REST would have given, and are assembled in the same
// way.
func (c *Client) Capture(ctx context.Context, r Reading) (*flinkapi.Capture, error) {
	c.step(r, "looking for jobs in Prometheus")
	jobs, warnings, err := c.findJobs(ctx, r.Jobs, r.At, max(lookback, r.Back))
	if err != nil {
		return nil, err
	}
	if len(jobs) == 0 {
		return nil, c.explainAbsence(ctx, nil, r.At)
	}
	read := make([]jobRead, len(jobs))
	var wg sync.WaitGroup
	queue := make(chan int)
	for range min(len(jobs), maxInFlight) {
		wg.Go(func() {
			for i := range queue {
				read[i] = c.readJob(ctx, r, jobs[i])
				c.step(r, "reading "+jobs[i].name)
			}
		})
	}
	for i := range jobs {
		queue <- i
	}
	close(queue)
	wg.Wait()
	origin, restarts := flinkapi.Origin{AskedMs: r.At.UnixMilli()}, map[string]int{}
	var entries []flinkapi.Entry
	var there []found
	for i, j := range read {
		if j.err != nil {
			return nil, j.err
		}
		if j.over && len(r.Jobs) == 0 {
			continue // left out, as with REST, unless it is named
		}
		there = append(there, jobs[i])
		entries = append(entries, j.entries...)
		origin.ResolutionMs = max(origin.ResolutionMs, j.every.Milliseconds())
		origin.SpreadMs = max(origin.SpreadMs, j.spread)
		if j.graph != "" {
			origin.Graph = j.graph
		}
		warnings = append(warnings, j.warnings...)
		restarts[jobs[i].id] = j.restarts
	}
	capture := flinkapi.Assemble(append(listed(there, r.At), entries...))
	for _, j := range capture.Jobs {
		if at := slices.IndexFunc(jobs, func(f found) bool { return f.id == j.ID }); at >= 0 && read[at].newest != nil {
			read[at].newest.date(j)
		}
	}
	if capture.ReadAt == 0 {
		capture.ReadAt = r.At.UnixMilli()
	}
	c.complete(capture, origin, restarts, warnings)
	return capture, nil
}

// complete adds to a capture what no REST answer has: its origin, recent restarts by job id, and
// the server's warnings.
func (c *Client) complete(capture *flinkapi.Capture, o flinkapi.Origin, restarts map[string]int, warnings []string) {
	o.Prometheus = c.URL()
	capture.URL, capture.Origin = o.Prometheus, &o
	warnings = slices.Compact(slices.Sorted(slices.Values(warnings)))
	for i := range capture.Jobs {
		j := &capture.Jobs[i]
		if count, read := restarts[j.ID]; read && len(j.Samples) > 0 {
			j.Samples[len(j.Samples)-1].Restarts = &flinkapi.Restarts{Count: count, WindowMs: restartWindow.Milliseconds()}
		}
		for _, w := range warnings {
			note(j, "Prometheus answered with a warning, so series may be missing: "+w)
		}
	}
}

func (c *Client) step(r Reading, step string) {
	if r.Progress != nil {
		r.Progress(flinkapi.Progress{Step: step, Asked: c.Queries()})
	}
}

// note makes a job's verdict incomplete, for a reason that concerns all of it.
func note(j *flinkapi.JobCapture, cause string) {
	if n := len(j.Samples); n > 0 {
		j.Samples[n-1].Missing = append(j.Samples[n-1].Missing, flinkapi.Gap{Endpoint: flinkapi.OtherEndpoint, Reason: flinkapi.GapEnd, Cause: cause})
	}
}

// listed is the list of jobs as REST would return it, for jobs that cannot be read.
func listed(jobs []found, at time.Time) []flinkapi.Entry {
	var list []map[string]any
	for _, j := range jobs {
		list = append(list, map[string]any{"jid": j.id, "name": j.name})
	}
	return []flinkapi.Entry{answer(at.UnixMilli(), "/jobs/overview", map[string]any{"jobs": list})}
}

type jobRead struct {
	entries  []flinkapi.Entry
	after    []flinkapi.Entry // of the newest sample
	every    time.Duration
	spread   int64  // ms
	graph    string // where the edges come from
	restarts int    // recent ones
	warnings []string
	newest   *past // its newest sample
	over     bool  // it had finished or was canceled by then
	err      error
}

func (c *Client) readJob(ctx context.Context, r Reading, j found) (out jobRead) {
	why, known, names := c.graphOf(ctx, r, j, &out)
	every, probe, err := c.everyOf(ctx, j.id, r.At, r.Back)
	if out.every = every; err != nil {
		return jobRead{err: err}
	}
	back := gapOf(every) + 2*patience(every)
	ofJob, err := c.Query(ctx, c.selector("", jobMetrics(), equals("job_id", j.id))+"["+window(back)+"]", r.At)
	if err != nil {
		return jobRead{err: err}
	}
	restarts, err := c.Query(ctx, c.selector(jobPrefix+"numRestarts", equals("job_id", j.id))+"["+window(restartWindow)+"]", r.At)
	if err != nil {
		return jobRead{err: err}
	}
	out.restarts = risesOf(restarts.Series)
	out.warnings = slices.Concat(out.warnings, probe.Warnings, ofJob.Warnings, restarts.Warnings)
	before, now := moments(ofJob.Series, r.At.UnixMilli(), every)
	last := newest(probe.Series)
	fold := func(*past, int64) {}
	switch fresh := r.At.UnixMilli()-last <= patience(every).Milliseconds(); {
	case fresh && j.subtasks > largeJob:
		l := c.look(ctx, j.id, time.UnixMilli(last), every)
		if out.warnings = append(out.warnings, l.warnings...); l.err != nil {
			return jobRead{err: l.err}
		}
		before.merge(l.moment(l.from))
		now.merge(l.moment(l.at))
		fold = l.fold
	default:
		a, err := c.Query(ctx, c.selector("", taskMetrics(), equals("job_id", j.id))+"["+window(back)+"]", r.At)
		if err != nil {
			return jobRead{err: err}
		}
		out.warnings = append(out.warnings, a.Warnings...)
		b, n := moments(a.Series, r.At.UnixMilli(), every)
		before.merge(b)
		now.merge(n)
	}
	out.spread = now.at - now.oldest
	if now.at == 0 {
		why := "it had ended, or was no longer scraped"
		for _, state := range []string{"FINISHED", "CANCELED", "FAILED"} {
			if ended := known.Timestamps[state]; ended > 0 && ended <= r.At.UnixMilli() {
				why, out.over = "it was "+state+" at "+units.Time(ended), state != "FAILED"
			}
		}
		out.entries = []flinkapi.Entry{missing(r.At.UnixMilli(), "/jobs/"+j.id, flinkapi.GapGone,
			fmt.Sprintf("its last sample is from %s, %s before the requested time: %s", units.Time(last), units.Duration(r.At.UnixMilli()-last), why))}
		return out
	}
	for k, m := range []moment{before, now} {
		if k == 0 && (r.Once || m.at == 0 || m.at >= now.at) {
			continue
		}
		p := newPast(j.id, j.name, known, names, m)
		fold(p, m.at)
		if len(p.gauges) == 0 { // the JobManager is not scraped
			p.gauges["numRestarts"] = Point{V: restartsByAttempt(m)}
		}
		out.entries, out.newest = append(out.entries, p.entries()...), p
	}
	if known.ID == "" { // a vertex without any sample may also be missing
		out.after = append(out.after, missing(now.at, "/jobs/"+j.id+"/plan", flinkapi.GapUnread, "the graph of the job is not in Prometheus: "+why), missing(now.at, "/jobs/"+j.id+"/exceptions", flinkapi.GapUnread, "Prometheus holds none"))
	}
	out.entries = append(out.entries, out.after...)
	return out
}

// restartWindow is the period in which restarts count as recent: ten minutes, as in the checks.
const restartWindow = 10 * time.Minute

// risesOf is the increase of a counter.
func risesOf(all []Series) int {
	sum := 0.0
	for _, s := range all {
		for i := 1; i < len(s.Points); i++ {
			sum += max(0, s.Points[i].V-s.Points[i-1].V)
		}
	}
	return int(sum)
}

// restartsByAttempt counts restarts by the attempts of the tasks, if the JobManager is not
// scraped.
func restartsByAttempt(m moment) float64 {
	most := 0
	for _, v := range m.values {
		most = max(most, attempt(v.labels))
	}
	return float64(most)
}

func newest(all []Series) (t int64) {
	for _, s := range all {
		if n := len(s.Points); n > 0 {
			t = max(t, s.Points[n-1].T)
		}
	}
	return t
}

// graphOf requests what Prometheus lacks. Answers that are still true of the past become entries
// of the reading; why says why there is no graph.
func (c *Client) graphOf(ctx context.Context, r Reading, j found, out *jobRead) (why string, known flinkapi.JobDetails, names restorer) {
	names = restorer{known: map[string]string{}, names: map[string]string{}, found: map[operator]spelling{}}
	if r.Graph == nil {
		return "give --flink URL or --from RECORDING, which have the plan of the job", known, names
	}
	answers, why := r.Graph.Answers(ctx, j.id, j.name)
	for _, e := range answers {
		seg, _ := e.Route()
		switch {
		case len(seg) == 2 && seg[0] == "jobs":
			known = detailsOf(e)
		case len(seg) == 3 && seg[2] == "exceptions":
			out.after = append(out.after, until(e, r.At))
		case len(seg) == 3 && seg[2] == "plan":
			if len(known.Plan.Nodes) == 0 {
				known.Plan = planOf(e)
			}
		case len(seg) == 5 && seg[4] == "metrics":
			names.list(idsOf(e))
		default:
			out.entries = append(out.entries, e)
		}
	}
	for _, v := range known.Vertices {
		names.names[v.ID] = v.Name
	}
	if known.ID != "" && len(known.Plan.Nodes) == 0 {
		known, why = flinkapi.JobDetails{}, "the plan of the job could not be read"
	}
	if known.ID != "" {
		out.graph = r.Graph.Name()
	}
	return why, known, names
}
