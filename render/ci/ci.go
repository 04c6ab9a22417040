// Package ci writes a check run: as a document for people, and as the formats that build systems read.
package ci

import (
	"bytes"
	"io"

	"tidemark/analyze/policy"
	"tidemark/render/safe"
)

// The formats that only a check run has.
const (
	JUnit  = "junit"
	SARIF  = "sarif"
	GitHub = "github" // workflow commands for the log; the step summary is Markdown
	GitLab = "gitlab" // code quality report
)

// formats are how each of these formats is written, and whether it compares a run with a baseline: where it does not, its
// reader compares runs itself.
var formats = []struct {
	name     string
	compared bool
	write    func(*bytes.Buffer, *policy.Run, Options) error
}{
	{JUnit, false, writeJUnit},
	{SARIF, false, func(b *bytes.Buffer, run *policy.Run, o Options) error { return safe.JSON(b, sarifOf(run, o)) }},
	{GitHub, true, writeGitHub},
	{GitLab, false, func(b *bytes.Buffer, run *policy.Run, o Options) error { return safe.JSON(b, gitlabIssues(run, o)) }},
}

// Formats are the formats that only a check run has.
var Formats = func() (names []string) {
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}()

// Compared reports whether a format compares a run with a baseline.
func Compared(format string) bool {
	for _, f := range formats {
		if f.name == format {
			return f.compared
		}
	}
	return true
}

// SummaryLimit bounds the Markdown of a run, in bytes: GitHub drops the whole of a step summary above 1 MiB, and other
// steps of the job may write to theirs.
const SummaryLimit = 1_000_000

// Options say how places are named.
type Options struct {
	// Root is the directory that files are named from, "" = as they were given. Build systems want names
	// relative to the repository.
	Root string
}

// Writers write a run in each of Formats.
func Writers(run *policy.Run, o Options) map[string]func(io.Writer) error {
	out := map[string]func(io.Writer) error{}
	for _, f := range formats {
		out[f.name] = func(w io.Writer) error {
			var b bytes.Buffer
			if err := f.write(&b, run, o); err != nil {
				return err
			}
			_, err := w.Write(b.Bytes())
			return err
		}
	}
	return out
}

// Data is a run as data: a list of a run is never null.
func Data(run *policy.Run) *policy.Run {
	out := *run
	out.Sources, out.Incomplete, out.IncompleteAt = list(run.Sources), list(run.Incomplete), list(run.IncompleteAt)
	out.Results = resultsData(run.Results)
	if run.Baseline != nil {
		b := *run.Baseline
		b.Fixed, b.NotJudged = resultsData(b.Fixed), resultsData(b.NotJudged)
		out.Baseline = &b
	}
	return &out
}

func resultsData(results []policy.Result) []policy.Result {
	out := append([]policy.Result{}, results...)
	for i := range out {
		out[i].Evidence = list(out[i].Evidence)
	}
	return out
}

func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
