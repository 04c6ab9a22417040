package prom

import (
	"errors"
	"strings"
	"time"

	"tidemark/analyze/policy"
)

// Under are the options that watch the jobs of policies, and every set of these jobs that has its own limits. Values that
// the policies do not set are those of o. Errors are *request.Mistake.
func (o AlertOptions) Under(policies []*policy.Policy) (AlertOptions, []AlertOptions, error) {
	if o.Jobs != "" || o.Exclude != "" {
		return o, nil, errors.New("--jobs and --exclude-jobs exclude --policy, which names the jobs")
	}
	limits, err := policy.AlertLimits(policies)
	if err != nil {
		return o, nil, err
	}
	if len(limits) == 0 {
		return o, nil, errors.New("the policy has no rule about jobs (with name), so there is nothing to watch")
	}
	var all []AlertOptions
	var jobs []string
	for _, l := range limits {
		a := o
		a.Jobs, a.Exclude, a.Name = l.Jobs, l.Exclude, l.Name
		if l.MaxLagMs > 0 {
			a.MaxLag = (time.Duration(l.MaxLagMs)*time.Millisecond + time.Second - 1).Truncate(time.Second) // Prometheus alerts by whole seconds
		}
		if l.HasShare {
			a.LateShare = min(l.LateShare, 0.999)
		}
		if err := a.Check(); err != nil {
			return o, nil, err
		}
		all, jobs = append(all, a), append(jobs, l.Jobs)
	}
	o.Jobs = strings.Join(jobs, "|")
	return o, all, nil
}
