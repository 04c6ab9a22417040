package screen

import (
	"context"
	"errors"
	"io"

	tea "charm.land/bubbletea/v2"
)

// Run shows the view on the terminal that in and out stand for, on its alternate screen, until q, ctrl-c or
// the end of ctx; then the terminal is as it was, after a panic as well.
func Run(ctx context.Context, in io.Reader, out io.Writer, o Options) error {
	m := New(o)
	_, err := tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(out), tea.WithoutSignalHandler(), tea.WithFPS(20)).Run()
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
