package screen

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// Whatever ends the view, the terminal leaves the alternate screen and shows its cursor again.
func TestTheTerminalIsRestored(t *testing.T) {
	const enter, leave, cursor = "\x1b[?1049h", "\x1b[?1049l", "\x1b[?25h"
	for name, end := range map[string]struct {
		read func(stop context.CancelFunc) Reading
		want error
	}{
		"the end of its context": {func(stop context.CancelFunc) Reading { stop(); select {} }, context.Canceled},
		"a panic":                {func(context.CancelFunc) Reading { panic("broken") }, tea.ErrProgramPanic},
		"no cluster":             {func(context.CancelFunc) Reading { return Reading{Err: io.ErrUnexpectedEOF} }, io.ErrUnexpectedEOF},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, stop := context.WithCancel(context.Background())
			defer stop()
			var out bytes.Buffer
			in, keys := io.Pipe() // a keyboard that nobody presses
			defer keys.Close()
			err := Run(ctx, in, &out, Options{Cluster: "c", Every: time.Second, Now: time.Now, Read: func() Reading { return end.read(stop) }})
			if !errors.Is(err, end.want) {
				t.Errorf("%v, want %v", err, end.want)
			}
			written := out.String()
			if !strings.Contains(written, enter) || strings.LastIndex(written, leave) < strings.LastIndex(written, enter) || !strings.Contains(written, cursor) {
				t.Errorf("the terminal is left with %q", written)
			}
		})
	}
}
