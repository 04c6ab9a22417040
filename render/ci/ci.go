// Package ci writes a check run: as a document for people, and as the formats that build systems read.
package ci

import (
	"bytes"
	"encoding/xml"
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

// Uncompared are the formats that say nothing of a baseline: what reads them compares runs itself.
var Uncompared = []string{JUnit, SARIF, GitLab}

// Formats are the formats that only a check run has.
var Formats = []string{JUnit, SARIF, GitHub, GitLab}

// SummaryLimit is what the Markdown of a run may measure in bytes: GitHub drops a step summary above
// 1 MiB whole, and other steps of the job may write to theirs.
const SummaryLimit = 1_000_000

// Options say how places are named.
type Options struct {
	// Root is the directory that files are named from, "" = as they were given. Build systems want names
	// relative to the repository.
	Root string
}

// Writers write a run in each of Formats.
func Writers(run *policy.Run, o Options) map[string]func(io.Writer) error {
	writer := func(fill func(b *bytes.Buffer) error) func(io.Writer) error {
		return func(w io.Writer) error {
			var b bytes.Buffer
			if err := fill(&b); err != nil {
				return err
			}
			_, err := w.Write(b.Bytes())
			return err
		}
	}
	return map[string]func(io.Writer) error{
		JUnit: writer(func(b *bytes.Buffer) error {
			raw, err := xml.MarshalIndent(junit(run, o), "", "  ")
			if err != nil {
				return err
			}
			b.WriteString(xml.Header)
			// Only bodies have line feeds, and there they may stand as they are: people read them in the file too.
			b.Write(safe.Defuse(bytes.ReplaceAll(raw, []byte("&#xA;"), []byte("\n"))))
			b.WriteByte('\n')
			return nil
		}),
		SARIF:  writer(func(b *bytes.Buffer) error { return safe.JSON(b, sarifOf(run, o)) }),
		GitLab: writer(func(b *bytes.Buffer) error { return safe.JSON(b, gitlabIssues(run, o)) }),
		GitHub: writer(func(b *bytes.Buffer) error { writeGitHub(b, run, o); return nil }),
	}
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
