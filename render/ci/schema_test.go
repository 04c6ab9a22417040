package ci

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tidemark/analyze/catalog"
	"tidemark/analyze/policy"
	"tidemark/internal/cases"
)

// schemaOf compiles a schema of ../testdata/schema with its formats (uri and so on) enforced.
func schemaOf(t *testing.T, file string) *jsonschema.Schema {
	t.Helper()
	f, err := os.Open("../testdata/schema/" + file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	doc, err := jsonschema.UnmarshalJSON(f)
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("file:///"+file, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("file:///" + file)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// checkRuns are runs of every kind by name, those of hostile names among them.
func checkRuns() map[string]*policy.Run {
	runs := map[string]*policy.Run{"sample": sampleRun(), "empty": emptyRun(), "incomplete": incompleteRun(), "passed": passedRun(),
		"many": manyRun(1000), "zero": {}, "zero result": {Results: []policy.Result{{Status: policy.Failed}, {Status: policy.Suppressed}, {Status: policy.Skipped}, {}}}}
	for i, name := range checkHostileNames {
		runs[fmt.Sprintf("hostile %d", i)] = hostileRun(name)
	}
	return runs
}

func TestCheckFormatsMeetTheirSchemas(t *testing.T) {
	for format, file := range map[string]string{SARIF: "sarif-schema-2.1.0.json", GitLab: "gitlab-code-quality.schema.json"} {
		schema := schemaOf(t, file)
		for name, run := range checkRuns() {
			for _, o := range cases.Some([]Options{{}, {Root: "/abs"}}, 1) {
				doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(checked(t, format, run, o)))
				if err != nil {
					t.Fatalf("%s of %s: %v", format, name, err)
				}
				if err := schema.Validate(doc); err != nil {
					t.Errorf("%s of %s: %v", format, name, err)
				}
			}
		}
	}
}

// TestTheSchemasRefuse shows that the schemas are applied.
func TestTheSchemasRefuse(t *testing.T) {
	for file, bad := range map[string]string{
		"sarif-schema-2.1.0.json":         `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"x"}},"results":[{"message":{}}]}]}`,
		"gitlab-code-quality.schema.json": `[{"description":"a","check_name":"b","fingerprint":"c","severity":"minor","location":{"path":"/etc/x","lines":{"begin":1}}}]`,
	} {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(bad))
		if err != nil {
			t.Fatal(err)
		}
		if schemaOf(t, file).Validate(doc) == nil {
			t.Errorf("%s takes %s", file, bad)
		}
	}
}

func sarifIn(t *testing.T, run *policy.Run, o Options) sarifRun {
	t.Helper()
	var log sarifLog
	if err := json.Unmarshal(checked(t, SARIF, run, o), &log); err != nil {
		t.Fatal(err)
	}
	if len(log.Runs) != 1 {
		t.Fatalf("%d runs", len(log.Runs))
	}
	return log.Runs[0]
}

// TestSARIFKeepsTheRulesThatNoSchemaSays checks what the standard and GitHub's code scanning demand beyond the schema.
func TestSARIFKeepsTheRulesThatNoSchemaSays(t *testing.T) {
	for name, run := range checkRuns() {
		out := sarifIn(t, run, Options{})
		for i, r := range out.Results {
			where := fmt.Sprintf("%s, result %d", name, i)
			if rules := out.Tool.Driver.Rules; r.RuleIndex < 0 || r.RuleIndex >= len(rules) || rules[r.RuleIndex].ID != r.RuleID {
				t.Errorf("%s: rule %q is not at %d", where, r.RuleID, r.RuleIndex)
			}
			if r.Suppressions == nil {
				t.Errorf("%s: suppressions are missing, though others have them", where)
			}
			if r.Message.Text == "" || r.Level == "none" || r.Kind != "fail" {
				t.Errorf("%s: level %q, kind %q, message %q", where, r.Level, r.Kind, r.Message.Text)
			}
			if len(r.Locations) == 0 || r.Locations[0].Physical.Artifact.URI == "" {
				t.Errorf("%s: no location, so GitHub refuses the file", where)
				continue
			}
			u, err := url.Parse(r.Locations[0].Physical.Artifact.URI)
			if err != nil {
				t.Errorf("%s: %v", where, err)
			} else if relative := r.Locations[0].Physical.Artifact.Base != ""; relative == u.IsAbs() {
				t.Errorf("%s: %q with base %q", where, u, r.Locations[0].Physical.Artifact.Base)
			}
		}
		for _, n := range out.Invocations[0].Notifications {
			if ref := n.Rule; ref != nil && out.Tool.Driver.Rules[ref.Index].ID != ref.ID {
				t.Errorf("%s: notification of %q points to rule %d", name, ref.ID, ref.Index)
			}
		}
		if got, want := out.Invocations[0].Successful, !isIncomplete(run); got != want {
			t.Errorf("%s: executionSuccessful is %v", name, got)
		}
	}
}

func TestSARIFHasTheFailedAndTheSuppressedAlone(t *testing.T) {
	out := sarifIn(t, sampleRun(), Options{})
	var got []string
	for _, r := range out.Results {
		s := r.RuleID + " " + r.Level + " " + r.Partial["primaryLocationLineHash"]
		if len(r.Suppressions) > 0 {
			s += " " + r.Suppressions[0].Kind + " " + r.Suppressions[0].Status + " " + r.Suppressions[0].Justification
		}
		got = append(got, s)
	}
	want := []string{"TM102 error f-idle", "TM301 warning f-bound", "TM306 note f-old",
		"TM102 error f-payments external accepted until 2027-01-31: the partition is retired in January, see the runbook",
		"TM601 error f-join", "TM604 warning f-table"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestSARIFRulesCarryTheCatalogue(t *testing.T) {
	run := sampleRun()
	run.Results[0].Page = "https://example.org/checks.md#" + run.Results[0].Code
	for _, rule := range sarifIn(t, run, Options{}).Tool.Driver.Rules {
		if linked := rule.ID == sarifID(run.Results[0].Code); linked != (rule.HelpURI != "") {
			t.Errorf("%s links to %q", rule.ID, rule.HelpURI)
		}
		c, ok := catalog.FindCheck(rule.ID)
		if !ok {
			t.Errorf("no check %s", rule.ID)
			continue
		}
		if rule.Short.Text != c.Title || rule.Config.Level != sarifLevel(c.Severity) || rule.Name != pascal(c.Cause) {
			t.Errorf("%s: %+v", rule.ID, rule)
		}
		for _, part := range []string{c.Cause, "What to do", strings.Fields(c.Why)[0]} {
			if !strings.Contains(rule.Help.Text, part) || !strings.Contains(rule.Help.Markdown, part) {
				t.Errorf("%s: help does not say %q", rule.ID, part)
			}
		}
	}
}

func TestFilesAsURIs(t *testing.T) {
	for file, want := range map[string]sarifArtifact{
		"tidemark.yaml":          {"tidemark.yaml", "%SRCROOT%"},
		"a b/ü#?%41.sql":         {"a%20b/%C3%BC%23%3F%2541.sql", "%SRCROOT%"},
		"/srv/policies/a b.yaml": {"file:///srv/policies/a%20b.yaml", ""},
		"a:b.yaml":               {"./a:b.yaml", "%SRCROOT%"},
	} {
		if got := sarifFile(file); got != want {
			t.Errorf("%q becomes %+v, want %+v", file, got, want)
		}
	}
}

func TestPlacesAreNamedFromTheRoot(t *testing.T) {
	run := &policy.Run{Policy: "/repo/deploy/tidemark.yaml"}
	for _, c := range []struct{ file, root, want, inside string }{
		{"", "/repo", "deploy/tidemark.yaml", "deploy/tidemark.yaml"},
		{"sql/a.sql", "/repo", "sql/a.sql", "sql/a.sql"},
		{"./sql//a.sql", "", "sql/a.sql", "sql/a.sql"},
		{"/repo/sql/a.sql", "/repo", "sql/a.sql", "sql/a.sql"},
		{"/elsewhere/a.sql", "/repo", "/elsewhere/a.sql", "a.sql"},
		{"/repository/a.sql", "/repo", "/repository/a.sql", "a.sql"},
		{"../up/a.sql", "/repo", "../up/a.sql", "a.sql"},
	} {
		got := located(run, policy.Location{File: c.file, Line: 3}, Options{Root: c.root}).File
		if got != c.want || insideRoot(got) != c.inside {
			t.Errorf("%q from %q is %q, inside %q; want %q, %q", c.file, c.root, got, insideRoot(got), c.want, c.inside)
		}
	}
	if got := located(&policy.Run{Policy: "a.yaml, b.yaml"}, policy.Location{}, Options{}).File; got != "a.yaml" {
		t.Errorf("with two policies: %q", got)
	}
	if got := located(&policy.Run{}, policy.Location{}, Options{}).File; got != "tidemark.yaml" {
		t.Errorf("without any file: %q", got)
	}
}
