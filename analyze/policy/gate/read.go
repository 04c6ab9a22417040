package gate

import (
	"context"
	"strings"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/analyze/policy"
	"tidemark/flinkapi"
	"tidemark/internal/units"
)

// live reports that a cluster is to be read: it was named, a job was, or nothing else is to be read.
func (r *run) live(policies []*policy.Policy) bool {
	if len(r.Job.From) > 0 {
		return false
	}
	if r.Read != nil || r.Job.For > 0 || r.Named || len(r.Job.Jobs) > 0 {
		return true
	}
	if len(r.SQL) > 0 || r.Records != "" || r.Topic != "" || r.Replay != "" {
		return false
	}
	for _, p := range policies {
		for _, rule := range p.Jobs {
			if rule.NeedsSubject() {
				return true
			}
		}
	}
	return false
}

// read gathers everything that the policies are compared with.
func (r *run) read(ctx context.Context, policies []*policy.Policy) (policy.Input, error) {
	in := policy.Input{Tool: r.Tool, NowMs: r.Now().UnixMilli(), FailOn: r.FailOn, MinSeverity: catalog.Severity(r.MinSeverity),
		Chosen: len(r.Job.Jobs) > 0}
	in.AtMs = in.NowMs
	if len(r.Job.From) > 0 || r.live(policies) {
		if err := r.readJobs(ctx, &in); err != nil {
			return in, err
		}
	}
	if err := r.readScripts(ctx, &in); err != nil {
		return in, err
	}
	if err := r.measure(ctx, policies, &in); err != nil {
		return in, err
	}
	if err := r.replays(ctx, policies, &in); err != nil {
		return in, err
	}
	if err := r.changes(ctx, policies, &in); err != nil {
		return in, err
	}
	return in, readRuleFiles(policies, &in)
}

// readJobs reads the cluster or the recordings. A run over recordings alone is judged at their time.
func (r *run) readJobs(ctx context.Context, in *policy.Input) error {
	var watch Watch
	got, err := r.readCaptures(ctx, &watch)
	if err != nil {
		return err
	}
	in.JobsRead = true
	newest := int64(0)
	for i, c := range got.Captures {
		for _, jc := range c.Jobs {
			if jc.Listed.State == "CANCELED" && !in.Chosen && len(r.Job.From) == 0 {
				continue // somebody stopped it: nothing is demanded of it unless it is named
			}
			j := policy.NewJob(model.BuildJob(c, jc))
			watch.attach(&j)
			in.Jobs = append(in.Jobs, j)
			alone := *c
			alone.Jobs = []flinkapi.JobCapture{jc}
			r.captured = append(r.captured, &alone)
		}
		newest = max(newest, c.ReadAt)
		source := policy.Source{Kind: "flink", Name: c.URL, Note: "Flink " + c.FlinkVersion()}
		switch {
		case c.Origin != nil:
			source.Kind = "prometheus"
			source.Note += ", as of " + units.Time(c.Origin.AskedMs)
		case len(r.Job.From) > 0:
			source.Kind, source.Name = "recording", r.Job.From[min(i, len(r.Job.From)-1)]
			source.Note += ", read " + units.Time(c.ReadAt)
		}
		in.Sources = append(in.Sources, source)
	}
	if len(r.Job.From) > 0 || r.Read != nil {
		in.AtMs = newest
	}
	for _, d := range got.Damage {
		in.Incomplete = append(in.Incomplete, "only what could be read was judged: "+strings.TrimSuffix(d.Error(), "."))
	}
	return nil
}
