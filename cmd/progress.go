package cmd

import (
	"fmt"
	"io"
	"sync"
	"time"

	"tidemark/flinkapi"
	"tidemark/internal/units"
	"tidemark/render/safe"
)

// progress says on standard error what is being waited for: one line that is rewritten on a
// terminal, one line a step elsewhere.
type progress struct {
	w        io.Writer
	terminal bool
	now      func() time.Time

	mu   sync.Mutex
	step string
	at   time.Time
	open bool // a rewritten line stands on the terminal
}

func (g *globals) progress() *progress {
	p := &progress{w: g.Err, terminal: g.IsTerminal(g.Err), now: g.Now}
	if g.quiet {
		p.w = io.Discard
	}
	return p
}

// show may be called from several goroutines.
func (p *progress) show(s flinkapi.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	same := s.Step == p.step
	if same && (!p.terminal || now.Sub(p.at) < 100*time.Millisecond) {
		return
	}
	p.step, p.at = s.Step, now
	text := "tidemark: " + safe.Short(s.Step, 50)
	if s.Left > 0 {
		text += ", " + units.Duration(s.Left.Round(time.Second/10).Milliseconds()) + " left"
	}
	if !p.terminal {
		fmt.Fprintln(p.w, text)
		return
	}
	p.open = true
	fmt.Fprintf(p.w, "\r\x1b[K%s", text)
}

// done clears the rewritten line, so that the result stands alone.
func (p *progress) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
	p.open, p.step = false, ""
}
