package flinkapi

import (
	"context"
	"encoding/json"
	"sync"
)

// maxStrikes is the number of consecutive requests without an answer after which the cluster
// counts as gone.
const maxStrikes = 3

// get reads path. A 2xx answer that cannot be valid is requested once more.
func (r *liveRun) get(path string) (Entry, error) {
	e, err := r.c.Get(r.ctx, path)
	if err == nil {
		if _, ok := e.fault(e.question()); !ok && r.c.opts.Sleep(r.ctx, r.c.opts.RetryWait) == nil {
			e, err = r.c.Get(r.ctx, path)
		}
	}
	if r.ctx.Err() != nil {
		return e, context.Cause(r.ctx)
	}
	return e, err
}

// ask reads path and records the answer, even a failed one.
func (r *liveRun) ask(path string) (Entry, error) {
	e, err := r.get(path)
	r.keep(e, err)
	return e, err
}

// keep records an answer, unless it was canceled with the run: that says nothing about the
// cluster.
func (r *liveRun) keep(e Entry, err error) {
	if r.ctx.Err() != nil {
		return
	}
	r.record(e)
	if kind := kindOf(err); (kind == TimedOut || kind == Unreachable) && !r.alive() {
		r.lose(err)
	}
	r.judge(err)
}

// peek reads path without recording it.
func (r *liveRun) peek(path string) (Entry, error) {
	e, err := r.get(path)
	r.judge(err)
	return e, err
}

// askAll requests paths concurrently and returns the answers, in the order of paths.
func (r *liveRun) askAll(paths []string) []Entry {
	answers := make([]*Entry, len(paths))
	var wg sync.WaitGroup
	for i, p := range paths {
		wg.Go(func() {
			if e, err := r.ask(p); err == nil {
				answers[i] = &e
			}
		})
	}
	wg.Wait()
	var got []Entry
	for _, e := range answers {
		if e != nil {
			got = append(got, *e)
		}
	}
	return got
}

// judge counts requests without an answer. An error that concerns only its path lets the run
// continue; one that concerns the whole cluster stops it.
func (r *liveRun) judge(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch kindOf(err) {
	case Unreachable, TimedOut, Unavailable: // a proxy may block one endpoint while the others still answer
		if r.strikes++; r.strikes >= maxStrikes {
			r.lose(err)
		}
	default:
		r.strikes = 0
	}
}

func (r *liveRun) record(e Entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e.Path == "" {
		return
	}
	r.asm.add(e)
	if r.opts.Record != nil {
		r.opts.Record(e)
	}
}

// note records something that was not requested, with its reason, as a missing answer.
func (r *liveRun) note(path string, reason GapReason, cause string) {
	body, _ := json.Marshal(cause)
	r.record(Entry{T: r.c.opts.Now().UnixMilli(), Path: path, Body: body, Fault: reason})
}
