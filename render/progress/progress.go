// Package progress says on standard error what tidemark waits for.
package progress

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"tidemark/analyze"
	"tidemark/analyze/catalog"
	"tidemark/flinkapi"
	"tidemark/internal/units"
	"tidemark/render/safe"
	"tidemark/render/words"
)

// Line is one line that is rewritten on a terminal; elsewhere each step is a line.
type Line struct {
	w        io.Writer
	terminal bool
	width    int // cells of the terminal, 0 = not known
	now      func() time.Time

	mu    sync.Mutex
	step  string
	at    time.Time
	open  bool   // the terminal shows a line that can be rewritten
	found string // what the first sample shows, "" = nothing yet
}

// New writes to w, a terminal of so many cells (0 = not known), or none; now is wall clock.
func New(w io.Writer, terminal bool, width int, now func() time.Time) *Line {
	return &Line{w: w, terminal: terminal, width: width, now: now}
}

// Show says what tidemark waits for. It may be called from several goroutines.
func (l *Line) Show(s flinkapi.Progress) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	same := s.Step == l.step
	if same && (!l.terminal || now.Sub(l.at) < 100*time.Millisecond) {
		return
	}
	l.step, l.at = s.Step, now
	left := ""
	if s.Left > 0 {
		left = ", " + units.Duration(s.Left.Round(time.Second/10).Milliseconds()) + " left"
	}
	if !l.terminal {
		fmt.Fprintln(l.w, "tidemark: "+safe.Short(s.Step, 50)+left)
		return
	}
	text := safe.Short(s.Step, 50) + left
	if l.found != "" {
		text = "so far: " + l.found + "; checking whether it moves" + left
	}
	l.rewrite(text)
}

// rewrite rewrites the line of a terminal. A text that is too long is cut in the middle, because its end says what
// tidemark waits for.
func (l *Line) rewrite(text string) {
	l.open = true
	if l.width > 20 {
		text = safe.Short(text, l.width-len("tidemark: ")-1)
	}
	fmt.Fprintf(l.w, "\r\x1b[Ktidemark: %s", text)
}

// SoFar shows the result of the first sample until the final one replaces it.
func (l *Line) SoFar(r *analyze.Report) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.terminal {
		l.found = soFar(r)
		l.rewrite("so far: " + l.found + "; checking whether it moves")
	}
}

// Done clears the progress line, so that only the result remains.
func (l *Line) Done() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open {
		fmt.Fprint(l.w, "\r\x1b[K")
	}
	l.open, l.step, l.found = false, "", ""
}

// soFar is what one sample shows of the job with the worst verdict, in a line.
func soFar(r *analyze.Report) string {
	if j, ok := worst(r); ok && rank(j) > catalog.Info.Rank() {
		return Headline(j)
	}
	return "no fault seen in " + words.Plural(len(r.Jobs), "job", "jobs")
}

// worst is the first job with the worst verdict; ok is false where there is no job.
func worst(r *analyze.Report) (j analyze.JobReport, ok bool) {
	if len(r.Jobs) == 0 {
		return j, false
	}
	return slices.MaxFunc(r.Jobs, func(a, b analyze.JobReport) int { return cmp.Compare(rank(a), rank(b)) }), true
}

func rank(j analyze.JobReport) int { return catalog.Severity(j.Verdict).Rank() }

// Headline is a job with its verdict, in a line.
func Headline(j analyze.JobReport) string {
	return strings.ToUpper(string(j.Verdict)) + " " + safe.Short(j.Label(), 40) + ": " + safe.Clean(j.Headline)
}
