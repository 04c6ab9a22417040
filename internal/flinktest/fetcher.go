package flinktest

import (
	"sync"
	"time"
)

// fetcher is the metric cache of a JobManager (MetricFetcherImpl): it refreshes only on a
// request, if it is older than the interval. The request that starts a refresh is still answered
// from the old cache.
type fetcher struct {
	mu       sync.Mutex
	now      func() time.Time
	interval time.Duration
	frozen   bool // the fetch hangs: after the first, the cache never changes again
	hold     bool // a replay keeps its sample until it was read completely
	started  time.Time
	count    int // fetches started
	shown    int // fetches whose numbers are served
}

// touch is called by every endpoint that refreshes. It returns which fetch the answer comes from
// (0 = none yet) and which one was started last.
func (f *fetcher) touch() (shown, started int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	shown = f.shown
	now := f.now()
	if f.count == 0 || !f.frozen && !f.hold && now.Sub(f.started) > f.interval {
		f.count++
		f.started = now
	}
	f.shown = f.count
	return shown, f.count
}

// state is touch without refreshing.
func (f *fetcher) state() (shown, started int, at time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.shown, f.count, f.started
}

// release lets a held cache age from now on.
func (f *fetcher) release() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.hold {
		f.hold, f.started = false, f.now()
	}
}
