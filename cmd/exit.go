package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"tidemark/analyze/policy"
	"tidemark/analyze/triage"
	"tidemark/flinkapi"
	"tidemark/internal/redact"
	"tidemark/render/safe"
	"tidemark/request"
)

// The exit codes of every command.
const (
	exitClean       = 0
	exitFindings    = 1
	exitUsage       = 2
	exitIncomplete  = 3
	exitInterrupted = 130
)

// errFindings is returned when the report holds findings at or above --fail-on; the report has been
// written, so nothing more is said.
var errFindings = triage.ErrFindings

// exitCode turns the error of a run into its exit code; started is false where the run failed while
// arguments were read.
func exitCode(err error, started, interrupted bool) int {
	var noJob *flinkapi.ErrNoJob
	var mistake *request.Mistake
	switch {
	case err == nil:
		return exitClean
	case interrupted, errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.Is(err, errFindings):
		return exitFindings
	case !started, errors.As(err, &mistake), errors.As(err, &noJob):
		return exitUsage
	}
	return exitIncomplete
}

// finish says what went wrong, on one line, and returns the exit code.
func finish(g *globals, ctx context.Context, err error) int {
	code := exitCode(err, g.started, ctx.Err() != nil)
	switch code {
	case exitClean, exitFindings:
	case exitInterrupted:
		said := "tidemark: interrupted"
		if len(g.damage) > 0 {
			said += "; the report holds what had been read"
		}
		fmt.Fprintln(g.Err, said)
	default:
		for _, line := range errorLines(err) {
			fmt.Fprintln(g.Err, "tidemark: "+oneLine(line))
		}
		for _, line := range g.tunnels.Last() {
			g.notef("%s", line)
		}
	}
	return code
}

// errorLines is one line, or one for each mistake of a policy.
func errorLines(err error) []string {
	var mistakes policy.Errors
	if !errors.As(err, &mistakes) {
		return []string{err.Error()}
	}
	const most = 50
	var lines []string
	for _, m := range mistakes[:min(most, len(mistakes))] {
		lines = append(lines, m.Error())
	}
	if n := len(mistakes) - most; n > 0 {
		lines = append(lines, fmt.Sprintf("and %d more mistakes", n))
	}
	return lines
}

// oneLine cleans a message that may quote a cluster or a file and puts it on a line.
func oneLine(s string) string {
	return safe.Short(redact.Text(strings.Join(strings.Fields(s), " ")), 1000)
}
