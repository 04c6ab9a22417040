package cmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"tidemark/analyze"
	"tidemark/analyze/catalog"
	"tidemark/flinkapi"
	"tidemark/render"
	"tidemark/render/safe"
)

type triageOptions struct {
	source      flinkapi.Reading
	past        pastOptions
	output      output
	minSeverity string
	failOn      string
}

func newTriage(g *globals) *cobra.Command {
	var o triageOptions
	c := &cobra.Command{
		Use:   "triage [JOB...]",
		Short: "diagnose why event time is stuck, late or wrong",
		Long: `Diagnose running jobs: the cause, the vertex, subtask and split that hold event time, and the fix.

JOB is a name, an id or the first characters of an id; without it every job is read. Two samples are
compared, because one cannot tell what moves. With --prometheus the jobs are judged as they were --at a
time, from the series of Flink's PrometheusReporter; --flink or --from then gives the graph of the job,
which Prometheus does not hold. Exit code 1 means a finding at or above --fail-on;
3 means that a job could not be judged.`,
		Example: `  tidemark triage --flink http://jobmanager:8081 orders
  tidemark triage --from incident.jsonl.gz -o json
  tidemark triage orders --for 5m
  tidemark triage orders --prometheus http://prometheus:9090 --flink http://jobmanager:8081 --at 03:00
  tidemark triage --fail-on warning --report html=report.html`,
		ValidArgsFunction: g.completeJobs,
		RunE: func(c *cobra.Command, args []string) error {
			o.source.Jobs, o.source.Given = args, said(c)
			return runTriage(c.Context(), g, o)
		},
	}
	bind(c, &o.source)
	durationVar(c, &o.source.For, "for", 0, "go on sampling for this long and draw what was seen; the verdict is that of the last two samples")
	bind(c, &o.past)
	o.output.addFlags(c)
	c.Flags().StringVar(&o.minSeverity, "min-severity", "info", "leave milder findings out: info, warning or critical")
	c.Flags().StringVar(&o.failOn, "fail-on", "critical", "exit with 1 at this severity: none, info, warning or critical")
	fixed(c, "min-severity", "info", "warning", "critical")
	fixed(c, "fail-on", "none", "info", "warning", "critical")
	return c
}

func runTriage(ctx context.Context, g *globals, o triageOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	o.source.Keep = true
	read := g.capture
	if o.past.asked(o.source.Given) {
		read = o.past.reader(g)
	}
	report, err := g.triage(ctx, read, o.source, catalog.Severity(o.minSeverity))
	if err != nil {
		return err
	}
	if err := o.output.write(g, render.Triage(report)); err != nil {
		return err
	}
	if n := leftOut(report, o.minSeverity); n > 0 && !g.quiet {
		fmt.Fprintf(g.Err, "tidemark: --min-severity %s leaves out every finding of %d of %d jobs\n", o.minSeverity, n, len(report.Jobs))
	}
	return judge(report, o.failOn, g.damage)
}

func (o triageOptions) check() error {
	return errors.Join(
		oneOf("--min-severity", o.minSeverity, "info", "warning", "critical"),
		oneOf("--fail-on", o.failOn, "none", "info", "warning", "critical"),
	)
}

// reader gives what was read of a cluster: g.capture, or the past of it.
type reader func(context.Context, flinkapi.Reading) ([]*flinkapi.Capture, error)

// triage reads and judges; several recordings become one report.
func (g *globals) triage(ctx context.Context, read reader, s flinkapi.Reading, least catalog.Severity) (*analyze.Report, error) {
	options := analyze.Options{Tool: tool(), MinSeverity: least}
	var went analyze.History
	if s.For > 0 || len(s.From) > 0 {
		s.Sampled = func(c *flinkapi.Capture) { went.Add(c, analyze.Triage(c, options)) }
	}
	captures, err := read(ctx, s)
	if err != nil {
		return nil, err
	}
	var reports []*analyze.Report
	for _, c := range captures {
		reports = append(reports, analyze.Triage(c, options))
	}
	all := merge(reports)
	went.Attach(all)
	return all, nil
}

// merge joins the reports of several recordings; where they differ the cluster is left unnamed.
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

// leftOut counts the jobs whose verdict rests on findings milder than what is shown.
func leftOut(r *analyze.Report, least string) int {
	n := 0
	for _, j := range r.Jobs {
		rank := catalog.Severity(j.Verdict).Rank()
		if rank >= catalog.Info.Rank() && rank < catalog.Severity(least).Rank() {
			n++
		}
	}
	return n
}

// judge turns a report into the error that its exit code stands for. "Could not tell" is never clean.
func judge(r *analyze.Report, failOn string, damage []error) error {
	var unsure []string
	for _, j := range r.Jobs {
		// The verdict also stands for findings that --min-severity left out of the report.
		rank := catalog.Severity(j.Verdict).Rank()
		for _, f := range j.Findings {
			rank = max(rank, f.Severity.Rank())
		}
		if failOn != "none" && rank >= catalog.Severity(failOn).Rank() {
			return errFindings
		}
		if j.Verdict == analyze.VerdictIncomplete || j.Incomplete {
			unsure = append(unsure, j.Name)
		}
	}
	switch {
	case len(damage) > 0:
		return fmt.Errorf("only what could be read was judged: %w", damage[0])
	case len(r.Jobs) == 0:
		return errors.New("nothing could be judged: no job was read")
	case len(unsure) == 1:
		return fmt.Errorf("job %s could not be judged completely", safe.Short(unsure[0], 60))
	case len(unsure) > 1:
		return fmt.Errorf("%d of %d jobs could not be judged completely", len(unsure), len(r.Jobs))
	}
	return nil
}
