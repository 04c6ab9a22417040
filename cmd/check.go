package cmd

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"tidemark/analyze/policy"
	"tidemark/render"
	"tidemark/render/ci"
)

// defaultPolicy is read where --policy is not given.
const defaultPolicy = "tidemark.yaml"

// checkOptions are the flags of check.
type checkOptions struct {
	source      sourceOptions
	policies    []string
	sql         []string
	gateway     string
	records     string
	topic       string
	replay      string
	expect      []string
	strategy    simulateOptions // of a replay that no policy describes
	output      output
	minSeverity string
	failOn      string
	schema      bool
}

func newCheck(g *globals) *cobra.Command {
	o := checkOptions{}
	c := &cobra.Command{
		Use:   "check [JOB...]",
		Short: "hold jobs, SQL and records against a policy before they go live",
		Long: `Hold event-time jobs against a policy file, as a gate in CI. Sources can be mixed: a running job
(--flink), a recording (--from), SQL scripts (--sql), measured records (--records, --topic), and a replay
of records through the reference engine (--replay). Every demand of the policy is a result: passed,
failed, or skipped with the reason.

A demand that cannot be judged is never passed: it makes the run incomplete. Exit code 0 means passed,
1 failed, 2 a mistake in the policy or the flags, 3 incomplete; failed beats incomplete.
` + "`tidemark check init`" + ` writes a policy to begin with.`,
		Example: `  tidemark check --from staging.jsonl.gz --report junit=check.xml
  tidemark check --policy tidemark.yaml --flink http://staging:8081 orders -o github
  tidemark check --replay orders.jsonl --field ts --delay 5s --expect 'late<=0.1%,lag-end<30s'`,
		ValidArgsFunction: g.completeJobs,
		RunE: func(c *cobra.Command, args []string) error {
			if o.schema {
				_, err := g.Out.Write(policy.Schema())
				return err
			}
			o.source.jobs = args
			return runCheck(c.Context(), g, o)
		},
	}
	o.addFlags(c)
	c.AddCommand(newCheckInit(g))
	return c
}

func (o *checkOptions) addFlags(c *cobra.Command) {
	o.source.addFlags(c)
	f := c.Flags()
	f.StringArrayVar(&o.policies, "policy", nil, "policy file (default ./tidemark.yaml); may repeat")
	f.StringArrayVar(&o.sql, "sql", nil, "SQL script to read; may repeat")
	f.StringVar(&o.gateway, "sql-gateway", "", "SQL gateway that explains the scripts' queries; without it only CREATE TABLE is read")
	f.StringVar(&o.records, "records", "", "measure this file of records in place of what delay.measured names")
	f.StringVar(&o.topic, "topic", "", "measure this topic in place of what delay.measured names")
	f.StringVar(&o.replay, "replay", "", "replay this file of records (kcat -J lines or CSV) in place of what replay names; without a policy with --expect")
	f.StringArrayVar(&o.expect, "expect", nil, "with --replay: further limits such as 'late<=0.1%,fired>=10,lag-end<30s'; may repeat")
	f.StringArrayVar(&o.strategy.windows, "window", nil, "with --replay and no policy: `KIND:SIZE` as in simulate; may repeat")
	o.strategy.time.registerDecoding(c, "ms", "", "payload-schema") // --schema is that of policies
	o.strategy.base.addFlags(c, "emit-interval")
	f.IntVar(&o.strategy.partitions, "partitions", 0, "with --replay: how many partitions exist, silent ones included")
	f.BoolVar(&o.strategy.sort, "sort", false, "with --replay: put the records in order of arrival")
	f.BoolVar(&o.schema, "schema", false, "write the JSON Schema of policy files and end")
	f.StringVar(&o.minSeverity, "min-severity", "info", "show failed results from this severity: info, warning or critical")
	f.StringVar(&o.failOn, "fail-on", "", "severity that fails the run: none, info, warning or critical (default: the policy's, or warning)")
	o.output.addFlags(c, ci.Formats...)
	fixed(c, "min-severity", "info", "warning", "critical")
	fixed(c, "fail-on", "none", "info", "warning", "critical")
}

func (o *checkOptions) check() error {
	if o.failOn != "" {
		if err := oneOf("--fail-on", o.failOn, "none", "info", "warning", "critical"); err != nil {
			return err
		}
	}
	if o.records != "" && o.topic != "" {
		return usagef("--records and --topic exclude each other")
	}
	if len(o.expect) > 0 && o.replay == "" {
		return usagef("--expect needs --replay FILE")
	}
	if o.gateway != "" && len(o.sql) == 0 {
		return usagef("--sql-gateway needs --sql FILE")
	}
	return oneOf("--min-severity", o.minSeverity, "info", "warning", "critical")
}

func runCheck(ctx context.Context, g *globals, o checkOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	policies, err := o.load()
	if err != nil {
		return err
	}
	in, err := o.read(ctx, g, policies)
	if err != nil {
		return err
	}
	run, err := policy.Evaluate(policies, in)
	if err != nil {
		return usageError{err}
	}
	root, _ := os.Getwd() // without it files keep the names they were given
	if err := o.output.write(g, render.Check(run, root)); err != nil {
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
