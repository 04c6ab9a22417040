package cmd

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"tidemark/analyze"
	"tidemark/analyze/triage"
	"tidemark/flinkapi"
	"tidemark/flinkapi/pseudonym"
	"tidemark/flinkapi/snapshot"
	"tidemark/internal/flags"
	"tidemark/request"
)

type snapshotOptions struct {
	source flinkapi.Reading
	path   string
	redact string // file of the names that were replaced, "" to replace none
}

func newSnapshot(g *globals) *cobra.Command {
	var o snapshotOptions
	c := &cobra.Command{
		Use:   "snapshot JOB... -o FILE",
		Short: "record every REST answer into one file",
		Long: `Read a job as triage does and write every REST answer into one file: JSON lines, gzip where the
name ends in .gz. Every command that reads a cluster takes the file with --from. The file is written
while it is read, so an interrupt loses nothing.

With --redact the names, hosts, topics, paths, settings, SQL and messages in it are replaced by other words,
consistently, so that it can be sent to strangers: verdict and places stay the same, numbers and times as
well. NAMES lists the replacements, to translate an answer back; used again, it gives the same names. With
--from an existing recording is rewritten.`,
		Example: `  tidemark snapshot orders -o incident.jsonl.gz
  tidemark triage --from incident.jsonl.gz
  tidemark snapshot orders -o to-send.jsonl.gz --redact names.tsv
  tidemark snapshot --from incident.jsonl.gz -o to-send.jsonl.gz --redact names.tsv`,
		Args: func(_ *cobra.Command, given []string) error {
			if len(given) == 0 && len(o.source.From) == 0 {
				return request.Badf("snapshot needs %s", aJob)
			}
			return nil
		},
		ValidArgsFunction: g.completeJobs,
		RunE: func(c *cobra.Command, args []string) error {
			o.source.Jobs, o.source.Given = args, flags.Given(c)
			return runSnapshot(c.Context(), g, o)
		},
	}
	c.Flags().StringVarP(&o.path, "output", "o", "", "file to write, - for standard output")
	c.Flags().StringVar(&o.redact, "redact", "", "replace names by other words, and write the replacements to the file {NAMES}")
	c.Flags().StringArrayVar(&o.source.From, "from", nil, "recording to rewrite with --redact, - for standard input")
	c.Flags().BoolVar(&o.source.Once, "once", false, "take one sample; whether a watermark advances is then unknown")
	flags.Duration(c, &o.source.Interval, "interval", 0, "time between the samples")
	flags.Duration(c, &o.source.For, "for", 0, "keep sampling for this long; triage draws what such a recording saw")
	return c
}

func runSnapshot(ctx context.Context, g *globals, o snapshotOptions) error {
	if o.path == "" {
		return request.Badf("snapshot needs a file to write: -o FILE")
	}
	again := len(o.source.From) > 0
	if err := o.checkFrom(); err != nil {
		return err
	}
	var names *pseudonym.Names
	if o.redact != "" {
		var err error
		if names, err = pseudonym.Open(o.redact); err != nil {
			return err
		}
	}
	w, err := snapshot.Open(o.path, g.Out)
	if err != nil {
		return err
	}
	w.Names = names
	if again {
		return g.renamed(o, w)
	}
	o.source.Record = w.Add
	captures, err := g.capture(ctx, o.source)
	err = errors.Join(append(g.damage, err, w.Close())...)
	for _, c := range captures {
		unread, _ := triage.Unread(analyze.Triage(c, analyze.Options{Tool: tool()}).Jobs)
		err = errors.Join(err, unread)
	}
	var noJob *flinkapi.ErrNoJob
	if w.Count() == 0 || errors.As(err, &noJob) { // of use to nobody, and in the way of the next try
		return errors.Join(err, w.Discard())
	}
	return errors.Join(err, g.recorded(o, w))
}

func (o snapshotOptions) checkFrom() error {
	switch {
	case len(o.source.From) == 0:
		return nil
	case o.redact == "":
		return request.Badf("snapshot --from rewrites a recording, which is of use with --redact NAMES alone")
	case len(o.source.From) > 1:
		return request.Badf("snapshot rewrites one recording, and --from names %d", len(o.source.From))
	case len(o.source.Jobs) > 0:
		return request.Badf("a recording is rewritten as a whole: leave out %s", oneLine(o.source.Jobs[0]))
	}
	return o.source.Given.Unused("a recording is rewritten", append([]string{"once", "interval", "for"}, flinkapi.ClusterSettings...)...)
}

// renamed rewrites a recording, under other names.
func (g *globals) renamed(o snapshotOptions, w *snapshot.Recorder) error {
	rec, err := flinkapi.OpenRecording(o.source.From[0], g.In)
	if err != nil {
		return errors.Join(err, w.Close(), w.Discard())
	}
	for _, e := range rec.Entries {
		w.Add(e)
	}
	return errors.Join(rec.Damage, w.Close(), g.recorded(o, w))
}

// recorded says where the answers are, and keeps what was replaced in them.
func (g *globals) recorded(o snapshotOptions, w *snapshot.Recorder) error {
	g.notef("%d answers written to %s; read them with --from %s", w.Count(), o.path, o.path)
	if w.Names == nil {
		return nil
	}
	if err := w.Names.Save(o.redact); err != nil {
		return err
	}
	g.notef("names are replaced; %s holds yours: keep it, and do not send it", o.redact)
	return nil
}
