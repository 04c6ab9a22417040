package cmd

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"

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

	mu    sync.Mutex
	step  string
	at    time.Time
	open  bool   // a rewritten line stands on the terminal
	found string // what the first sample says, "" = nothing yet
	width int    // cells of the terminal, 0 = not known
}

func (g *globals) progress() *progress {
	p := &progress{w: g.Err, terminal: g.IsTerminal(g.Err), now: g.Now}
	if f, ok := g.Err.(*os.File); ok && p.terminal {
		p.width, _, _ = term.GetSize(int(f.Fd()))
	}
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
	left := ""
	if s.Left > 0 {
		left = ", " + units.Duration(s.Left.Round(time.Second/10).Milliseconds()) + " left"
	}
	if !p.terminal {
		fmt.Fprintln(p.w, "tidemark: "+safe.Short(s.Step, 50)+left)
		return
	}
	text := safe.Short(s.Step, 50) + left
	if p.found != "" {
		text = "so far: " + p.found + "; checking whether it moves" + left
	}
	p.line(text)
}

// line rewrites the line of a terminal. What does not fit is cut in the middle: what is waited for stands
// at the end.
func (p *progress) line(text string) {
	p.open = true
	if p.width > 20 {
		text = safe.Short(text, p.width-len("tidemark: ")-1)
	}
	fmt.Fprintf(p.w, "\r\x1b[Ktidemark: %s", text)
}

// sofar shows what the first sample says, until the answer replaces it.
func (p *progress) sofar(found string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.terminal {
		p.found = found
		p.line("so far: " + found + "; checking whether it moves")
	}
}

// done clears the progress line, so that only the result remains.
func (p *progress) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
	p.open, p.step, p.found = false, "", ""
}
