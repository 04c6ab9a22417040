package screen

import (
	"context"
	"errors"
	"io"
	"sync"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv" // it writes OSC 52, which terminals take into their clipboard

	"tidemark/render/doc"
	"tidemark/render/screen/quiet"
)

func init() { quiet.End() } // bubbletea, which this package imports, has been initialized

// Run shows the view on the terminal of in and out, on its alternate screen, until q, ctrl-c or
// the end of ctx; then the terminal is as it was, after a panic as well.
func Run(ctx context.Context, in io.Reader, out io.Writer, o Options) error {
	shared := &lockedWriter{w: out}
	if o.Copy == nil {
		o.Copy = termenv.NewOutput(shared).Copy
	}
	m := New(o, doc.NewTheme(out, o.Color))
	options := []tea.ProgramOption{tea.WithContext(ctx), tea.WithAltScreen(), tea.WithInput(in), tea.WithoutSignalHandler(), tea.WithFPS(20)}
	if f, ok := out.(interface {
		io.ReadWriteCloser
		Fd() uintptr
	}); ok { // a terminal, which knows its size
		shared.file = f
		options = append(options, tea.WithOutput(terminal{shared, f}))
	} else {
		options = append(options, tea.WithOutput(shared))
	}
	_, err := tea.NewProgram(m, options...).Run()
	switch {
	case m.err != nil:
		return m.err
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, tea.ErrProgramKilled) && !errors.Is(err, tea.ErrProgramPanic):
		return ErrInterrupted
	}
	return err
}

// lockedWriter keeps the output of a key and the drawing from mixing.
type lockedWriter struct {
	mu   sync.Mutex
	w    io.Writer
	file io.ReadWriteCloser
}

func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

// terminal is a locked writer that bubbletea still recognizes as a terminal.
type terminal struct {
	*lockedWriter
	f interface{ Fd() uintptr }
}

func (t terminal) Read(p []byte) (int, error) { return t.file.Read(p) }
func (t terminal) Close() error               { return nil } // the caller closes it
func (t terminal) Fd() uintptr                { return t.f.Fd() }
