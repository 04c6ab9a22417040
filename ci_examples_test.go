package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

// TestCIExamplesMeetTheirSchemas holds the workflows against the schemas that editors use.
func TestCIExamplesMeetTheirSchemas(t *testing.T) {
	for file, schema := range map[string]string{"github.yml": "github-workflow.json", ".gitlab-ci.yml": "gitlab-ci.json"} {
		s, err := jsonschema.NewCompiler().Compile("testdata/ci/schema/" + schema)
		if err != nil {
			t.Fatal(err)
		}
		text := readExample(t, file)
		if err := s.Validate(yamlAsJSON(t, text)); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		for _, typo := range [][2]string{{"runs-on:", "run-on:"}, {"    steps:", "    stepz:"}, {"  script:", "  scripts:"}, {"when: always", "when: allways"}} {
			if broken := strings.Replace(text, typo[0], typo[1], 1); broken != text && s.Validate(yamlAsJSON(t, broken)) == nil {
				t.Errorf("%s: the schema takes %q", file, typo[1])
			}
		}
	}
}

func readExample(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "ci", file))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// yamlAsJSON is a document as a JSON parser would give it.
func yamlAsJSON(t *testing.T, text string) any {
	t.Helper()
	var doc any
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	out, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestJenkinsfileIsAPipeline checks what the declarative syntax demands, as far as blocks go.
func TestJenkinsfileIsAPipeline(t *testing.T) {
	blocks, err := groovyBlocks(readExample(t, "Jenkinsfile"))
	if err != nil {
		t.Fatal(err)
	}
	paths := map[string]string{}
	for _, b := range blocks {
		paths[b.path] = b.own
	}
	for path, holds := range map[string]string{"pipeline": "agent any", "pipeline/options": "timeout(", "pipeline/environment": "FLINK_URL =",
		"pipeline/stages/stage/steps": "sh '", "pipeline/post/always": "junit 'event-time.xml'"} {
		if !strings.Contains(paths[path], holds) {
			t.Errorf("%s does not hold %q: %q", path, holds, paths[path])
		}
	}
	for _, broken := range []string{"pipeline {", "pipeline { sh 'x }", "pipeline } {", "sh '''x'' {}"} {
		if _, err := groovyBlocks(broken); err == nil {
			t.Errorf("%q parses", broken)
		}
	}
}

var callsTidemark = regexp.MustCompile(`(?m)^\s*tidemark `)

// TestCIExamplesAreShell lets the shells read every line.
func TestCIExamplesAreShell(t *testing.T) {
	for _, e := range ciExamples(t) {
		calls := 0
		for _, s := range e.scripts {
			if out, err := exec.Command(s.shell[0], "-n", "-c", s.text).CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s\n%s", e.file, err, s.text, out)
			}
			if callsTidemark.MatchString(s.text) {
				calls++
			}
		}
		if calls < 2 {
			t.Errorf("%s: only %d scripts call tidemark", e.file, calls)
		}
	}
}
