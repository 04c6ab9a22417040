package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tidemark/flinkapi"
)

// sourceOptions say what to read: a live cluster, or recordings of one.
type sourceOptions struct {
	jobs     []string
	from     []string
	once     bool
	interval time.Duration
	record   func(flinkapi.Entry)
	keep     bool // an interrupted reading is used as far as it went
}

func (s *sourceOptions) addFlags(c *cobra.Command) {
	f := c.Flags()
	f.StringArrayVar(&s.from, "from", nil, "read this recording instead of a cluster, - for standard input; may repeat")
	f.BoolVar(&s.once, "once", false, "take one sample; what moves cannot be told then")
	f.DurationVar(&s.interval, "interval", 0, "time between the samples (default: as often as the cluster refreshes its metrics)")
}

func (s *sourceOptions) check() error {
	if s.interval < 0 {
		return usagef("--interval is %s; it takes a duration above zero", s.interval)
	}
	stdin := 0
	for _, f := range s.from {
		if f == "-" {
			stdin++
		}
	}
	if stdin > 1 {
		return usagef("--from - can be given once")
	}
	return nil
}

// capture reads the cluster, or every recording. A reading that breaks off is used as far as it went,
// and the reason is kept for the exit code.
func (g *globals) capture(ctx context.Context, s sourceOptions) ([]*flinkapi.Capture, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	if len(s.from) > 0 {
		return g.replay(ctx, s)
	}
	opts := flinkapi.CaptureOptions{Jobs: s.jobs, Once: s.once, Interval: s.interval, Record: s.record}
	client, err := g.client(ctx)
	if err != nil {
		return nil, err
	}
	p := g.progress()
	opts.Progress = p.show
	c, err := client.Capture(ctx, opts)
	p.done()
	if err != nil && (c == nil || len(c.Jobs) == 0 || ctx.Err() != nil && !(s.keep && sampled(c))) {
		return nil, err
	}
	if err != nil {
		g.damage = append(g.damage, err)
	}
	return []*flinkapi.Capture{c}, nil
}

// sampled reports whether any metric of any job has been read.
func sampled(c *flinkapi.Capture) bool {
	for _, j := range c.Jobs {
		for _, s := range j.Samples {
			if len(s.Vertices) > 0 {
				return true
			}
		}
	}
	return false
}

// replay reads recordings. A job that none of several has is an error; one that some lack is not.
// What is left of a damaged file is read, and the damage is kept for the exit code.
func (g *globals) replay(ctx context.Context, s sourceOptions) ([]*flinkapi.Capture, error) {
	var captures []*flinkapi.Capture
	var missing error
	for _, path := range s.from {
		rec, err := flinkapi.OpenRecording(path, g.In)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, usageError{err}
		}
		if err != nil {
			return nil, err
		}
		c, err := rec.Capture(ctx, flinkapi.CaptureOptions{Jobs: s.jobs, Once: s.once})
		if rec.Damage != nil {
			g.damage = append(g.damage, rec.Damage)
		}
		var noJob *flinkapi.ErrNoJob
		if errors.As(err, &noJob) {
			missing = err
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		captures = append(captures, c)
	}
	if len(captures) == 0 {
		return nil, missing
	}
	return captures, nil
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
