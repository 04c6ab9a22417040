package flinkapi

import (
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/tidwall/gjson"

	"tidemark/internal/units"
)

// The JobManager's metric cache (MetricFetcherImpl, 1.17 to 2.3): a fetch starts only on a
// request, if the last one is older than metrics.fetcher.update-interval. The request that starts
// it is still answered from the old cache. REST shows when a fetch started, never when it
// finished.

const defaultFetchInterval = 10 * time.Second

// fetchInterval reads metrics.fetcher.update-interval from an answer of /jobmanager/config.
func fetchInterval(body []byte) time.Duration {
	var conf []ConfigEntry
	if json.Unmarshal(body, &conf) == nil {
		for _, kv := range conf {
			if kv.Key == "metrics.fetcher.update-interval" {
				if d, err := units.ParseFlinkDuration(kv.Value); err == nil && d > 0 {
					return d
				}
			}
		}
	}
	return defaultFetchInterval
}

// Waits within one interval: poll is the time between two checks; settle is for the last
// TaskManagers to answer; patience is how long to wait for new numbers before the present ones
// are used. If they have certainly not arrived, that is a whole interval.
func (r *liveRun) poll() time.Duration {
	return min(max(r.interval/20, 5*time.Millisecond), 500*time.Millisecond)
}
func (r *liveRun) settle() time.Duration   { return min(r.interval/10, time.Second) }
func (r *liveRun) patience() time.Duration { return min(r.interval/2, 5*time.Second) }

// now is the JobManager's wall clock, epoch ms.
func (r *liveRun) now() int64 { return r.clock().Add(r.skew).UnixMilli() }

// clock is the wall clock, but at least the start plus what was slept: a clock that stands still or is set back must not
// make a wait endless.
func (r *liveRun) clock() time.Time {
	now := r.c.opts.Now()
	if least := r.from.Add(r.slept); least.After(now) {
		return least
	}
	return now
}

// startSlack is the possible difference between the start of a fetch and the clock in the answer
// to the request that started it.
const startSlack = 50 // ms

// warmUp requests the jobs, which starts a fetch if one is due, and waits for its numbers. A
// sample that is taken at once uses what the cache holds: it waits only if the cache is empty.
func (r *liveRun) warmUp() error {
	r.progress("looking at the metric cache", 0)
	r.trigger(true)
	if !r.anyRunning() {
		return r.ctx.Err()
	}
	if r.empty() {
		r.fetched = r.fetchStart()
		return r.awaitData("waiting for the first metrics")
	}
	if r.atOnce = r.opts.Once && !r.opts.Fresh; r.atOnce {
		return r.ctx.Err()
	}
	r.fetched = r.fetchStart()
	age := time.Duration(r.now()-r.fetched) * time.Millisecond
	switch {
	case r.fetched == 0 || r.fetched >= r.looked-startSlack: // this answer is from the fetch before
		if r.opts.Early && r.fetched > 0 {
			r.atOnce = true
			err := r.readSample(0)
			if r.atOnce = false; err != nil {
				return err
			}
		}
		return r.awaitData("waiting for the cluster's metrics")
	case age < r.settle():
		return r.awaitSettled()
	case r.opts.Fresh && age > r.interval*6/10: // otherwise a fetch would start in the middle of the next reading
		return r.awaitNextFetch()
	}
	return r.ctx.Err()
}

// empty reports a running job for which the cache holds no numbers yet.
func (r *liveRun) empty() bool {
	return slices.ContainsFunc(r.jobs, func(j *liveJob) bool { return len(j.marks) > 0 && !j.filled })
}

// mixed reports that a fetch started while the newest sample was read; before is the fetch at its
// begin.
func (r *liveRun) mixed(before int64) bool {
	end := r.now()
	if before == 0 || end <= before+r.interval.Milliseconds() {
		return false
	}
	at := r.fetchStart()
	if at == before || at == 0 || at >= end-startSlack && r.fetched == before { // this request started it
		return false
	}
	r.fetched = at
	return true
}

// awaitSettled waits until the last TaskManagers have answered the newest fetch.
func (r *liveRun) awaitSettled() error {
	age := time.Duration(r.now()-r.fetched) * time.Millisecond
	return r.waitUntil("waiting for the cluster's metrics", r.clock().Add(min(max(r.settle()-age, 0), r.interval+r.patience())))
}

