package cmd

import (
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"tidemark/internal/flags"
	"tidemark/render"
	"tidemark/render/progress"
)

// output is -o and --report of a command that reports. Both are checked before the command runs, so
// that nothing is read for a format that does not exist.
type output struct {
	format  string
	reports []string
	files   []render.File
}

// addFlags adds the flags; own are formats that the command has in addition to those of every report.
func (o *output) addFlags(c *cobra.Command, own ...string) {
	formats := append(slices.Clone(render.Formats), own...)
	f := c.Flags()
	f.StringVarP(&o.format, "output", "o", render.Table, "output format: "+strings.Join(formats, ", "))
	f.StringArrayVar(&o.reports, "report", nil, "also write this `FORMAT=PATH`, such as html=report.html; may repeat")
	flags.Fixed(c, "output", formats...)
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
	o.files, err = render.ParseFiles(o.reports, formats)
	return err
}

// any reports whether one of the formats that are written is such.
func (o *output) any(such func(format string) bool) bool {
	return such(o.format) || slices.ContainsFunc(o.files, func(f render.File) bool { return such(f.Format) })
}

// write writes the files first, each whatever became of the others: a reader that closes the pipe
// ends the process.
func (o *output) write(g *globals, r render.Result) error {
	var failed []error
	for _, f := range o.files {
		failed = append(failed, f.Write(r))
	}
	return errors.Join(append(failed, r.Write(g.Out, o.format, g.look()))...)
}

// look is how text looks to whom the output goes: a terminal is filled up to 160 cells.
func (g *globals) look() render.Options {
	o := render.Options{Color: g.colorOn(g.Out), Verbose: g.verbose}
	o.Width, o.Height = g.size(g.Out)
	return o
}

// size is that of a terminal in cells, 0 where there is none or it does not say.
func (g *globals) size(stream any) (width, height int) {
	if f, ok := stream.(*os.File); ok && g.IsTerminal(stream) {
		width, height, _ = term.GetSize(int(f.Fd()))
	}
	return width, height
}

// progress says on standard error what is being waited for.
func (g *globals) progress() *progress.Line {
	w, _ := g.size(g.Err)
	if g.quiet {
		return progress.New(io.Discard, g.IsTerminal(g.Err), w, g.Now)
	}
	return progress.New(g.Err, g.IsTerminal(g.Err), w, g.Now)
}
