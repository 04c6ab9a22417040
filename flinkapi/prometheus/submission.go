package prometheus

import (
	"context"
	"slices"
	"sort"
	"time"
)

// Submission is one job id: a job that is submitted again has another.
type Submission struct {
	ID, Name string
	FromMs   int64        // its first sample within the period, epoch ms
	UntilMs  int64        // its last one
	Earlier  []Submission // of the same name, ended when this one began; oldest first

	subtasks int
}

// step is the interval at which a period is searched for jobs: their start and end are known this
// exactly.
func (s Stretch) step() time.Duration {
	return max(time.Second, (s.At.Sub(s.Since) / 200).Truncate(time.Second))
}

// submissions finds the jobs of a period, and which of them followed another; also the server's
// warnings.
func (c *Client) submissions(ctx context.Context, s Stretch) ([]Submission, []string, error) {
	var warnings []string
	step := s.step()
	sel := c.selector(anyTask)
	if len(s.Jobs) > 0 {
		jobs, warned, err := c.findJobs(ctx, s.Jobs, s.At, s.At.Sub(s.Since)+lookback)
		if err != nil {
			return nil, nil, err
		}
		warnings = warned
		ids := make([]string, len(jobs))
		for i, j := range jobs {
			ids[i] = j.id
		}
		sel = c.selector(anyTask, oneOf("job_id", ids...))
	}
	a, err := c.Range(ctx, "count by (job_id, job_name) ("+sel+")", s.Since, s.At, step)
	if err != nil {
		return nil, nil, err
	}
	var found []Submission
	for _, one := range a.Series {
		if n := len(one.Points); n > 0 {
			most := 0.0
			for _, p := range one.Points {
				most = max(most, p.V)
			}
			found = append(found, Submission{ID: one.Labels["job_id"], Name: one.Labels["job_name"], subtasks: int(most),
				FromMs: one.Points[0].T - step.Milliseconds(), UntilMs: one.Points[n-1].T + step.Milliseconds()})
		}
	}
	if len(found) == 0 {
		return nil, nil, c.explainAbsence(ctx, s.Jobs, s.At)
	}
	return followed(found, step), append(warnings, a.Warnings...), nil
}

// followed groups the ids of one name that ran one after the other.
func followed(found []Submission, step time.Duration) []Submission {
	sort.Slice(found, func(i, k int) bool {
		a, b := found[i], found[k]
		return a.FromMs < b.FromMs || a.FromMs == b.FromMs && a.ID < b.ID
	})
	var out []Submission
	for _, one := range found {
		at := slices.IndexFunc(out, func(o Submission) bool {
			return o.Name == one.Name && o.UntilMs-one.FromMs <= 3*step.Milliseconds() // each end may be off by a step
		})
		if at < 0 {
			out = append(out, one)
			continue
		}
		before := out[at]
		one.Earlier = append(before.Earlier, before)
		one.Earlier[len(one.Earlier)-1].Earlier = nil
		out[at] = one
	}
	sort.SliceStable(out, func(i, k int) bool { return out[i].Name < out[k].Name })
	return out
}
