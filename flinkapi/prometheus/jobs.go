package prometheus

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"tidemark/flinkapi"
	"tidemark/internal/near"
	"tidemark/internal/units"
)

// lookback is how long before an instant a job must have a sample, as in Prometheus itself.
const lookback = 5 * time.Minute

// found is a job that Prometheus has samples of.
type found struct {
	id, name string
	subtasks int
}

// NoSamplesError says that a job, or any job, has no samples at an instant.
type NoSamplesError struct {
	URL      string
	Jobs     []string // as requested; none = any
	At       time.Time
	Before   time.Time // end of the nearest period with samples before it; zero = none found
	After    time.Time // begin of the nearest period after it
	Searched time.Duration
	Matchers []string
	Near     []string // names of jobs that have samples at that time
}

func (e *NoSamplesError) Error() string {
	what := "any Flink job"
	if len(e.Jobs) > 0 {
		what = "job " + strings.Join(e.Jobs, ", ")
	}
	if len(e.Matchers) > 0 {
		what += " with " + strings.Join(e.Matchers, ", ")
	}
	text := fmt.Sprintf("Prometheus %s has no sample of %s at %s", e.URL, what, units.Time(e.At.UnixMilli()))
	switch {
	case !e.Before.IsZero():
		text += "; the nearest stretch before it ends at " + units.Time(e.Before.UnixMilli())
	case !e.After.IsZero():
		text += "; there are samples from " + units.Time(e.After.UnixMilli()) + " on"
	case len(e.Near) > 0:
		text += "; it has samples of " + strings.Join(e.Near, ", ")
	default:
		text += fmt.Sprintf(", nor within %s before or after: check that it scrapes Flink's PrometheusReporter, the matchers and the name", units.Duration(e.Searched.Milliseconds()))
	}
	return text
}

// findJobs lists the jobs with samples shortly before an instant: all of them, or those given by
// id, id prefix or name.
func (c *Client) findJobs(ctx context.Context, wanted []string, at time.Time, back time.Duration) ([]found, []string, error) {
	if len(wanted) == 0 {
		return c.listJobs(ctx, c.selector(anyTask), at, back)
	}
	var all []found
	var warnings []string
	for _, w := range wanted {
		jobs, warned, err := c.listJobs(ctx, c.selector(anyTask, oneOf("job_name", slices.Compact([]string{Clean(w), w})...)), at, back)
		if err == nil && len(jobs) == 0 && isHex(w) {
			warnings = append(warnings, warned...)
			jobs, warned, err = c.listJobs(ctx, c.selector(anyTask, "job_id=~"+quote(strings.ToLower(w)+".*")), at, back)
		}
		if err != nil {
			return nil, nil, err
		}
		warnings = append(warnings, warned...)
		if len(jobs) == 0 {
			return nil, nil, c.explainAbsence(ctx, []string{w}, at)
		}
		for _, j := range jobs {
			if !slices.ContainsFunc(all, func(o found) bool { return o.id == j.id }) {
				all = append(all, j)
			}
		}
	}
	return all, warnings, nil
}

func isHex(s string) bool {
	return len(s) >= 4 && len(s) <= 32 && strings.Trim(strings.ToLower(s), "0123456789abcdef") == ""
}

func (c *Client) listJobs(ctx context.Context, selector string, at time.Time, back time.Duration) ([]found, []string, error) {
	a, err := c.Query(ctx, "count by (job_id, job_name) (count by (job_id, job_name, task_id, subtask_index) (count_over_time("+selector+"["+window(back)+"])))", at)
	if err != nil {
		return nil, nil, err
	}
	var all []found
	for _, s := range a.Series {
		if id := s.Labels["job_id"]; len(s.Points) > 0 && len(id) == 32 && isHex(id) {
			all = append(all, found{id, s.Labels["job_name"], int(s.Points[0].V)})
		}
	}
	sort.Slice(all, func(i, k int) bool {
		return all[i].name < all[k].name || all[i].name == all[k].name && all[i].id < all[k].id
	})
	return all, a.Warnings, nil
}

// search is how far before and after an instant to look for samples.
const search = 14 * 24 * time.Hour

// explainAbsence says which samples exist instead of those of the job at the instant.
func (c *Client) explainAbsence(ctx context.Context, wanted []string, at time.Time) error {
	e := &NoSamplesError{URL: c.URL(), Jobs: wanted, At: at, Searched: search, Matchers: c.match}
	sel := c.selector(anyTask)
	if len(wanted) == 1 {
		sel = c.selector(anyTask, oneOf("job_name", slices.Compact([]string{Clean(wanted[0]), wanted[0]})...))
		if isHex(wanted[0]) {
			sel += " or " + c.selector(anyTask, "job_id=~"+quote(strings.ToLower(wanted[0])+".*"))
		}
	}
	step := 5 * time.Minute
	a, err := c.Range(ctx, "count("+sel+")", at.Add(-search), at.Add(search), step)
	if err != nil {
		return err
	}
	for _, s := range a.Series {
		for _, p := range s.Points {
			t := time.UnixMilli(p.T)
			if t.Before(at) {
				e.Before = t
			} else if e.After.IsZero() {
				e.After = t
			}
		}
	}
	if e.Before.IsZero() && e.After.IsZero() && len(wanted) > 0 {
		jobs, _, err := c.listJobs(ctx, c.selector(anyTask), at, lookback)
		if err != nil {
			return err
		}
		e.Near = nearest(jobs, wanted[0])
		if len(jobs) > 0 { // the name is wrong, not the time
			return &flinkapi.ErrNoJob{Job: wanted[0], Near: e.Near, All: len(jobs)}
		}
	}
	return e
}

func nearest(jobs []found, want string) []string {
	want = strings.ToLower(Clean(want))
	var names []string
	for _, j := range jobs {
		name := strings.ToLower(j.name)
		if (strings.Contains(name, want) || near.Distance(name, want) <= max(3, len(want)/2)) && !slices.Contains(names, j.name) {
			names = append(names, j.name)
		}
	}
	return names[:min(3, len(names))]
}

// everyOf is how often a job's targets are scraped, from one subtask of each vertex: recently, or
// up to far back if the job had ended.
func (c *Client) everyOf(ctx context.Context, id string, at time.Time, far time.Duration) (time.Duration, Answer, error) {
	var all Answer
	for _, back := range slices.Compact([]time.Duration{lookback, max(lookback, far)}) {
		a, err := c.Query(ctx, c.selector(anyTask, equals("job_id", id), equals("subtask_index", strconv.Itoa(0)))+"["+window(back)+"]", at)
		if err != nil {
			return 0, Answer{}, err
		}
		all.warn(a.Warnings)
		if all.Series = a.Series; len(a.Series) > 0 {
			break
		}
	}
	if !slices.ContainsFunc(all.Series, func(s Series) bool { return len(s.Points) > 1 }) {
		// None of its tasks has run for two scrapes, as in a restart loop: use the interval of the JobManager.
		a, err := c.Query(ctx, c.selector(jobPrefix+"uptime", equals("job_id", id))+"["+window(lookback)+"]", at)
		if err != nil {
			return 0, Answer{}, err
		}
		all.warn(a.Warnings)
		return interval(a.Series), all, nil
	}
	return interval(all.Series), all, nil
}
