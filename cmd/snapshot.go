package cmd

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"tidemark/analyze"
	"tidemark/analyze/triage"
	"tidemark/flinkapi"
)

type snapshotOptions struct {
	source flinkapi.Reading
	path   string
}

func newSnapshot(g *globals) *cobra.Command {
	var o snapshotOptions
	c := &cobra.Command{
		Use:   "snapshot JOB... -o FILE",
		Short: "record every REST answer into one file",
		Long: `Read a job as triage does and write every REST answer into one file: JSON lines, gzip where the
name ends in .gz. Every command that reads a cluster takes the file with --from. The file is written
while it is read, so an interrupt loses nothing.`,
		Example: "  tidemark snapshot orders -o incident.jsonl.gz\n  tidemark triage --from incident.jsonl.gz",
		Args: func(_ *cobra.Command, given []string) error {
			if len(given) == 0 {
				return usagef("snapshot needs %s", aJob)
			}
			return nil
		},
		ValidArgsFunction: g.completeJobs,
		RunE: func(c *cobra.Command, args []string) error {
			o.source.Jobs, o.source.Given = args, said(c)
			return runSnapshot(c.Context(), g, o)
		},
	}
	c.Flags().StringVarP(&o.path, "output", "o", "", "file to write, - for standard output")
	c.Flags().BoolVar(&o.source.Once, "once", false, "take one sample; what moves cannot be told then")
	durationVar(c, &o.source.Interval, "interval", 0, "time between the samples")
	durationVar(c, &o.source.For, "for", 0, "go on sampling for this long; triage draws what such a recording saw")
	return c
}

func runSnapshot(ctx context.Context, g *globals, o snapshotOptions) error {
	if o.path == "" {
		return usagef("snapshot needs a file to write: -o FILE")
	}
	w, err := openRecorder(o.path, g.Out)
	if err != nil {
		return err
	}
	o.source.Record = w.add
	captures, err := g.capture(ctx, o.source)
	err = errors.Join(append(g.damage, err, w.close())...)
	for _, c := range captures {
		unread, _ := triage.Unread(analyze.Triage(c, analyze.Options{Tool: tool()}).Jobs)
		err = errors.Join(err, unread)
	}
	var noJob *flinkapi.ErrNoJob
	if w.count == 0 || errors.As(err, &noJob) { // of use to nobody, and in the way of the next try
		return errors.Join(err, w.discard())
	}
	g.notef("%d answers written to %s; read them with --from %s", w.count, o.path, o.path)
	return err
}

// recorder writes answers as they come; it is used by several goroutines.
type recorder struct {
	mu    sync.Mutex
	file  *os.File // nil for standard output
	zip   *gzip.Writer
	buf   *bufio.Writer
	count int
	err   error
}

// openRecorder never overwrites: a recording of an incident cannot be made again.
func openRecorder(path string, stdout io.Writer) (*recorder, error) {
	if path == "-" {
		return &recorder{buf: bufio.NewWriter(stdout)}, nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil, usagef("%s is there already; name another file", path)
	}
	if err != nil {
		return nil, usagef("recording cannot be written: %w", err)
	}
	r := &recorder{file: f, buf: bufio.NewWriter(f)}
	if strings.HasSuffix(path, ".gz") {
		r.zip = gzip.NewWriter(f)
		r.buf = bufio.NewWriter(r.zip)
	}
	return r, nil
}

// add writes one answer through to the file.
func (r *recorder) add(e flinkapi.Entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return
	}
	r.err = flinkapi.WriteEntry(r.buf, e)
	if r.err == nil {
		r.err = r.buf.Flush()
	}
	if r.err == nil && r.zip != nil {
		r.err = r.zip.Flush()
	}
	if r.err == nil {
		r.count++
	}
}

func (r *recorder) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	errs := []error{r.err}
	if r.zip != nil {
		errs = append(errs, r.zip.Close())
	}
	if r.file != nil {
		errs = append(errs, r.file.Close())
	}
	return errors.Join(errs...)
}

// discard removes a file that holds no answer.
func (r *recorder) discard() error {
	if r.file == nil {
		return nil
	}
	return os.Remove(r.file.Name())
}
