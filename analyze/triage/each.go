package triage

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"tidemark/analyze"
	"tidemark/analyze/catalog"
	"tidemark/flinkapi"
	"tidemark/internal/redact"
)

// Named is a cluster with the name of its context; Err says why it cannot be reached.
type Named struct {
	Name   string
	Client *flinkapi.Client
	Err    error
}

// RunEach reads several clusters in parallel into one report, in which each job has the name of its context. A cluster
// that cannot be read is Damage. A job that only some clusters have is no error.
func RunEach(ctx context.Context, r Request, clusters []Named) (Result, error) {
	results, errs := make([]Result, len(clusters)), make([]error, len(clusters))
	var all sync.WaitGroup
	for i, c := range clusters {
		if errs[i] = c.Err; c.Err != nil {
			continue
		}
		one := r
		one.Source.Connect = func(context.Context) (*flinkapi.Client, error) { return c.Client, nil }
		all.Go(func() { results[i], errs[i] = Run(ctx, one) })
	}
	all.Wait()
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	return joined(clusters, results, errs, catalog.Severity(r.FailOn))
}

// joined merges the results of the clusters; where none could be read the error is the first one's.
func joined(clusters []Named, results []Result, errs []error, failOn catalog.Severity) (Result, error) {
	out := Result{failOn: failOn}
	var reports []*analyze.Report
	var listed []analyze.Context
	var missing error
	lost := 0
	for i, c := range clusters {
		at, err := analyze.Context{Name: c.Name}, errs[i]
		if c.Client != nil {
			at.URL = c.Client.URL()
		}
		var noJob *flinkapi.ErrNoJob
		switch {
		case errors.As(err, &noJob):
			missing = err
		case err != nil:
			lost++
			at.Error = redact.Text(err.Error())
			out.Damage = append(out.Damage, fmt.Errorf("context %s: %w", c.Name, err))
		default:
			at.Cluster = results[i].Report.Cluster
			reports = append(reports, under(c.Name, results[i].Report))
			for _, d := range results[i].Damage {
				out.Damage = append(out.Damage, fmt.Errorf("context %s: %w", c.Name, d))
			}
		}
		listed = append(listed, at)
	}
	switch {
	case len(reports) == 0 && missing != nil && lost == 0:
		return out, missing
	case len(reports) == 0:
		return out, out.Damage[0]
	}
	out.Report = merge(reports)
	out.Report.Cluster, out.Report.Contexts = analyze.Cluster{}, listed
	for _, c := range listed {
		if c.Error != "" {
			out.Report.NotChecked = append(out.Report.NotChecked, catalog.NotChecked{Code: "TM901", Reason: "context " + c.Name + ": " + c.Error})
		}
	}
	return out, nil
}

// under adds the name of the context to each job, and to what was not checked.
func under(name string, r *analyze.Report) *analyze.Report {
	for i := range r.Jobs {
		r.Jobs[i].Context = name
	}
	for i := range r.NotChecked {
		r.NotChecked[i].Reason = "context " + name + ": " + r.NotChecked[i].Reason
	}
	return r
}
