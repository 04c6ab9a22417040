package cmd

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"tidemark/analyze/policy"
	"tidemark/analyze/policy/gate"
	"tidemark/internal/flags"
	"tidemark/render"
	"tidemark/render/ci"
	"tidemark/request"
)

func newCheck(g *globals) *cobra.Command {
	r := gate.Defaults()
	var registry registryAccess
	var past pastOptions
	var out output
	var schema bool
	c := &cobra.Command{
		Use:   "check [JOB...]",
		Short: "check jobs, SQL and records against a policy before they go live",
		Long: `Check event-time jobs against a policy file, as a gate in CI. Sources can be combined: a running job
(--flink), a recording (--from), SQL scripts (--sql), measured records (--records, --topic), and a replay
of records through the reference engine (--replay). Every demand of the policy yields a result: passed,
failed, or skipped with the reason.

With --for the jobs are watched for that long, and with --prometheus and --since as they went then: the run says
what happened, and what a policy demands of a replay from an old offset (drill) is judged: how fast it catches
up, what is left, how far splits and sources are apart, how checkpoints grow, what is dropped.

A demand that cannot be judged never counts as passed: it makes the run incomplete. Exit code 0 means passed,
1 failed, 2 a mistake in the policy or the flags, 3 incomplete; failed beats incomplete.
` + "`tidemark check init`" + ` writes a policy to begin with.`,
		Example: `  tidemark check --from staging.jsonl.gz --report junit=check.xml
  tidemark check --policy tidemark.yaml --flink http://staging:8081 orders -o github
  tidemark check orders --flink http://staging:8081 --for 30m --report html=drill.html
  tidemark check orders --prometheus http://prometheus:9090 --flink http://staging:8081 --since 22:00 --until 23:30
  tidemark check --replay orders.jsonl --field ts --delay 5s --expect 'late<=0.1%,lag-end<30s'`,
		ValidArgsFunction: g.completeJobs,
		RunE: func(c *cobra.Command, args []string) error {
			if schema {
				if c.Flags().NFlag() > 1 || len(args) > 0 {
					return request.Badf("--policy-schema writes the JSON Schema and ends: leave the rest out")
				}
				_, err := g.Out.Write(policy.Schema())
				return err
			}
			r.Job.Jobs, r.Given, r.Tool = args, flags.Given(c), tool()
			if r.Baseline != "" && !out.any(ci.Compared) {
				return request.Badf("--baseline is not used: -o %s says nothing of it; add --report markdown=FILE, or another of table, json, yaml, html, github", out.format)
			}
			if past.asked(r.Given) {
				r.Read = past.gate(g)
			}
			r.Named = g.reach().Address()+g.reach().Named() != ""
			if r.Replay != "" {
				var err error
				if r.Play.EventTime.Registry, err = (access{Registry: registry}).registry(g); err != nil {
					return err
				}
			}
			return runCheck(c.Context(), g, r, out)
		},
	}
	f := c.Flags()
	f.BoolVar(&schema, "policy-schema", false, "write the JSON Schema of policy files and end")
	f.BoolVar(&schema, "schema", false, "the same as --policy-schema")
	f.Lookup("schema").Hidden = true
	flags.Bind(c, &registry)
	flags.Bind(c, &r)
	flags.Duration(c, &r.Job.For, "for", 0, "watch the jobs for this long: what happened, and how a replay goes (drill of the policy)")
	flags.Bind(c, &past)
	out.addFlags(c, ci.Formats...)
	c.AddCommand(newCheckInit(g))
	return c
}

func runCheck(ctx context.Context, g *globals, r gate.Request, out output) error {
	p := g.process()
	step, done := g.steps()
	p.Step = step
	quiet := g.join(&r.Job)
	run, err := gate.Run(ctx, p, gateAccess{g}, r)
	quiet()
	done()
	if err != nil {
		return err
	}
	root, _ := os.Getwd() // without it files keep the names they were given
	if err := out.write(g, render.Check(run, root)); err != nil {
		return err
	}
	switch run.Outcome {
	case policy.OutcomeFailed:
		return errFindings
	case policy.OutcomeIncomplete:
		return incompleteRun(run)
	}
	return nil
}

func incompleteRun(run *policy.Run) error {
	if n := len(run.Incomplete); n > 1 {
		return fmt.Errorf("incomplete, so not passed: %s (and %d more)", run.Incomplete[0], n-1)
	}
	return fmt.Errorf("incomplete, so not passed: %s", run.Incomplete[0])
}
