package screen

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

const enter, leave, cursor = "\x1b[?1049h", "\x1b[?1049l", "\x1b[?25h"

// written is a terminal that tells when it shows its alternate screen.
type written struct {
	bytes.Buffer
	once    sync.Once
	entered chan struct{}
}

func (w *written) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(enter)) {
		defer w.once.Do(func() { close(w.entered) })
	}
	return w.Buffer.Write(p)
}

// Whatever ends the view, the terminal leaves the alternate screen and shows its cursor again.
func TestTheTerminalIsRestored(t *testing.T) {
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
			out := written{entered: make(chan struct{})}
			in, keys := io.Pipe() // a keyboard that nobody presses
			defer keys.Close()
			err := Run(ctx, in, &out, Options{Cluster: "c", Every: time.Second, Now: time.Now, Read: func() Reading {
				<-out.entered
				return end.read(stop)
			}})
			if !errors.Is(err, end.want) {
				t.Errorf("%v, want %v", err, end.want)
			}
			if s := out.String(); strings.LastIndex(s, leave) < strings.LastIndex(s, enter) || strings.LastIndex(s, cursor) < strings.LastIndex(s, enter) {
				t.Errorf("the terminal is left with %q", s)
			}
		})
	}
}
