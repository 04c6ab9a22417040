package flinkapi

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/tidwall/gjson"
)

// liveRun is one capture of a live cluster. Every answer goes through record, so that a live
// capture and a recording are assembled by the same rules.
type liveRun struct {
	c    *Client
	ctx  context.Context
	stop context.CancelCauseFunc
	opts CaptureOptions

	mu      sync.Mutex
	asm     *assembler
	strikes int   // consecutive requests without an answer
	fetched int64 // newest end-timestamp seen: JobManager time of the last metric fetch, epoch ms

	interval time.Duration // metrics.fetcher.update-interval
	skew     time.Duration // JobManager clock minus client clock
	from     time.Time     // client clock at the start
	slept    time.Duration // since then
	looked   int64         // JobManager clock of the first request of a job, epoch ms
	atOnce   bool          // the sample holds what was in the cache at the first request
	began    int64         // client time of the first request of the first sample, epoch ms
	started  int64         // the same, of the newest sample
	jobs     []*liveJob

	step         string // what is being done, for Progress
	wanted       int    // number of samples that must have been read by now
	missed       int    // consecutive heartbeats without an answer
	taskManagers int    // the largest number seen
	fewer        bool   // at least one of them is gone
}

// Capture reads the cluster with the two-sample protocol. If it is interrupted (context,
// connection, credentials) after something was read, it returns what was read together with the
// error.
func (c *Client) Capture(ctx context.Context, opts CaptureOptions) (*Capture, error) {
	runCtx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	r := &liveRun{c: c, ctx: runCtx, stop: stop, opts: opts, asm: newAssembler(), interval: defaultFetchInterval, wanted: 2, from: c.opts.Now()}
	if opts.Once {
		r.wanted = 1
	}
	err := r.run()
	// Requests that were canceled with the run only say "canceled"; the cause is what interrupted
	// the run.
	if cause := context.Cause(runCtx); cause != nil {
		err = cause
		if ctx.Err() != nil {
			err = fmt.Errorf("reading %s was interrupted after %d requests: %w", c.shown, c.Requests(), ctx.Err())
		}
	}
	r.noteLost(err)
	capture := r.asm.finish()
	capture.URL = c.shown
	if err != nil && len(capture.Jobs) == 0 {
		return nil, err
	}
	return capture, err
}

func (r *liveRun) run() error {
	if err := r.readCluster(); err != nil {
		return err
	}
	if len(r.jobs) == 0 {
		return nil
	}
	if err := r.warmUp(); err != nil {
		return err
	}
	fetch := r.fetched
	if err := r.readSample(0); err != nil || r.opts.Once || !r.anyAlive() {
		return err
	}
	if r.mixed(fetch) { // numbers of two fetches cannot be compared
		if err := r.awaitSettled(); err != nil {
			return err
		}
		if err := r.readSample(0); err != nil {
			return err
		}
	}
	until := time.UnixMilli(r.began).Add(r.opts.For)
	for k := 1; k == 1 || r.anyAlive() && r.clock().Before(until); k++ {
		r.wanted = k + 1
		if err := r.awaitNextFetch(); err != nil {
			return err
		}
		if err := r.readSample(k); err != nil {
			return err
		}
	}
	return nil
}

// readCluster reads what all jobs share, and selects the jobs.
func (r *liveRun) readCluster() error {
	r.step = "reading the cluster"
	r.progress(r.step, 0)
	overview, err := r.ask("/overview")
	if err != nil {
		return err
	}
	r.taskManagers = int(gjson.GetBytes(overview.Body, "taskmanagers").Int())
	var list Entry
	var wg sync.WaitGroup
	wg.Go(func() { r.ask("/taskmanagers") })
	wg.Go(func() { list, err = r.ask("/jobs/overview") })
	if e, err := r.ask("/jobmanager/config"); err == nil {
		r.interval = fetchInterval(e.Body)
	}
	wg.Wait()
	if err != nil {
		return err
	}
	var all struct {
		Jobs []JobOverview `json:"jobs"`
	}
	if err := json.Unmarshal(list.Body, &all); err != nil && !onlyAField(err) {
		return &APIError{Kind: NotFlink, URL: r.c.shown + list.Path, Status: list.Status, Cause: "no list of jobs", Hint: "check the URL", Err: err}
	}
	picked, err := pickJobs(all.Jobs, r.opts.Jobs)
	for _, o := range picked {
		r.jobs = append(r.jobs, &liveJob{run: r, id: o.ID, state: o.State, brief: len(r.opts.Jobs) == 0 && terminal(o.State), focus: map[string][]int{}})
	}
	return err
}

func (r *liveRun) progress(step string, left time.Duration) {
	if r.fewer {
		step = "a TaskManager is gone; " + step
	}
	if r.opts.Progress != nil {
		r.opts.Progress(Progress{Step: step, Left: left, Asked: r.c.Requests()})
	}
}

// readSample reads every job once. A job that ends or disappears meanwhile is not an error.
func (r *liveRun) readSample(k int) error {
	if k > 0 {
		r.ask("/jobs/overview")
		if r.asm.capture.TaskManagers != nil { // those lost meanwhile are not in the list
			r.ask("/taskmanagers")
		}
	}
	r.started = r.c.opts.Now().UnixMilli()
	if k == 0 {
		r.began = r.started
	}
	name := "reading the sample"
	switch {
	case r.opts.For > 0:
		name = fmt.Sprintf("reading sample %d", k+1)
	case !r.opts.Once:
		name = fmt.Sprintf("reading sample %d of 2", k+1)
	}
	r.step = name
	r.progress(name, 0)
	defer r.tellSilence(name)()
	var wg sync.WaitGroup
	for _, j := range r.jobs {
		wg.Go(func() {
			if j.take(k); r.ctx.Err() == nil {
				j.read = k + 1
			}
		})
	}
	wg.Wait()
	if err := context.Cause(r.ctx); err != nil {
		return err
	}
	r.sampled()
	return nil
}

// sampled passes on what has been read so far.
func (r *liveRun) sampled() {
	r.mu.Lock()
	r.asm.forget()
	capture := (*Capture)(nil)
	if r.opts.Sampled != nil {
		capture = r.asm.finish()
		capture.URL = r.c.shown
	}
	r.mu.Unlock()
	if capture != nil {
		r.opts.Sampled(capture)
	}
}

func (r *liveRun) anyAlive() bool {
	for _, j := range r.jobs {
		if !j.gone && !terminal(j.state) {
			return true
		}
	}
	return false
}
