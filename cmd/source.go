package cmd

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tidemark/flinkapi"
)

// join gives a reading the process it runs in; done clears what was said of its progress.
func (g *globals) join(r *flinkapi.Reading) (done func()) {
	p := g.progress()
	r.Connect, r.In, r.Progress = g.client, g.In, p.show
	return p.done
}

// capture reads the cluster, or every recording. A reading that breaks off is used as far as it went,
// and the reason is kept for the exit code.
func (g *globals) capture(ctx context.Context, r flinkapi.Reading) ([]*flinkapi.Capture, error) {
	done := g.join(&r)
	got, err := r.Read(ctx)
	done()
	g.damage = append(g.damage, got.Damage...)
	return got.Captures, err
}

// completeJobs offers the names of live jobs; it is silent when the cluster does not answer at once.
func (g *globals) completeJobs(c *cobra.Command, args []string, start string) ([]string, cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(c.Context(), 1500*time.Millisecond)
	defer cancel()
	client, err := g.client(ctx)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	jobs, err := client.Jobs(ctx)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, j := range jobs {
		if strings.HasPrefix(j.Name, start) && !slices.Contains(args, j.Name) {
			names = append(names, oneLine(j.Name))
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