// awaitNextFetch waits until a fetch is due, starts it, and waits for its numbers, so that two
// samples are never of one fetch.
func (r *liveRun) awaitNextFetch() error {
	const step = "waiting for the cluster's next metric fetch"
	last := r.fetched
	due := time.UnixMilli(last).Add(-r.skew)
	if last == 0 {
		due = r.clock()
	}
	due = due.Add(r.interval + time.Millisecond)
	if r.started > 0 && r.opts.Interval > 0 {
		if later := time.UnixMilli(r.started).Add(r.opts.Interval); later.After(due) {
			due = later
		}
	}
	// A clock that jumps must not cause hours of waiting.
	limit := r.clock().Add(max(r.interval, r.opts.Interval) + r.patience())
	if due.After(limit) {
		due = limit
	}
	if err := r.waitUntil(step, due); err != nil {
		return err
	}
	r.trigger(false)
	give := r.clock().Add(2 * r.interval)
	for last != 0 && r.clock().Before(give) {
		if at := r.fetchStart(); at != 0 && at != last {
			r.fetched = at
			return r.awaitData(step)
		}
		if err := r.waitUntil(step, r.clock().Add(r.poll())); err != nil {
			return err
		}
	}
	// A fetch may hang on a lost TaskManager: the sample will show its age.
	return r.awaitData(step)
}

// waitUntil sleeps in steps of a second, reports the remaining time, and checks that the cluster
// is still there.
func (r *liveRun) waitUntil(step string, due time.Time) error {
	r.step = step
	every := max(heartbeatEvery, due.Sub(r.clock())/10)
	look := r.clock().Add(every)
	for {
		left := due.Sub(r.clock())
		if left <= 0 {
			return r.ctx.Err()
		}
		r.progress(step, left)
		nap := min(left, time.Second)
		if err := r.c.opts.Sleep(r.ctx, nap); err != nil {
			return err
		}
		r.slept += nap
		if !r.clock().Before(look) {
			r.heartbeat()
			look = r.clock().Add(every)
		}
	}
}

// trigger requests every job, which starts a fetch if one is due.
func (r *liveRun) trigger(first bool) {
	var wg sync.WaitGroup
	for _, j := range r.jobs {
		wg.Go(func() { j.peek(first) })
	}
	wg.Wait()
	for _, j := range r.jobs {
		if now := gjson.GetBytes(j.warm.Body, "now").Int(); first && now > 0 {
			if r.looked == 0 {
				r.skew = time.Duration(now-j.warm.T) * time.Millisecond
			}
			if r.looked == 0 || now < r.looked {
				r.looked = now
			}
		}
	}
}

// awaitData polls until each running vertex shows other numbers than before the fetch. Before the
// first sample, once some job shows new numbers, the others get as long as TaskManagers take to
// answer: their numbers may have changed before the first check. After it the old numbers are
// known, so it waits for a slow TaskManager.
func (r *liveRun) awaitData(step string) error {
	begin := r.clock()
	give := begin.Add(r.patience())
	for r.clock().Before(give) {
		if err := r.waitUntil(step, r.clock().Add(r.poll())); err != nil {
			return err
		}
		missing, sure := 0, false
		for _, j := range r.jobs {
			if !j.hasNews() {
				missing++
				sure = sure || j.read > 0
			}
		}
		if missing == 0 {
			break
		}
		switch {
		case sure:
			give = begin.Add(min(r.interval, 10*time.Second))
		case missing < len(r.jobs):
			give = minTime(give, r.clock().Add(r.settle()))
		}
	}
	return r.waitUntil(step, r.clock().Add(r.settle()))
}

func minTime(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// fetchStart is the start of the newest fetch, from the first vertex that reports it; 0 if none
// does.
func (r *liveRun) fetchStart() int64 {
	for _, j := range r.jobs {
		if j.gone || j.probe == "" {
			continue
		}
		if e, err := r.peek(j.probe); err == nil {
			if at := gjson.GetBytes(e.Body, "end-timestamp").Int(); at > 0 {
				return at
			}
		}
	}
	return 0
}

func (r *liveRun) anyRunning() bool {
	for _, j := range r.jobs {
		if len(j.marks) > 0 {
			return true
		}
	}
	return false
}
