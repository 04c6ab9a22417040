package cmd

import (
	"testing"

	"tidemark/flinkapi"
)

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

func TestProgressStandsOnStandardErrorAndCanBeSilenced(t *testing.T) {
	for _, quiet := range []bool{false, true} {
		f := newFake(nil)
		f.quiet = quiet
		f.progress().Show(flinkapi.Progress{Step: "reading orders"})
		if f.out.Len() != 0 || f.err.Len() == 0 != quiet {
			t.Errorf("quiet %v: %q, and %q on standard output", quiet, f.err, f.out)
		}
	}
}
