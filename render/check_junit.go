package render

import (
	"bytes"
	"crypto/sha256"
	"encoding/xml"
	"fmt"
	"strings"
	"time"

	"tidemark/analyze/policy"
)

// The part of JUnit's XML that the xunit plugin of Jenkins accepts (its junit-10.xsd), which GitLab
// and the others read too. Counts are right for each suite; times are 0, since a check has none.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Time     string       `xml:"time,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name       string           `xml:"name,attr"`
		Tests      int              `xml:"tests,attr"`
		Failures   int              `xml:"failures,attr"`
		Errors     int              `xml:"errors,attr"`
		Skipped    int              `xml:"skipped,attr"`
		Time       string           `xml:"time,attr"`
		Timestamp  string           `xml:"timestamp,attr,omitempty"`
		Properties *junitProperties `xml:"properties"`
		Cases      []junitCase      `xml:"testcase"`
	}
	junitProperties struct {
		List []junitProperty `xml:"property"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Class   string      `xml:"classname,attr"`
		Name    string      `xml:"name,attr"`
		Time    string      `xml:"time,attr"`
		Skipped *junitState `xml:"skipped"`
		Error   *junitState `xml:"error"`
		Failure *junitState `xml:"failure"`
		Out     string      `xml:"system-out,omitempty"`
	}
	junitState struct {
		Type    string `xml:"type,attr,omitempty"`
		Message string `xml:"message,attr"`
		Body    string `xml:",chardata"`
	}
)

// writeCheckJUnit writes a suite a subject and a case a result. A failure is what fails the run;
// what failed below --fail-on or is suppressed is skipped and says so, for a build must not be red
// in one place and green in another. The first suite says whether the run is complete.
func writeCheckJUnit(b *bytes.Buffer, run *policy.Run, o Options) error {
	all := junitSuites{Name: "tidemark check", Time: "0", Suites: []junitSuite{junitRunSuite(run, o)}}
	for _, g := range checkGroups(run) {
		s := junitSuite{Name: stableName(g.title)}
		class := "tidemark." + Short(g.kind, 20) + "." + classPart.Replace(stableName(func(max int) string { return vertexName(g.name, max) }))
		names := map[string]int{}
		for _, r := range g.results {
			c := junitResult(run, r, o)
			c.Class = class
			if names[c.Name]++; names[c.Name] > 1 {
				c.Name += fmt.Sprintf(" #%d", names[c.Name])
			}
			s.Cases = append(s.Cases, c)
		}
		all.Suites = append(all.Suites, s)
	}
	for i := range all.Suites {
		s := &all.Suites[i]
		s.count(run)
		all.Tests, all.Failures, all.Errors = all.Tests+s.Tests, all.Failures+s.Failures, all.Errors+s.Errors
	}
	raw, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	b.WriteString(xml.Header)
	// Only bodies have line feeds, and there they may stand as they are: people read them in the file too.
	b.Write(bytes.ReplaceAll(raw, []byte("&#xA;"), []byte("\n")))
	b.WriteByte('\n')
	return nil
}

func (s *junitSuite) count(run *policy.Run) {
	s.Time, s.Tests = "0", len(s.Cases)
	if ms := epoch(run.At); ms != 0 {
		s.Timestamp = time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05")
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

// junitRunSuite is the run itself: an error where it is not complete. It is there in every run, since
// Jenkins takes a file without a case for a mistake.
func junitRunSuite(run *policy.Run, o Options) junitSuite {
	c := junitCase{Class: "tidemark.run", Name: "complete", Time: "0"}
	if reasons := incompleteReasons(run); len(reasons) > 0 {
		lines := make([]string, len(reasons))
		for i, reason := range reasons {
			lines[i] = clip(Clean(reason), 400)
		}
		c.Error = &junitState{Type: string(policy.OutcomeIncomplete), Message: lines[0], Body: strings.Join(lines, "\n")}
	}
	properties := []junitProperty{
		{"tool", Short(run.Tool.Name+" "+run.Tool.Version, 80)},
		{"policy", Short(underRoot(run.Policy, o.Root), 200)},
		{"outcome", Short(string(run.Outcome), 20)},
		{"fail-on", Short(run.FailOn, 20)},
		{"left-out", fmt.Sprint(run.LeftOut)},
	}
	for _, src := range run.Sources {
		properties = append(properties, junitProperty{"source", strings.TrimSpace(Short(src.Kind, 20) + " " + Short(src.Name, 200) + " " + clip(Clean(src.Note), 200))})
	}
	return junitSuite{Name: "run", Cases: []junitCase{c}, Properties: &junitProperties{properties}}
}

func junitResult(run *policy.Run, r *policy.Result, o Options) junitCase {
	c := junitCase{Time: "0", Name: stableName(func(max int) string {
		name := checkName(r)
		if part := subjectPart(r.Subject, max); part != "" {
			name += " at " + part
		}
		return name
	})}
	message := checkSentence(r, false)
	switch {
	case counts(run, r):
		c.Failure = &junitState{Type: Short(string(r.Severity)+" "+r.Cause, 60), Message: message, Body: junitBody(run, r, o)}
	case r.Status == policy.Failed:
		c.Skipped = &junitState{Message: string(r.Severity) + ", below --fail-on " + Short(run.FailOn, 20) + ": " + message}
		c.Out = junitBody(run, r, o)
	case r.Status == policy.Suppressed:
		c.Skipped = &junitState{Message: "suppressed " + suppressedText(r)}
		c.Out = message + "\n" + junitBody(run, r, o)
	case r.Status == policy.Skipped:
		c.Skipped = &junitState{Message: skippedText(r)}
	}
	return c
}

// junitBody is where a result stands, what it rests on, and the code that mends it.
func junitBody(run *policy.Run, r *policy.Result, o Options) string {
	lines := []string{"at " + placeText(located(run, r.Location, o))}
	for _, e := range r.Evidence {
		lines = append(lines, evidenceText(e, Clean))
	}
	for _, code := range []string{r.Fix.DataStream, r.Fix.SQL} {
		if strings.TrimSpace(code) != "" {
			lines = append(lines, "")
			for _, l := range cleanLines(code) {
				lines = append(lines, clip(l, 400))
			}
		}
	}
	return strings.Join(lines, "\n")
}

// classPart keeps dots for the tree that Jenkins makes of a class name.
var classPart = strings.NewReplacer(".", "_", "/", "_")

// stableName is a name of bounded length that tells apart what a cut would make equal: CI keeps the
// history of a test by its name.
func stableName(short func(max int) string) string {
	const most, unbounded = 120, 1 << 20
	name, full := short(most), short(unbounded)
	if name == full {
		return name
	}
	return fmt.Sprintf("%s %.4x", name, sha256.Sum256([]byte(full)))
}
