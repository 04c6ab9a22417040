package flinkapi

import (
	"fmt"
	"sort"
	"strings"
	"tidemark/internal/near"
	"time"
)

// CaptureOptions say what to read of a cluster.
type CaptureOptions struct {
	Jobs     []string      // job ids, unique id prefixes, or names; empty = every job that has not finished
	Once     bool          // one sample: whether something advances is then unknown. It holds what is in the metric cache, however old
	Fresh    bool          // with Once: wait for a metric fetch that is complete and recent
	Early    bool          // if the cache is old, Sampled also gets that sample, before the ones to compare
	Interval time.Duration // wall clock between samples; 0 = the metric cache's own interval
	For      time.Duration // keep sampling for this long; 0 = two samples. The capture holds the last two
	Progress func(Progress)
	Record   func(Entry)    // called for every answer, in the order read
	Sampled  func(*Capture) // called after each sample with what was read so far and its last two samples; for a recording only if it has more than two
}

// Progress says what a capture waits for.
type Progress struct {
	Step  string
	Left  time.Duration // how long it still takes, 0 = unknown
	Asked int           // requests sent so far
}

// ErrNoJob says that the cluster or the recording does not have a job.
type ErrNoJob struct {
	Job  string
	Near []string // similar names, at most three
	All  int      // number of jobs that exist
}

func (e *ErrNoJob) Error() string {
	msg := fmt.Sprintf("no job %q among %d", e.Job, e.All)
	if len(e.Near) > 0 {
		msg += "; near: " + strings.Join(e.Near, ", ")
	}
	return msg
}

// selectJobs keeps the requested jobs, each given by id, unique id prefix or name.
func selectJobs(c *Capture, wanted []string) error {
	if len(wanted) == 0 {
		return nil
	}
	var keep []JobCapture
	seen := map[string]bool{}
	for _, w := range wanted {
		found := matchJobs(c.Jobs, w)
		if len(found) == 0 {
			return &ErrNoJob{Job: w, Near: nearNames(c.Jobs, w), All: len(c.Jobs)}
		}
		for _, j := range found {
			if !seen[j.ID] {
				seen[j.ID] = true
				keep = append(keep, j)
			}
		}
	}
	c.Jobs = keep
	return nil
}

func matchJobs(jobs []JobCapture, want string) []JobCapture {
	var exact, prefix []JobCapture
	for _, j := range jobs {
		switch {
		case j.ID == want || j.Name == want:
			exact = append(exact, j)
		case len(want) >= 4 && strings.HasPrefix(j.ID, want):
			prefix = append(prefix, j)
		}
	}
	if len(exact) > 0 {
		return exact
	}
	return prefix
}

func nearNames(jobs []JobCapture, want string) []string {
	type scored struct {
		name string
		d    int
	}
	var all []scored
	for _, j := range jobs {
		d := near.Distance(strings.ToLower(j.Name), strings.ToLower(want))
		if strings.Contains(strings.ToLower(j.Name), strings.ToLower(want)) {
			d = 0
		}
		if d <= max(3, len(want)/2) {
			all = append(all, scored{j.Name, d})
		}
	}
	sort.Slice(all, func(i, k int) bool { return all[i].d < all[k].d || all[i].d == all[k].d && all[i].name < all[k].name })
	var names []string
	for i := 0; i < len(all) && i < 3; i++ {
		names = append(names, all[i].name)
	}
	return names
}
