package ci

import (
	"bytes"
	"fmt"
	"sort"
	"strings"

	"tidemark/analyze/catalog"
	"tidemark/analyze/policy"
	"tidemark/render/safe"
)

// annotationsShown is how many annotations of one level GitHub shows of a step; it drops the rest
// silently.
const annotationsShown = 10

// In a workflow command the data ends with the line; a property also ends with a comma, and the
// properties with a colon (actions/runner, ActionCommand).
var (
	commandData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	commandProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// annotation is one workflow command.
type annotation struct {
	level   string // error, warning or notice
	at      policy.Location
	title   string
	message string
}

func (a annotation) String() string {
	var properties []string
	add := func(name, value string) {
		properties = append(properties, name+"="+commandProperty.Replace(value))
	}
	if a.at.File != "" {
		add("file", safe.Clean(a.at.File))
	}
	if a.at.Line > 0 {
		add("line", fmt.Sprint(a.at.Line))
		if a.at.Column > 0 {
			add("col", fmt.Sprint(a.at.Column))
		}
	}
	add("title", a.title)
	return fmt.Sprintf("::%s %s::%s\n", a.level, strings.Join(properties, ","), commandData.Replace(a.message))
}

// line is the annotation as a plain line of the log, where GitHub would not show it.
func (a annotation) line() string {
	return fmt.Sprintf("%s: %s: %s: %s\n", placeText(a.at), a.level, a.title, a.message)
}

// writeGitHub writes the outcome, and an annotation for each failure, the worst first. GitHub shows ten per level and
// step; further ones are plain lines of the log.
func writeGitHub(b *bytes.Buffer, run *policy.Run, o Options) error {
	b.Write(safe.Defuse([]byte(fmt.Sprintf("tidemark check: %s: %s\n", safe.Short(string(run.Outcome), 20), outcomeLine(run)))))
	byLevel := map[string][]annotation{}
	for _, a := range annotations(run, o) {
		byLevel[a.level] = append(byLevel[a.level], a)
	}
	for _, level := range []string{"error", "warning", "notice"} {
		all := byLevel[level]
		shown := len(all)
		if shown > annotationsShown {
			shown = annotationsShown - 1
		}
		for _, a := range all[:shown] {
			b.WriteString(a.String())
		}
		if rest := all[shown:]; len(rest) > 0 {
			b.WriteString(annotation{level: level, title: "tidemark check",
				message: fmt.Sprintf("%d more are in the log of this step: GitHub shows %d annotations per level.", len(rest), annotationsShown)}.String())
			for _, a := range rest {
				b.Write(safe.Defuse([]byte(a.line())))
			}
		}
	}
	b.Write(safe.Defuse([]byte(countsLine(run) + "\n")))
	for _, w := range run.Watched {
		b.Write(safe.Defuse([]byte(strings.Join(watchedLines(w), "\n  ") + "\n")))
	}
	if line := sinceLine(run, o); line != "" {
		b.Write(safe.Defuse([]byte(line + "\n")))
	}
	return nil
}

// annotations are the reasons why a run is incomplete, then the failed results by severity.
func annotations(run *policy.Run, o Options) []annotation {
	var all []annotation
	for _, reason := range incompleteReasons(run) {
		all = append(all, annotation{"error", located(run, reason.at, o), "incomplete", safe.Clip(safe.Clean(reason.text), 400)})
	}
	var failed []*policy.Result
	for i := range run.Results {
		if r := &run.Results[i]; r.Status == policy.Failed {
			failed = append(failed, r)
		}
	}
	sort.SliceStable(failed, func(i, k int) bool { return failed[i].Severity.Rank() > failed[k].Severity.Rank() })
	for _, r := range failed {
		title := checkName(r) + ": " + subjectTitle(r.Subject, longestName)
		if part := subjectPart(r.Subject, longestName); part != "" {
			title += ", " + part
		}
		if r.Change != "" {
			title += ", " + string(r.Change)
		}
		all = append(all, annotation{commandLevel(r.Severity), located(run, r.Location, o), title, checkSentence(r, false)})
	}
	return all
}

func commandLevel(s catalog.Severity) string {
	switch s {
	case catalog.Critical:
		return "error"
	case catalog.Warning:
		return "warning"
	}
	return "notice"
}
