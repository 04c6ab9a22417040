package cmd

import (
	"cmp"
	"context"
	"time"

	"github.com/spf13/cobra"

	"tidemark/analyze/triage"
	"tidemark/internal/flags"
	"tidemark/render"
	"tidemark/render/live"
	"tidemark/render/progress"
)

func newTriage(g *globals) *cobra.Command {
	r := triage.Defaults()
	var past pastOptions
	wait := triage.Wait{Timeout: 5 * time.Minute}
	var accept acknowledgeOptions
	var every contextsOptions
	var out output
	c := &cobra.Command{
		Use:   "triage [JOB...]",
		Short: "diagnose why event time is stuck, late or wrong",
		Long: `Diagnose running jobs: the cause, the vertex, subtask and split that hold the watermark, and the fix.

JOB is a name, an id or the first characters of an id; without it every job is read. Two samples are
compared, because a single one does not show whether a watermark advances. With --prometheus the jobs are
judged as they were --at a time, from the metrics of Flink's PrometheusReporter; --flink or --from then
gives the graph of the job, which Prometheus does not hold. With --policy, findings that a policy
suppresses are listed separately. Exit code 1 means a finding at or above --fail-on; 3 means that a job could
not be judged.

After a deployment, --wait healthy reads again until every job runs, was judged, and has no finding at or
above --fail-on (with --wait: warning, unless it is given). A job or cluster that is not there yet is waited
for. When --wait-timeout is up, the last report is written and decides the exit code. --timeout is that of a
single request, as everywhere.`,
		Example: `  tidemark triage --flink http://jobmanager:8081 orders
  tidemark triage --from incident.jsonl.gz -o json
  tidemark triage orders --for 5m
  tidemark triage orders --wait healthy --wait-timeout 10m
  tidemark triage orders --prometheus http://prometheus:9090 --flink http://jobmanager:8081 --at 03:00
  tidemark triage --all-contexts
  tidemark triage --fail-on warning --report html=report.html`,
		ValidArgsFunction: g.completeJobs,
		RunE: func(c *cobra.Command, args []string) error {
			r.Source.Jobs, r.Source.Given = args, flags.Given(c)
			if past.asked(r.Source.Given) {
				r.Judge = past.judge(g)
			}
			if err := wait.Check(&r); err != nil {
				return err
			}
			var err error
			if r.Acknowledge, err = accept.mark(g); err != nil {
				return err
			}
			if err := every.check(&r, wait); err != nil {
				return err
			}
			if every.All {
				return runAllContexts(c.Context(), g, r, out)
			}
			if wait.For != "" {
				return runWait(c.Context(), g, r, wait, out)
			}
			return runTriage(c.Context(), g, r, out)
		},
	}
	flags.Bind(c, &r)
	flags.Duration(c, &r.Source.For, "for", 0, "keep sampling for this long and draw what was seen; the verdict is that of the last two samples")
	flags.Bind(c, &past)
	flags.Bind(c, &wait)
	flags.Bind(c, &accept)
	flags.Bind(c, &every)
	out.addFlags(c, render.JobFormats...)
	return c
}

func runTriage(ctx context.Context, g *globals, r triage.Request, out output) error {
	res, err := g.triage(ctx, r)
	if err != nil {
		return err
	}
	return g.report(r, res, out)
}

// runWait reads until all is well or the time is up, and reports the last reading: its verdict is the exit code, and
// where that would pass, nothing is clean.
func runWait(ctx context.Context, g *globals, r triage.Request, wait triage.Wait, out output) error {
	reader := g
	if !g.IsTerminal(g.Err) { // a log gets a line a change, not the steps of every reading
		silent := *g
		silent.quiet = true
		reader = &silent
	}
	p := triage.Polling{Every: cmp.Or(r.Source.Interval, live.Usual), Now: g.Now, Sleep: g.Sleep, Lacks: progress.Lacks}
	p.Read = func(ctx context.Context) (triage.Result, error) {
		reader.damage = nil
		return reader.triage(ctx, r)
	}
	p.Note = func(lacks string) {
		if !g.quiet {
			g.notef("waiting for healthy: %s", lacks)
		}
	}
	res, up, err := wait.Until(ctx, p)
	if err != nil {
		return err
	}
	err = g.report(r, res, out)
	switch {
	case up == nil:
		return err
	case err == nil:
		return up
	}
	g.notef("%s; the exit code is that of the last verdict", up.Said)
	return err
}

// report writes a report and returns the error that decides the exit code.
func (g *globals) report(r triage.Request, res triage.Result, out output) error {
	res.Report.From = r.Source.From
	if err := out.write(g, render.Triage(res.Report)); err != nil {
		return err
	}
	if n := r.LeftOut(res.Report); n > 0 && !g.quiet {
		g.notef("--min-severity %s leaves out every finding of %d of %d jobs", r.MinSeverity, n, len(res.Report.Jobs))
	}
	return res.Err()
}

// triage reads and judges; an interrupted reading is judged as far as it got.
func (g *globals) triage(ctx context.Context, r triage.Request) (triage.Result, error) {
	r.Tool, r.Source.Keep = tool(), true
	p := g.progress()
	if r.Source.Progress = p.Show; g.IsTerminal(g.Err) && !g.quiet && len(r.Source.From) == 0 && r.Judge == nil {
		r.SoFar = p.SoFar
	}
	g.join(&r.Source)
	res, err := triage.Run(ctx, r)
	p.Done()
	g.damage = append(g.damage, res.Damage...)
	return res, err
}
