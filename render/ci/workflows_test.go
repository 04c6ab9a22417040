package ci

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

// TestCIExamplesMeetTheirSchemas compares the workflows with the schemas that editors use.
func TestCIExamplesMeetTheirSchemas(t *testing.T) {
	for file, schema := range map[string]string{"github.yml": "github-workflow.json", ".gitlab-ci.yml": "gitlab-ci.json"} {
		s, err := jsonschema.NewCompiler().Compile("../../testdata/ci/schema/" + schema)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile("../../testdata/ci/" + file)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(yamlAsJSON(t, string(text))); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		for _, typo := range [][2]string{{"runs-on:", "run-on:"}, {"    steps:", "    stepz:"}, {"  script:", "  scripts:"}, {"when: always", "when: allways"}} {
			if broken := strings.Replace(string(text), typo[0], typo[1], 1); broken != string(text) && s.Validate(yamlAsJSON(t, broken)) == nil {
				t.Errorf("%s: the schema takes %q", file, typo[1])
			}
		}
	}
}

// TestWorkflowsMeetTheirSchema compares this project's own workflows with the same schema.
func TestWorkflowsMeetTheirSchema(t *testing.T) {
	files, err := filepath.Glob("../../.github/workflows/*.yml")
	if err != nil || len(files) < 3 {
		t.Fatalf("%v: %v", files, err)
	}
	schema, err := jsonschema.NewCompiler().Compile("../../testdata/ci/schema/github-workflow.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(yamlAsJSON(t, string(text))); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
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
