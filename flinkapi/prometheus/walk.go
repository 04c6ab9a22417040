package prometheus

import (
	"context"
	"fmt"
	"slices"
	"time"

	"tidemark/flinkapi"
)

// Stretch is a period of the past, read from start to end.
type Stretch struct {
	Reading // At is the end
	Since   time.Time
	Exact   int // number of scrapes up to which all are read, 0 = 720; for a longer period, half as many at first

	// Each is called with a job at each instant, together with the sample one step before, in
	// order of time.
	Each func(*flinkapi.Capture)
	// Mark identifies the state at an instant. Where the marks of two captures of a long period
	// differ, every scrape between them is read.
	Mark func(*flinkapi.Capture) string
	// Resubmitted is called when a job continues under another id.
	Resubmitted func(as string, before, after Submission)
}

const (
	maxExact  = 720     // scrapes
	maxRefine = 24      // steps of a long period whose scrapes are all read
	maxWindow = 500_000 // samples per answer
)

// Walk reads jobs over a period. A job may have had several ids, one after the other; all its
// captures carry the newest. Walk returns the jobs by their newest id.
func (c *Client) Walk(ctx context.Context, s Stretch) ([]Submission, error) {
	s.Graph = AskedOnce(s.Graph)
	all, warnings, err := c.submissions(ctx, s)
	if err != nil {
		return nil, err
	}
	for _, last := range all {
		ids := append(slices.Clone(last.Earlier), last)
		for k := range ids {
			c.step(s.Reading, "reading the past of "+last.Name)
			if err := c.walk(ctx, s, &ids[k], last.ID, warnings); err != nil {
				return nil, err
			}
			if k > 0 {
				s.Resubmitted(last.ID, ids[k-1], ids[k])
			}
		}
	}
	return all, nil
}

// walk reads one id of a job; its captures carry the id as, and the server's earlier warnings.
func (c *Client) walk(ctx context.Context, s Stretch, j *Submission, as string, warnings []string) error {
	w := &walker{c: c, s: s, job: *j, as: as, from: max(s.Since.UnixMilli(), j.FromMs), until: min(s.At.UnixMilli(), j.UntilMs)}
	w.why, w.known, w.names = c.graphOf(ctx, s.Reading, found{id: j.ID, name: j.Name}, &w.extra)
	every, probe, err := c.everyOf(ctx, j.ID, time.UnixMilli(w.until), s.step()+2*lookback)
	if err != nil {
		return err
	}
	restarts, err := c.Query(ctx, c.selector(jobPrefix+"numRestarts", equals("job_id", j.ID))+"["+window(time.Duration(w.until-w.from)*time.Millisecond+restartWindow)+"]", time.UnixMilli(w.until))
	if err != nil {
		return err
	}
	w.every, w.restarts = every, restarts.Series
	for _, all := range [][]string{warnings, probe.Warnings, restarts.Warnings} {
		w.warn(all)
	}
	steps, err := w.steps(ctx)
	if n := len(steps); n > 0 {
		j.FromMs, j.UntilMs = steps[0].ReadAt, steps[n-1].ReadAt
	}
	for _, one := range steps {
		s.Each(one)
	}
	return err
}

type walker struct {
	c           *Client
	s           Stretch
	job         Submission
	as          string
	from, until int64 // epoch ms

	why      string
	known    flinkapi.JobDetails
	names    restorer
	extra    jobRead
	every    time.Duration
	restarts []Series
	began    int64 // when the job last began to run, as first reported, epoch ms
	warnings []string
}

// steps are the captures of the period: of each scrape, or for a long period of some, and then of
// each scrape between two that differ.
func (w *walker) steps(ctx context.Context) ([]*flinkapi.Capture, error) {
	if w.job.subtasks > largeJob {
		return w.looks(ctx)
	}
	exact := w.s.Exact
	if exact == 0 {
		exact = maxExact
	}
	if int64(exact)*w.every.Milliseconds() >= w.until-w.from {
		return w.exactly(ctx, w.from, w.until)
	}
	step := (time.Duration(w.until-w.from) * time.Millisecond * 2 / time.Duration(exact) / w.every) * w.every
	all, err := w.coarsely(ctx, step)
	if err != nil {
		return nil, err
	}
	rough := w.captures(all, step, w.from, w.until)
	differ := map[int]bool{} // steps to read scrape by scrape, by the capture that ends them
	last := ""
	for i, one := range rough {
		mark := w.s.Mark(one)
		if i > 0 && mark != last {
			// What stands still at an instant stopped in the step before.
			for k := max(1, i-1); k <= i && len(differ) < maxRefine; k++ {
				differ[k] = true
			}
		}
		last = mark
	}
	var out []*flinkapi.Capture
	w.began = 0
	for i, one := range rough {
		if differ[i] {
			w.c.step(w.s.Reading, "looking closer at "+w.job.Name)
			fine, err := w.exactly(ctx, rough[i-1].ReadAt+1, one.ReadAt-1)
			if err != nil {
				return out, err
			}
			out = append(out, fine...)
		}
		out = append(out, one)
	}
	return out, nil
}

// looks are the captures of a large job: as many as justify their bytes, each of a single
// instant.
func (w *walker) looks(ctx context.Context) ([]*flinkapi.Capture, error) {
	n := int64(min(60, max(4, 200_000/w.job.subtasks)))
	step := max((w.until-w.from)/n, w.every.Milliseconds())
	var out []*flinkapi.Capture
	for at := w.from + step; at <= w.until; at += step {
		w.c.step(w.s.Reading, fmt.Sprintf("reading the past of %s, %d of %d", w.job.Name, len(out)+1, n))
		j := w.c.readJob(ctx, Reading{At: time.UnixMilli(at), Graph: w.s.Graph}, found{w.job.ID, w.job.Name, w.job.subtasks})
		if j.err != nil {
			return out, j.err
		}
		c := flinkapi.Assemble(j.entries)
		w.warn(j.warnings)
		w.complete(c, flinkapi.Origin{Graph: j.graph, AskedMs: at, ResolutionMs: step, SpreadMs: j.spread}, j.restarts)
		out = append(out, c)
	}
	return out, nil
}

