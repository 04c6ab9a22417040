package cmd

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"tidemark/render"
)

// output is -o and --report of a command that reports. Both are checked before the command runs, so
// that nothing is read for a format that does not exist.
type output struct {
	format  string
	reports []string
	files   []reportFile
}

// addFlags adds the flags; own are formats that the command has in addition to those of every report.
func (o *output) addFlags(c *cobra.Command, own ...string) {
	formats := append(slices.Clone(render.Formats), own...)
	f := c.Flags()
	f.StringVarP(&o.format, "output", "o", render.Table, "output format: "+strings.Join(formats, ", "))
	f.StringArrayVar(&o.reports, "report", nil, "also write this `FORMAT=PATH`, such as html=report.html; may repeat")
	fixed(c, "output", formats...)
	c.PreRunE = func(*cobra.Command, []string) error { return o.check(formats) }
}

// check reads --report and refuses what no report has. "text" is an old spelling of table.
func (o *output) check(formats []string) error {
	if o.format == "text" {
		o.format = render.Table
	}
	if err := oneOf("--output", o.format, formats...); err != nil {
		return err
	}
	var err error
	o.files, err = parseReports(o.reports, formats)
	return err
}

// any reports whether one of the formats that are written is such.
func (o *output) any(such func(format string) bool) bool {
	return such(o.format) || slices.ContainsFunc(o.files, func(f reportFile) bool { return such(f.format) })
}

// write writes the files first, each whatever became of the others: a reader that closes the pipe
// ends the process.
func (o *output) write(g *globals, r render.Result) error {
	var failed []error
	for _, f := range o.files {
		failed = append(failed, f.write(r))
	}
	return errors.Join(append(failed, r.Write(g.Out, o.format, g.look()))...)
}

// look is how text looks to whom the output goes: a terminal is filled up to 160 cells.
func (g *globals) look() render.Options {
	o := render.Options{Color: g.colorOn(g.Out), Verbose: g.verbose}
	if f, ok := g.Out.(*os.File); ok && g.IsTerminal(g.Out) {
		o.Width, o.Height, _ = term.GetSize(int(f.Fd())) // 0 where it does not say
	}
	return o
}

// reportFile is one --report: a format and where to write it.
type reportFile struct{ format, path string }

// parseReports reads --report values against the formats that a command has.
func parseReports(values, formats []string) ([]reportFile, error) {
	var files []reportFile
	for _, v := range values {
		format, path, ok := strings.Cut(v, "=")
		if !ok || path == "" {
			return nil, usagef("--report is %q; it takes FORMAT=PATH", v)
		}
		if format == "text" {
			format = render.Table
		}
		if !slices.Contains(formats, format) {
			return nil, usagef("--report has no format %q; there are %s", format, strings.Join(formats, ", "))
		}
		for _, f := range files {
			if filepath.Clean(f.path) == filepath.Clean(path) {
				return nil, usagef("--report names %s twice", path)
			}
		}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return nil, usagef("--report %s: %s is a directory; name a file in it", v, path)
		}
		// Said before a minute is spent on reading the cluster.
		if _, err := os.Stat(filepath.Dir(path)); err != nil {
			return nil, usagef("--report %s: %w", v, err)
		}
		files = append(files, reportFile{format, path})
	}
	return files, nil
}

func (f reportFile) write(r render.Result) error {
	var b bytes.Buffer
	if err := r.Write(&b, f.format, render.Options{}); err != nil {
		return err
	}
	return writeAtomic(f.path, b.Bytes())
}
