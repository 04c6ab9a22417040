package flinkapi

import "sort"

// terminal states are those a job never leaves (JobStatus#isGloballyTerminalState).
func terminal(state string) bool {
	return state == "FINISHED" || state == "CANCELED" || state == "FAILED"
}

// pickJobs finds the wanted jobs among those of the cluster. Without any, it picks every job that
// has not finished, failed and canceled ones included. If several runs share a name, it means
// those still alive, else the newest.
func pickJobs(all []JobOverview, wanted []string) ([]JobOverview, error) {
	byID := map[string]JobOverview{}
	var list []JobCapture
	var alive []JobOverview
	for _, o := range all {
		byID[o.ID] = o
		list = append(list, JobCapture{ID: o.ID, Name: o.Name})
		if !terminal(o.State) {
			alive = append(alive, o)
		}
	}
	if len(wanted) == 0 {
		return append(alive, ended(all, alive)...), nil
	}
	var picked []JobOverview
	seen := map[string]bool{}
	for _, w := range wanted {
		var found, running []JobOverview
		for _, j := range matchJobs(list, w) {
			o := byID[j.ID]
			found = append(found, o)
			if !terminal(o.State) {
				running = append(running, o)
			}
		}
		switch {
		case len(found) == 0:
			return nil, &ErrNoJob{Job: w, Near: nearNames(list, w), All: len(all)}
		case len(running) > 0:
			found = running
		default:
			sort.Slice(found, func(i, k int) bool { return found[i].StartTime > found[k].StartTime })
			found = found[:1]
		}
		for _, o := range found {
			if !seen[o.ID] {
				seen[o.ID] = true
				picked = append(picked, o)
			}
		}
	}
	return picked, nil
}

// ended are the jobs that failed or were canceled and were not replaced by a later run: a job
// that is gone must still be reported.
func ended(all, alive []JobOverview) []JobOverview {
	newest := map[string]JobOverview{}
	for _, o := range all {
		if n, seen := newest[o.Name]; !seen || o.StartTime > n.StartTime {
			newest[o.Name] = o
		}
	}
	for _, o := range alive {
		delete(newest, o.Name)
	}
	var out []JobOverview
	for _, o := range all {
		if newest[o.Name].ID == o.ID && (o.State == "FAILED" || o.State == "CANCELED") {
			out = append(out, o)
		}
	}
	return out
}