// selectors of the series that a walk reads: those of the tasks and those of the job.
func (w *walker) selectors() []string {
	id := equals("job_id", w.job.ID)
	return []string{w.c.selector("", taskMetrics(), id), w.c.selector("", jobMetrics(), id)}
}

// coarsely reads the series at steps.
func (w *walker) coarsely(ctx context.Context, step time.Duration) ([]Series, error) {
	var all Answer
	for _, sel := range w.selectors() {
		a, err := w.c.Range(ctx, sel, time.UnixMilli(w.from), time.UnixMilli(w.until), step)
		if err != nil {
			return nil, err
		}
		all.add(a)
	}
	w.warn(all.Warnings)
	return all.Series, nil
}

// exactly reads every scrape of a part of the period.
func (w *walker) exactly(ctx context.Context, from, until int64) ([]*flinkapi.Capture, error) {
	var out []*flinkapi.Capture
	back := gapOf(w.every) + patience(w.every)
	perScrape := max(1, w.job.subtasks*40) // series per subtask, roughly
	chunk := max(time.Duration(maxWindow/perScrape)*w.every, 4*back)
	for begin := from; begin <= until; begin += chunk.Milliseconds() {
		end := min(begin+chunk.Milliseconds()-1, until)
		var all Answer
		for _, sel := range w.selectors() {
			a, err := w.c.Query(ctx, sel+"["+window(back+time.Duration(end-begin)*time.Millisecond)+"]", time.UnixMilli(end))
			if err != nil {
				return out, err
			}
			all.add(a)
		}
		w.warn(all.Warnings)
		out = append(out, w.captures(all.Series, w.every, begin, end)...)
	}
	return out, nil
}

func (w *walker) warn(warnings []string) {
	for _, text := range warnings {
		if !slices.Contains(w.warnings, text) {
			w.warnings = append(w.warnings, text)
		}
	}
}

// captures are the job at each scrape within a part of the period.
func (w *walker) captures(all []Series, every time.Duration, from, until int64) []*flinkapi.Capture {
	var out []*flinkapi.Capture
	for _, at := range instants(all, every, from, until) {
		if c := w.capture(all, every, at); c != nil {
			out = append(out, c)
		}
	}
	return out
}

// instants are the times at which the tasks were scraped, by any target, a step apart; if no task
// was scraped, those of the JobManager.
func instants(all []Series, every time.Duration, from, until int64) []int64 {
	times := func(of func(Series) bool) (out []int64) {
		for _, s := range all {
			if of(s) {
				for _, p := range s.Points {
					if p.T >= from && p.T <= until {
						out = append(out, p.T)
					}
				}
			}
		}
		slices.Sort(out)
		return out
	}
	step := every.Milliseconds()
	var out []int64
	for _, t := range times(func(s Series) bool { return s.Labels["__name__"] == anyTask && s.Labels["subtask_index"] == "0" }) {
		if n := len(out); n == 0 || t-out[n-1] >= step*4/5 {
			out = append(out, t)
		}
	}
	for _, t := range times(func(s Series) bool { return s.Labels["__name__"] == jobPrefix+"uptime" }) {
		at, exact := slices.BinarySearch(out, t)
		if !exact && (at == 0 || t-out[at-1] > step) && (at == len(out) || out[at]-t > step) {
			out = slices.Insert(out, at, t)
		}
	}
	return out
}

func (w *walker) capture(all []Series, every time.Duration, at int64) *flinkapi.Capture {
	before, now := moments(all, at, every)
	if now.at == 0 {
		return nil
	}
	out := jobRead{entries: slices.Clone(w.extra.entries), every: w.every}
	if before.at > 0 && before.at < now.at {
		out.entries = append(out.entries, newPast(w.job.ID, w.job.Name, w.known, w.names, before).entries()...)
	}
	p := newPast(w.job.ID, w.job.Name, w.known, w.names, now)
	p.began = &w.began
	out.entries = append(out.entries, p.entries()...)
	if w.known.ID == "" {
		out.entries = append(out.entries, missing(now.at, "/jobs/"+w.job.ID+"/plan", flinkapi.GapUnread, "the graph of the job is not in Prometheus: "+w.why))
	}
	c := flinkapi.Assemble(append(out.entries, w.extra.after...))
	for _, j := range c.Jobs {
		p.date(j)
	}
	w.complete(c, flinkapi.Origin{Graph: w.extra.graph, AskedMs: at, ResolutionMs: every.Milliseconds(), SpreadMs: now.at - now.oldest},
		risesOf(between(w.restarts, at-restartWindow.Milliseconds(), at)))
	return c
}

// complete completes a capture of the walk, which carries the newest id of its job.
func (w *walker) complete(c *flinkapi.Capture, o flinkapi.Origin, restarts int) {
	w.c.complete(c, o, map[string]int{w.job.ID: restarts}, w.warnings)
	for i := range c.Jobs {
		c.Jobs[i].ID = w.as
	}
}

// between are the samples of a part of the period.
func between(all []Series, from, until int64) []Series {
	out := make([]Series, len(all))
	for i, s := range all {
		for _, p := range s.Points {
			if p.T >= from && p.T <= until {
				out[i].Points = append(out[i].Points, p)
			}
		}
	}
	return out
}
