package cmd

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tidemark/flinkapi"
	"tidemark/request"
)

// join connects a reading with the process that it runs in; done clears the progress line. A
// reading that already has a Progress function keeps it.
func (g *globals) join(r *flinkapi.Reading) (done func()) {
	r.Connect, r.In = g.client, g.In
	if r.Progress != nil {
		return func() {}
	}
	p := g.progress()
	r.Progress = p.Show
	return p.Done
}

// misplaced refuses an address or a file instead of the name of a job, and names the flag for it.
func misplaced(c *cobra.Command, given []string) error {
	if name := below(c); !slices.Contains(jobsAlone, name) && !slices.Contains(jobsToo, name) {
		return nil
	}
	more := ""
	if strings.Contains(c.Use, " JOB") {
		more = " JOB" // which the command cannot do without
	}
	for _, job := range given {
		switch {
		case strings.HasPrefix(job, "http://"), strings.HasPrefix(job, "https://"):
			return request.Badf("%s is no name of a job; a cluster is given with --flink: `%s --flink %s%s`", flinkapi.MaskURL(job), c.CommandPath(), flinkapi.MaskURL(job), more)
		case strings.HasSuffix(job, ".jsonl"), strings.HasSuffix(job, ".gz"):
			if c.Flags().Lookup("from") == nil {
				return request.Badf("%s is no name of a job; `tidemark triage --from %s` reads a recording", job, job)
			}
			return request.Badf("%s is no name of a job; a recording is given with --from: `%s --from %s%s`", job, c.CommandPath(), job, more)
		}
	}
	return nil
}

// capture reads the cluster, or every recording. An interrupted reading is used as far as it got,
// and the reason is kept for the exit code.
func (g *globals) capture(ctx context.Context, r flinkapi.Reading) ([]*flinkapi.Capture, error) {
	done := g.join(&r)
	got, err := r.Read(ctx)
	done()
	g.damage = append(g.damage, got.Damage...)
	return got.Captures, err
}

// completeJobs suggests the names of live jobs; nothing if the cluster does not answer at once.
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
			names = append(names, cobra.CompletionWithDesc(oneLine(j.Name), j.State))
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// process is the process as requests see it.
func (g *globals) process() request.Process {
	return request.Process{In: g.In, Now: g.Now, Getenv: g.Getenv,
		Note:   func(line string) { g.notef("%s", line) },
		Detail: func(line string) { g.detailf("%s", line) },
		Step:   func(string) {},
	}
}

// steps shows what a reading waits for; done clears it.
func (g *globals) steps() (step func(string), done func()) {
	p := g.progress()
	return func(text string) { p.Show(flinkapi.Progress{Step: text}) }, p.Done
}
