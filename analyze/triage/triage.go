// Package triage reads jobs and judges them: a Request says which jobs and from where, the Result has the report and its
// outcome.
package triage

import (
	"context"

	"tidemark/analyze"
	"tidemark/analyze/catalog"
	"tidemark/flinkapi"
	"tidemark/request"
)

// Request asks for the report of jobs.
type Request struct {
	Source      flinkapi.Reading
	MinSeverity string `flag:"min-severity" words:"info,warning,critical" doc:"leave milder findings out: info, warning or critical"`
	FailOn      string `flag:"fail-on" words:"none,info,warning,critical" doc:"exit with 1 at this severity: none, info, warning or critical"`
	Tool        analyze.Tool
	Acknowledge func(*analyze.JobReport) // marks the findings that a policy accepts; nil = none
	SoFar       func(*analyze.Report)    // gets the report of the samples so far, for a user who waits; nil = not wanted

	// Judge reads and judges the past of the jobs in place of Source; nil = Source is read.
	Judge func(context.Context, flinkapi.Reading, analyze.Options) (*analyze.Report, error)
}

// Defaults is a request that lacks only its source.
func Defaults() Request {
	return Request{MinSeverity: string(catalog.Info), FailOn: string(catalog.Critical)}
}

// Result is the report of what could be read; Damage says why parts of the reading broke off.
type Result struct {
	Report *analyze.Report
	Damage []error
	failOn catalog.Severity // "none" = no finding fails the run
}

// Run reads and judges; several recordings become one report. With Source.For or recordings the jobs have a timeline.
func Run(ctx context.Context, r Request) (Result, error) {
	if err := request.CheckWords(&r); err != nil {
		return Result{}, err
	}
	options := analyze.Options{Tool: r.Tool, MinSeverity: catalog.Severity(r.MinSeverity), Acknowledge: r.Acknowledge}
	if r.Judge != nil {
		report, err := r.Judge(ctx, r.Source, options)
		return Result{Report: report, failOn: catalog.Severity(r.FailOn)}, err
	}
	var went analyze.History
	long := r.Source.For > 0 || len(r.Source.From) > 0
	if r.Source.Early = r.SoFar != nil && !r.Source.Once; long || r.Source.Early {
		r.Source.Sampled = func(c *flinkapi.Capture) {
			now := analyze.Triage(c, options)
			if went.Add(c, now); r.Source.Early {
				r.SoFar(now)
			}
		}
	}
	got, err := r.Source.Read(ctx)
	if err != nil {
		return Result{Damage: got.Damage}, err
	}
	var reports []*analyze.Report
	for _, c := range got.Captures {
		reports = append(reports, analyze.Triage(c, options))
	}
	all := merge(reports)
	if long {
		went.Attach(all)
	}
	return Result{Report: all, Damage: got.Damage, failOn: catalog.Severity(r.FailOn)}, nil
}

// merge joins several reports; URL and version of the cluster are left empty where they differ.
func merge(reports []*analyze.Report) *analyze.Report {
	all := *reports[0]
	for _, r := range reports[1:] {
		all.Jobs = append(all.Jobs, r.Jobs...)
		all.NotChecked = append(all.NotChecked, r.NotChecked...)
		all.CapturedAt, all.CapturedMs = max(all.CapturedAt, r.CapturedAt), max(all.CapturedMs, r.CapturedMs)
		if r.Cluster.URL != all.Cluster.URL {
			all.Cluster.URL = ""
		}
		if r.Cluster.FlinkVersion != all.Cluster.FlinkVersion {
			all.Cluster.FlinkVersion = ""
		}
	}
	return &all
}
