package cmd

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"tidemark/analyze"
	"tidemark/flinkapi"
	"tidemark/internal/units"
)

// usualExport is short enough for an alert and long enough that the reading costs a JobManager nothing.
const usualExport = time.Minute

type exportOptions struct {
	source   flinkapi.Reading
	textfile string
	listen   string
	interval time.Duration
	once     bool
	accept   acknowledgeOptions
	mark     func(*analyze.JobReport)
}

func newExport(g *globals) *cobra.Command {
	var o exportOptions
	c := &cobra.Command{
		Use:   "export [JOB...]",
		Short: "findings and event-time lag as metrics for Prometheus",
		Long: `Diagnose each --interval and expose findings, verdicts and event-time lag to Prometheus: as a file for
node exporter's textfile collector, over HTTP, or both. A scrape never reads the cluster.

The lag of a vertex is absent if it has no watermark. After a failed capture, tidemark_up is 0
and the last values are kept until they are older than three intervals. The file is replaced atomically, and
removed when the program is interrupted.`,
		Example: `  tidemark export --listen 127.0.0.1:9321 --flink http://jobmanager:8081
  tidemark export --textfile /var/lib/node_exporter/tidemark.prom --interval 2m
  tidemark export --textfile tidemark.prom --once orders`,
		ValidArgsFunction: g.completeJobs,
		RunE: func(c *cobra.Command, args []string) error {
			o.source.Jobs, o.source.Given = args, said(c)
			delete(o.source.Given, "interval") // that of the captures
			return runExport(c.Context(), g, o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.textfile, "textfile", "", "write this file, whose name must end in .prom")
	f.StringVar(&o.listen, "listen", "", "serve /metrics at this `ADDRESS`, such as 127.0.0.1:9321")
	durationVar(c, &o.interval, "interval", usualExport, "time between captures")
	f.BoolVar(&o.once, "once", false, "write the file once and end; exit code 3 when the capture failed")
	bind(c, &o.accept)
	f.StringArrayVar(&o.source.From, "from", nil, "read this recording instead of a cluster; may repeat")
	return c
}

func (o exportOptions) check() error {
	switch {
	case o.textfile == "" && o.listen == "":
		return usagef("export needs a place: --textfile FILE, --listen ADDRESS or both")
	case o.textfile != "" && filepath.Ext(o.textfile) != ".prom":
		return usagef("--textfile is %q; node exporter reads only files that end in .prom", o.textfile)
	case o.once && o.listen != "":
		return usagef("--once ends after one capture, so nothing can --listen")
	case o.interval <= 0:
		return usagef("--interval is %s; it takes a duration above zero", units.Said(o.interval))
	}
	for _, f := range o.source.From {
		if f == "-" {
			return usagef("standard input cannot be read again and again; name a file with --from")
		}
		if _, err := os.Stat(f); err != nil { // what is missing now would be tried again for ever
			return usagef("recording %s cannot be opened: %w", f, err)
		}
	}
	return o.source.Check()
}

func runExport(ctx context.Context, g *globals, o exportOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	var err error
	if o.mark, err = o.accept.mark(g); err != nil {
		return err
	}
	if len(o.source.From) == 0 {
		if _, err := g.client(ctx); err != nil { // settings that are wrong now will not be right later
			return err
		}
	}
	e := newExporter(g, o)
	if o.once {
		return e.captureOnce(ctx)
	}
	if o.listen == "" {
		return e.loop(ctx)
	}
	return e.serve(ctx)
}
