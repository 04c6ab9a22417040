package ci

import (
	"bytes"
	gocmp "cmp"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"tidemark/analyze/policy"
	"tidemark/internal/cases"
	"tidemark/render/doc"
)

// endings of goldens are the names of the formats but for these.
var endings = map[string]string{Text: "txt", Markdown: "md", JUnit: "junit.xml", GitLab: "gitlab.json"}

func TestGoldensOfACheckRun(t *testing.T) {
	for _, c := range []struct {
		name    string
		run     func() *policy.Run
		formats []string
	}{
		{"sample", sampleRun, checkFormats},
		{"empty", emptyRun, checkFormats},
		{"incomplete", incompleteRun, checkFormats},
		{"passed", passedRun, []string{Text, Markdown, JUnit, GitHub, GitLab}},
		{"watched", func() *policy.Run {
			run := passedRun()
			run.Watched = []policy.Watched{watched("orders")}
			return run
		}, []string{Text, Markdown, JSON, HTML, JUnit, SARIF, GitHub}},
		{"many", func() *policy.Run { return manyRun(40) }, []string{GitHub}},
	} {
		for _, format := range c.formats {
			t.Run(c.name+" "+format, func(t *testing.T) {
				golden(t, c.name+"."+gocmp.Or(endings[format], format), checked(t, format, c.run(), Options{}))
			})
		}
	}
	golden(t, "sample.color.txt", checked(t, Text, sampleRun(), Options{}, doc.Look{Color: true}))
}

func TestCheckIsDeterministicAndLeavesTheRunAlone(t *testing.T) {
	for _, format := range checkFormats {
		run := sampleRun()
		run.Results[0].Evidence, run.Sources = nil, nil
		before := mustJSON(t, run)
		first := checked(t, format, run, Options{})
		if second := checked(t, format, run, Options{}); !bytes.Equal(first, second) {
			t.Errorf("%s differs between two renderings of one run", format)
		}
		if d := cmp.Diff(before, mustJSON(t, run)); d != "" {
			t.Errorf("%s changed the run:\n%s", format, d)
		}
	}
}

func TestCheckJSONReadsBackAsTheSameRun(t *testing.T) {
	for _, name := range cases.Some(append([]string{"plain"}, checkHostileNames...), 3) {
		want := hostileRun(strings.ToValidUTF8(name, "\ufffd"))
		var got policy.Run
		if err := json.Unmarshal(checked(t, JSON, want, Options{}), &got); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(mustJSON(t, Data(want)), mustJSON(t, &got)); d != "" {
			t.Errorf("name %.40q comes back differently:\n%.2000s", name, d)
		}
	}
}

func TestCheckYAMLHoldsTheSameAsJSON(t *testing.T) {
	for _, name := range cases.Some(append([]string{"plain"}, checkHostileNames...), 6) {
		run := hostileRun(name)
		var fromYAML, fromJSON any
		if err := yaml.Unmarshal(checked(t, YAML, run, Options{}), &fromYAML); err != nil {
			t.Fatalf("name %.40q: %v", name, err)
		}
		if err := json.Unmarshal(checked(t, JSON, run, Options{}), &fromJSON); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(mustJSON(t, fromJSON), mustJSON(t, fromYAML)); d != "" {
			t.Errorf("name %.40q differs:\n%.2000s", name, d)
		}
	}
}

func TestListsOfACheckAreNeverNull(t *testing.T) {
	run := &policy.Run{Results: []policy.Result{{}}}
	for _, format := range []string{JSON, SARIF, GitLab} {
		if out := string(checked(t, format, run, Options{})); strings.Contains(out, "null") {
			t.Errorf("%s has a null:\n%s", format, out)
		}
	}
}
