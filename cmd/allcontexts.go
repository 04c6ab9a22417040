package cmd

import (
	"context"
	"fmt"
	"slices"

	"tidemark/analyze/triage"
	"tidemark/flinkapi"
	"tidemark/render/words"
	"tidemark/request"
)

// contextsOptions ask for every cluster of the configuration file.
type contextsOptions struct {
	All bool `flag:"all-contexts" doc:"read the clusters of all contexts, each job under the name of its context; a cluster that does not answer makes the run incomplete, the others are still reported"`
}

// check refuses what is said of one cluster.
func (o contextsOptions) check(r *triage.Request, wait triage.Wait) error {
	given := r.Source.Given
	switch {
	case !o.All:
		return nil
	case len(r.Source.From) > 0:
		return request.Wrong("all-contexts", "is not used: a recording is read, and no cluster")
	case r.Judge != nil:
		return request.Wrong("all-contexts", "is not used: the past is read of one cluster; name it with --context")
	case wait.For != "":
		return request.Wrong("all-contexts", "is not used: --wait waits for the jobs of one cluster; name it with --context")
	case r.Source.For != 0:
		return request.Wrong("all-contexts", "is not used: --for follows one cluster; name it with --context")
	}
	one := slices.DeleteFunc(slices.Clone(flinkapi.ClusterSettings), func(name string) bool { return name == "timeout" })
	return given.Unused("--all-contexts takes it of each context", append(one, "context")...)
}

func runAllContexts(ctx context.Context, g *globals, r triage.Request, out output) error {
	f, err := g.reach().Load()
	if err != nil {
		return err
	}
	names := f.Names()
	if len(names) == 0 {
		return request.Badf("no contexts yet; define them in %s", f.Path)
	}
	if err := r.Source.Check(); err != nil {
		return err
	}
	var clusters []triage.Named
	for _, name := range names { // one after the other, as a command for a secret may ask a person
		each := *g
		each.alone, each.cluster.Context = true, name
		client, err := each.client(ctx)
		clusters = append(clusters, triage.Named{Name: name, Client: client, Err: err})
	}
	r.Tool = tool()
	p := g.progress()
	p.Show(flinkapi.Progress{Step: fmt.Sprintf("reading %s", words.Plural(len(names), "context", "contexts"))})
	res, err := triage.RunEach(ctx, r, clusters)
	p.Done()
	if err != nil {
		return err
	}
	return g.report(r, res, out)
}
