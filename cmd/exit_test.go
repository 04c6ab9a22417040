package cmd

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"tidemark/flinkapi"
	"tidemark/request"
)

func TestExitCode(t *testing.T) {
	plain := errors.New("plain")
	for _, c := range []struct {
		name                 string
		err                  error
		started, interrupted bool
		want                 int
	}{
		{"clean", nil, true, false, 0},
		{"findings", errFindings, true, false, 1},
		{"findings, wrapped", fmt.Errorf("x: %w", errFindings), true, false, 1},
		{"usage", request.Badf("bad"), true, false, 2},
		{"usage, wrapped", fmt.Errorf("x: %w", request.Badf("bad")), true, false, 2},
		{"usage, joined", errors.Join(nil, request.Badf("bad"), request.Badf("worse")), true, false, 2},
		{"no such job", fmt.Errorf("x: %w", &flinkapi.ErrNoJob{Job: "a"}), true, false, 2},
		{"before a command ran", plain, false, false, 2},
		{"could not complete", plain, true, false, 3},
		{"no recording", flinkapi.ErrNotRecording, true, false, 3},
		{"interrupted", plain, true, true, 130},
		{"cancelled", fmt.Errorf("x: %w", context.Canceled), true, false, 130},
		{"a deadline is no interrupt", context.DeadlineExceeded, true, false, 3},
		{"done before the interrupt", nil, true, true, 0},
	} {
		if got := exitCode(c.err, c.started, c.interrupted); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

func TestFinishSaysOneLine(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{nil, ""},
		{errFindings, ""},
		{context.Canceled, "tidemark: interrupted\n"},
		{errors.New("several\nlines \x1b[31mof a\tcluster"), "tidemark: several lines \\x1b[31mof a cluster\n"},
	} {
		f := newFake(nil)
		f.started = true
		finish(f.globals, context.Background(), c.err)
		if got := f.err.String(); got != c.want {
			t.Errorf("%v: %q, want %q", c.err, got, c.want)
		}
	}
}
