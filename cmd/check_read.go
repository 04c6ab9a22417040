package cmd

import (
	"context"
	"strings"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/analyze/policy"
	"tidemark/internal/units"
)

// live reports that a cluster is to be read: it was named, a job was, or nothing else is to be read.
func (o *checkOptions) live(g *globals, policies []*policy.Policy) bool {
	if len(o.source.from) > 0 {
		return false
	}
	if first(g.flink, g.Getenv("TIDEMARK_FLINK"), g.context, g.Getenv("TIDEMARK_CONTEXT")) != "" || len(o.source.jobs) > 0 {
		return true
	}
	if len(o.sql) > 0 || o.records != "" || o.topic != "" || o.replay != "" {
		return false
	}
	for _, p := range policies {
		for _, r := range p.Jobs {
			if r.NeedsSubject() {
				return true
			}
		}
	}
	return false
}

// read gathers everything that the policies are held against.
func (o *checkOptions) read(ctx context.Context, g *globals, policies []*policy.Policy) (policy.Input, error) {
	in := policy.Input{Tool: tool(), NowMs: g.Now().UnixMilli(), FailOn: o.failOn, MinSeverity: catalog.Severity(o.minSeverity),
		Chosen: len(o.source.jobs) > 0}
	in.AtMs = in.NowMs
	if len(o.source.from) > 0 || o.live(g, policies) {
		if err := o.readJobs(ctx, g, &in); err != nil {
			return in, err
		}
	}
	if err := o.readScripts(ctx, g, &in); err != nil {
		return in, err
	}
	if err := o.measure(ctx, g, policies, &in); err != nil {
		return in, err
	}
	if err := o.replays(ctx, g, policies, &in); err != nil {
		return in, err
	}
	return in, readRuleFiles(policies, &in)
}

// readJobs reads the cluster or the recordings. A run over recordings alone is judged at their time.
func (o *checkOptions) readJobs(ctx context.Context, g *globals, in *policy.Input) error {
	captures, err := g.capture(ctx, o.source)
	if err != nil {
		return err
	}
	in.JobsRead = true
	newest := int64(0)
	for i, c := range captures {
		for _, jc := range c.Jobs {
			if jc.Listed.State == "CANCELED" && !in.Chosen && len(o.source.from) == 0 {
				continue // somebody stopped it: nothing is demanded of it unless it is named
			}
			in.Jobs = append(in.Jobs, policy.NewJob(model.BuildJob(c, jc)))
		}
		newest = max(newest, c.ReadAt)
		source := policy.Source{Kind: "flink", Name: c.URL, Note: "Flink " + c.FlinkVersion()}
		if len(o.source.from) > 0 {
			source.Kind, source.Name = "recording", o.source.from[min(i, len(o.source.from)-1)]
			source.Note += ", read " + units.Time(c.ReadAt)
		}
		in.Sources = append(in.Sources, source)
	}
	if len(o.source.from) > 0 {
		in.AtMs = newest
	}
	for _, d := range g.damage {
		in.Incomplete = append(in.Incomplete, "only what could be read was judged: "+strings.TrimSuffix(d.Error(), "."))
	}
	return nil
}
