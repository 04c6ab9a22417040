package ci

import (
	"bytes"
	"crypto/sha256"
	"encoding/xml"
	"fmt"
	"strings"
	"time"

	"tidemark/analyze/catalog"
	"tidemark/analyze/policy"
	"tidemark/render/safe"
	"tidemark/render/words"
)

func writeJUnit(b *bytes.Buffer, run *policy.Run, o Options) error {
	raw, err := xml.MarshalIndent(junit(run, o), "", "  ")
	if err != nil {
		return err
	}
	b.WriteString(xml.Header)
	// Only bodies have line feeds, and people read them in the file too, so they are not escaped.
	b.Write(safe.Defuse(bytes.ReplaceAll(raw, []byte("&#xA;"), []byte("\n"))))
	b.WriteByte('\n')
	return nil
}

// junit has one suite per subject and one case per check, however many places of the subject fail: CI keeps the history
// of a case by its name, so the name must not depend on the outcome. A failure is a result that fails the run; one that
// failed below --fail-on or is suppressed is skipped and says so, or a build would be red in one place and green in
// another. The first suite says whether the run is complete.
func junit(run *policy.Run, o Options) junitSuites {
	all := junitSuites{Name: "tidemark check", Time: "0", Suites: []junitSuite{junitRunSuite(run, o)}}
	for _, g := range checkGroups(run) {
		s := junitSuite{Name: stableName(g.title)}
		class := "tidemark." + safe.Short(g.subject.Kind, 20) + "." + classPart.Replace(stableName(func(max int) string { return safe.Name(g.subject.Name, max) }))
		for _, results := range byCheck(g) {
			c := junitResult(run, results, o)
			c.Class = class
			s.Cases = append(s.Cases, c)
		}
		all.Suites = append(all.Suites, s)
	}
	for i := range all.Suites {
		s := &all.Suites[i]
		s.count(run)
		all.Tests, all.Failures, all.Errors = all.Tests+s.Tests, all.Failures+s.Failures, all.Errors+s.Errors
	}
	return all
}

func (s *junitSuite) count(run *policy.Run) {
	s.Time, s.Tests = "0", len(s.Cases)
	if run.AtMs != 0 {
		s.Timestamp = time.UnixMilli(run.AtMs).UTC().Format("2006-01-02T15:04:05")
	}
	for _, c := range s.Cases {
		switch {
		case c.Failure != nil:
			s.Failures++
		case c.Error != nil:
			s.Errors++
		case c.Skipped != nil:
			s.Skipped++
		}
	}
}

// junitRunSuite is the run itself: an error where it is not complete. Every run has it, because Jenkins refuses a file
// without a case.
func junitRunSuite(run *policy.Run, o Options) junitSuite {
	c := junitCase{Class: "tidemark.run", Name: "complete", Time: "0"}
	if reasons := incompleteReasons(run); len(reasons) > 0 {
		lines := make([]string, len(reasons))
		for i, reason := range reasons {
			lines[i] = safe.Clip(safe.Clean(reason.text), 400)
		}
		c.Error = &junitState{Type: string(policy.OutcomeIncomplete), Message: lines[0], Body: strings.Join(lines, "\n")}
	}
	var went []string
	for _, w := range run.Watched {
		went = append(went, watchedLines(w)...)
	}
	c.Out = strings.Join(went, "\n")
	properties := []junitProperty{
		{"tool", safe.Short(run.Tool.Name+" "+run.Tool.Version, 80)},
		{"policy", safe.Short(underRoot(run.Policy, o.Root), 200)},
		{"outcome", safe.Short(string(run.Outcome), 20)},
		{"fail-on", safe.Short(run.FailOn, 20)},
		{"left-out", fmt.Sprint(run.LeftOut)},
	}
	for _, src := range run.Sources {
		properties = append(properties, junitProperty{"source", strings.TrimSpace(safe.Short(src.Kind, 20) + " " + safe.Short(src.Name, 200) + " " + safe.Clip(safe.Clean(src.Note), 200))})
	}
	return junitSuite{Name: "run", Cases: []junitCase{c}, Properties: &junitProperties{properties}}
}

// byCheck groups the results of a subject by check and key, in their order.
func byCheck(g *checkGroup) [][]*policy.Result {
	var out [][]*policy.Result
	at := map[string]int{}
	for _, r := range g.results {
		name := checkName(r)
		i, known := at[name]
		if !known {
			i = len(out)
			at[name] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], r)
	}
	return out
}

// junitResult is the case of one check: its worst status, with all places.
func junitResult(run *policy.Run, results []*policy.Result, o Options) junitCase {
	c := junitCase{Time: "0", Name: checkName(results[0])}
	var failed, others, skipped []string
	shown := map[catalog.Fix]bool{}
	for _, r := range results {
		body := junitBody(run, r, o, !shown[r.Fix])
		shown[r.Fix] = true
		switch {
		case counts(run, r):
			if c.Failure == nil {
				c.Failure = &junitState{Type: safe.Short(string(r.Severity)+" "+r.Cause, 60), Message: checkSentence(r, false)}
			}
			failed = append(failed, body)
		case r.Status == policy.Failed:
			skipped = append(skipped, safe.Short(string(r.Severity), 20)+", below --fail-on "+safe.Short(run.FailOn, 20)+": "+checkSentence(r, false))
			others = append(others, body)
		case r.Status == policy.Suppressed:
			skipped = append(skipped, "suppressed "+suppressedText(r))
			others = append(others, body)
		case r.Status == policy.Skipped:
			skipped = append(skipped, skippedText(r))
		}
	}
	if c.Failure != nil {
		if n := len(failed); n > 1 {
			c.Failure.Message = fmt.Sprintf("%d places, the first: %s", n, c.Failure.Message)
		}
		c.Failure.Body = strings.Join(failed, "\n\n")
	} else if len(skipped) > 0 {
		c.Skipped = &junitState{Message: skipped[0]}
		if n := len(skipped); n > 1 {
			c.Skipped.Message = fmt.Sprintf("%d places, the first: %s", n, skipped[0])
		}
	}
	c.Out = strings.Join(others, "\n\n")
	return c
}

// junitBody is what was found and where, the evidence, and the code of the fix if code is true.
func junitBody(run *policy.Run, r *policy.Result, o Options, code bool) string {
	lines := []string{checkSentence(r, false), "at " + placeText(located(run, r.Location, o))}
	if part := subjectPart(r.Subject, longestName); part != "" {
		lines = append(lines, "in "+part)
	}
	for _, e := range r.Evidence {
		lines = append(lines, words.Evidence(e, safe.Clean))
	}
	for _, source := range []string{r.Fix.DataStream, r.Fix.SQL} {
		if code && strings.TrimSpace(source) != "" {
			lines = append(lines, "")
			for _, l := range safe.Lines(source) {
				lines = append(lines, safe.Clip(l, 400))
			}
		}
	}
	return strings.Join(lines, "\n")
}

// classPart replaces dots, at which Jenkins splits a class name into a tree.
var classPart = strings.NewReplacer(".", "_", "/", "_")

// stableName is a name of bounded length; names that shortening would make equal stay different.
func stableName(short func(max int) string) string {
	const most, unbounded = 120, 1 << 20
	name, full := short(most), short(unbounded)
	if name == full {
		return name
	}
	return fmt.Sprintf("%s %.4x", name, sha256.Sum256([]byte(full)))
}
