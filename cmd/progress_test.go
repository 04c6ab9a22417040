package cmd

import (
	"strings"
	"testing"
	"time"

	"tidemark/flinkapi"
)

func steps(f fake) *progress {
	at := time.UnixMilli(0)
	f.Now = func() time.Time { at = at.Add(time.Second); return at }
	p := f.progress()
	p.now = f.Now
	p.show(flinkapi.Progress{Step: "reading orders"})
	p.show(flinkapi.Progress{Step: "waiting for the next metric fetch", Left: 12_340 * time.Millisecond})
	p.show(flinkapi.Progress{Step: "waiting for the next metric fetch", Left: 5 * time.Second})
	p.done()
	return p
}

func TestProgressIsALineAStepWithoutTerminal(t *testing.T) {
	f := newFake(nil)
	steps(f)
	want := "tidemark: reading orders\ntidemark: waiting for the next metric fetch, 12.3 s left\n"
	if got := f.err.String(); got != want {
		t.Errorf("got %q", got)
	}
	if f.out.Len() != 0 {
		t.Error("progress on standard output")
	}
}

func TestProgressIsRewrittenOnATerminal(t *testing.T) {
	f := newFake(nil)
	f.IsTerminal = func(any) bool { return true }
	steps(f)
	got := f.err.String()
	if strings.Contains(got, "\n") || !strings.HasSuffix(got, "\r\x1b[K") || !strings.Contains(got, "5 s left") {
		t.Errorf("got %q", got)
	}
}

func TestProgressCanBeSilenced(t *testing.T) {
	f := newFake(nil)
	f.quiet = true
	steps(f)
	if f.err.Len() != 0 {
		t.Errorf("got %q", f.err.String())
	}
}

func TestColour(t *testing.T) {
	for _, c := range []struct {
		color    string
		vars     map[string]string
		terminal bool
		want     bool
	}{
		{"auto", nil, false, false},
		{"auto", nil, true, true},
		{"auto", map[string]string{"TERM": "dumb"}, true, false},
		{"auto", map[string]string{"NO_COLOR": "1"}, true, false},
		{"auto", map[string]string{"CLICOLOR_FORCE": "1"}, false, true},
		{"auto", map[string]string{"CLICOLOR_FORCE": "0"}, false, false},
		{"auto", map[string]string{"NO_COLOR": "1", "CLICOLOR_FORCE": "1"}, true, false},
		{"always", map[string]string{"NO_COLOR": "1"}, false, true},
		{"never", map[string]string{"CLICOLOR_FORCE": "1"}, true, false},
	} {
		f := newFake(c.vars)
		f.color = c.color
		f.IsTerminal = func(any) bool { return c.terminal }
		if got := f.colorOn(f.Out); got != c.want {
			t.Errorf("--color %s, %v, terminal %v: %v", c.color, c.vars, c.terminal, got)
		}
	}
}
