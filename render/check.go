package render

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"tidemark/analyze/policy"
)

// The formats that only a check run has.
const (
	Text   = "text"
	JUnit  = "junit"
	SARIF  = "sarif"
	GitHub = "github" // workflow commands for the log; the step summary is Markdown
	GitLab = "gitlab" // code quality report
)

// CheckFormats are the formats that Check writes.
var CheckFormats = []string{Text, JSON, YAML, Markdown, JUnit, SARIF, GitHub, GitLab}

// Check writes a check run in the named format, in one piece. An unknown format is an error; so is a
// writer that fails.
func Check(w io.Writer, format string, run *policy.Run, o Options) error {
	var b bytes.Buffer
	var err error
	switch format {
	case Text:
		writeCheckText(&b, newTheme(w, o.Color), run, o)
	case JSON:
		err = writeJSON(&b, filledRun(run))
	case YAML:
		err = writeYAML(&b, filledRun(run))
	case Markdown:
		writeCheckMarkdown(&b, run, o)
	case JUnit:
		err = writeCheckJUnit(&b, run, o)
	case SARIF:
		err = writeJSON(&b, sarifOf(run, o))
	case GitHub:
		writeCheckGitHub(&b, run, o)
	case GitLab:
		err = writeJSON(&b, gitlabIssues(run, o))
	default:
		return fmt.Errorf("no format %q; there are %s", format, strings.Join(CheckFormats, ", "))
	}
	if err != nil {
		return fmt.Errorf("check run as %s: %w", format, err)
	}
	out := b.Bytes()
	if format == Text || format == Markdown || format == JUnit {
		out = defuse(out)
	}
	_, err = w.Write(out)
	return err
}

// filledRun is run with empty lists where it has none: a list of a run is never null.
func filledRun(run *policy.Run) *policy.Run {
	out := *run
	out.Sources, out.Incomplete = list(run.Sources), list(run.Incomplete)
	out.Results = append([]policy.Result{}, run.Results...)
	for i := range out.Results {
		out.Results[i].Evidence = list(out.Results[i].Evidence)
	}
	return &out
}
