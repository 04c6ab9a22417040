package ci

import (
	"fmt"
	"strings"
	"testing"

	"tidemark/analyze/catalog"
	"tidemark/analyze/policy"
)

func TestAnnotationsComeBackAsTheyWere(t *testing.T) {
	run := emptyRun()
	run.Outcome = policy.OutcomeFailed
	run.Results = []policy.Result{{Code: "TM301", Cause: "bound-too-large", Key: "delay.at_most", Status: policy.Failed, Severity: catalog.Warning,
		Subject: policy.Subject{Kind: "job", Name: "a, b: c=d 100%"}, Message: "50% of :: it, and more",
		Location: policy.Location{File: "deploy/a,b:c 100%.yaml", Line: 7, Column: 3}, Fix: catalog.Fix{Text: "Declare 5 s."}}}
	got := buildCommands(string(checked(t, GitHub, run, Options{})))
	if len(got) != 1 {
		t.Fatalf("%d commands", len(got))
	}
	c := got[0]
	for name, want := range map[string]string{"file": "deploy/a,b:c 100%.yaml", "line": "7", "col": "3",
		"title": "TM301 bound-too-large (delay.at_most): job a, b: c=d 100%"} {
		if c.properties[name] != want {
			t.Errorf("%s is %q, want %q", name, c.properties[name], want)
		}
	}
	if c.name != "warning" || c.data != `50% of \x3a: it, and more. Declare 5 s.` {
		t.Errorf("%s: %q", c.name, c.data)
	}
}

func TestCommandsEscapeWhatEndsThem(t *testing.T) {
	a := annotation{"error", policy.Location{File: "a"}, "x,y:z\r\n%", "one\r\ntwo % three: four, five"}
	want := "::error file=a,title=x%2Cy%3Az%0D%0A%25::one%0D%0Atwo %25 three: four, five\n"
	if a.String() != want {
		t.Errorf("got %q, want %q", a, want)
	}
}

// TestAnnotationsStayBelowTheLimit: GitHub shows ten of a level and drops the rest, so the tenth
// says where they are, and the log has every one of them.
func TestAnnotationsStayBelowTheLimit(t *testing.T) {
	for _, n := range []int{1, 30, 31, 1000} {
		out := string(checked(t, GitHub, manyRun(n), Options{}))
		levels := map[string]int{}
		for _, c := range buildCommands(out) {
			levels[c.name]++
		}
		for level, count := range levels {
			if count > annotationsShown {
				t.Errorf("%d results: %d of %s", n, count, level)
			}
		}
		for i := range n {
			if !strings.Contains(out, fmt.Sprintf("Split orders-%d holds", i)) {
				t.Errorf("%d results: the log lacks number %d", n, i)
			}
		}
	}
}

func TestAnnotationsStartWithTheWorst(t *testing.T) {
	run := sampleRun()
	run.Results[0], run.Results[2] = run.Results[2], run.Results[0]
	var levels []string
	for _, c := range buildCommands(string(checked(t, GitHub, run, Options{}))) {
		levels = append(levels, c.name)
	}
	if got, want := strings.Join(levels, " "), "error error error warning warning notice"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestGitLabSeesOnlyFaultsOfTheRepository(t *testing.T) {
	run := sampleRun()
	run.Results[0].Location.File = "/elsewhere/policy.yaml"
	run.Results[1].Fingerprint = run.Results[0].Fingerprint
	issues := gitlabIssues(run, Options{})
	var got []string
	prints := map[string]bool{}
	for _, i := range issues {
		got = append(got, fmt.Sprintf("%s %s %s:%d", i.CheckName, i.Severity, i.Location.Path, i.Location.Lines.Begin))
		prints[i.Fingerprint] = true
	}
	want := []string{"incomplete blocker deploy/tidemark policy.yaml:1", "TM102 idle-split critical policy.yaml:14",
		"TM301 bound-too-large major deploy/tidemark policy.yaml:9", "TM306 old-data info deploy/tidemark policy.yaml:4",
		"TM601 rowtime-lost critical sql/enrich.sql:31", "TM604 idleness-not-set major sql/enrich.sql:3"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if len(prints) != len(issues) {
		t.Errorf("%d fingerprints of %d issues", len(prints), len(issues))
	}
}

func TestGitLabFingerprintsAreStable(t *testing.T) {
	before, after := gitlabIssues(sampleRun(), Options{}), sampleRun()
	for i := range after.Results {
		after.Results[i].Location.Line += 10
		after.Results[i].Message += " now"
	}
	for i, issue := range gitlabIssues(after, Options{}) {
		if issue.Fingerprint != before[i].Fingerprint {
			t.Errorf("%s changed its fingerprint", issue.CheckName)
		}
	}
	some := gitlabIssues(passedRun(), Options{})
	if len(some) != 1 || some[0].Fingerprint != before[2].Fingerprint {
		t.Error("a fingerprint depends on what else failed")
	}
}

// A demand that could not be judged is shown at its line of the policy.
func TestAnIncompleteRunIsShownAtTheDemand(t *testing.T) {
	at := policy.Location{File: "tidemark.yaml", Line: 9, Column: 17}
	run := &policy.Run{Policy: "tidemark.yaml", FailOn: "warning", Outcome: policy.OutcomeIncomplete,
		Incomplete: []string{at.String() + ": idleness.required was not judged", "the topic orders could not be read"}, IncompleteAt: []policy.Location{at, {}},
		Results: []policy.Result{{Code: "TM854", Cause: "idle-timeout-missing", Status: policy.Skipped, Essential: true, Location: at, Subject: policy.Subject{Kind: "job", Name: "orders"}}}}
	github := string(checked(t, GitHub, run, Options{}))
	if !strings.Contains(github, "::error file=tidemark.yaml,line=9,col=17,title=incomplete::tidemark.yaml:9:17: idleness") || !strings.Contains(github, "::error file=tidemark.yaml,title=incomplete::the topic") {
		t.Errorf("annotations:\n%s", github)
	}
	gitlab := strings.Join(strings.Fields(string(checked(t, GitLab, run, Options{}))), " ")
	if !strings.Contains(gitlab, `"begin": 9`) || !strings.Contains(gitlab, `"begin": 1 `) {
		t.Errorf("issues:\n%s", gitlab)
	}
}

// Results that --min-severity hides are counted, too.
func TestHiddenFailuresAreCounted(t *testing.T) {
	run := &policy.Run{Policy: "p.yaml", FailOn: "warning", Outcome: policy.OutcomeFailed, LeftOut: 3, LeftOutOf: map[catalog.Severity]int{catalog.Warning: 2, catalog.Info: 1}}
	if got := outcomeLine(run); got != "2 of 3 checks failed" {
		t.Errorf("outcome %q", got)
	}
	if got := countsLine(run); got != "3 checks: 3 failed (2 warning, 1 info); 1 of the failed below --fail-on warning; 3 of the failed not shown (--min-severity)" {
		t.Errorf("counts %q", got)
	}
}
