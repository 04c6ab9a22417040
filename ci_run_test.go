package main

import (
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestCIExamplesRun runs what the examples run, in their shells, against a staging cluster that
// replays a recording: a healthy job passes, a bad one is refused, and the reports are there for both.
func TestCIExamplesRun(t *testing.T) {
	for _, e := range ciExamples(t) {
		for job, want := range map[string]int{"lab-healthy": 0, "lab-idle-partition": 1} {
			t.Run(e.file+" "+job, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				log, code := runExample(t, e, dir, job)
				if code != want {
					t.Fatalf("exit code %d, want %d:\n%s", code, want, log)
				}
				examineReports(t, e, dir, log, want)
			})
		}
	}
}

// runExample runs the scripts that call tidemark until one fails, as a CI system does, and gives what
// they wrote and the last exit code.
func runExample(t *testing.T, e ciExample, dir, job string) (log string, code int) {
	t.Helper()
	cluster := httptest.NewServer(replay(t, job))
	defer cluster.Close()
	for _, name := range []string{"FLINK_URL", "JOB"} {
		if e.env[name] == "" {
			t.Fatalf("the example does not set %s", name)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "tidemark.yaml"), []byte(readExample(t, "tidemark.yaml")), 0o644); err != nil {
		t.Fatal(err)
	}
	summary := filepath.Join(t.TempDir(), "summary.md") // there and empty when a step starts
	if err := os.WriteFile(summary, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, s := range e.scripts {
		if !callsTidemark.MatchString(s.text) {
			continue
		}
		c := exec.Command(s.shell[0], append(s.shell[1:], s.text)...)
		c.Dir = dir
		c.Env = append(os.Environ(), "FLINK_URL="+cluster.URL, "JOB="+job, "GITHUB_STEP_SUMMARY="+summary, "HOME="+dir)
		out, err := c.CombinedOutput()
		log += string(out)
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			code = exit.ExitCode()
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if text, err := os.ReadFile(summary); err != nil {
		t.Fatal(err)
	} else if strings.Contains(e.file, "github") {
		if !strings.HasPrefix(string(text), "# tidemark check: ") {
			t.Errorf("step summary: %.80q", text)
		}
	}
	return log, code
}

// reportSchemas are the schemas of reports in JSON, which YAML's parser reads too.
var reportSchemas = map[string]string{"event-time.sarif": "sarif-schema-2.1.0.json", "gl-code-quality-report.json": "gitlab-code-quality.schema.json"}

// examineReports looks for what the other steps of the example take up.
func examineReports(t *testing.T, e ciExample, dir, log string, want int) {
	t.Helper()
	marks := map[string][2]string{ // by file: what a run that passed has, what one that failed has
		"event-time.xml":              {`errors="0"`, "<failure "},
		"event-time.sarif":            {`"executionSuccessful": true`, `"level": "error"`},
		"event-time.md":               {"# tidemark check: PASSED", "# tidemark check: FAILED"},
		"gl-code-quality-report.json": {"[", `"severity": "critical"`},
	}
	found := 0
	for name, mark := range marks {
		if !strings.Contains(readExample(t, e.file), name) {
			continue
		}
		found++
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
		} else if !strings.Contains(string(text), mark[want]) {
			t.Errorf("%s does not hold %q:\n%.500s", name, mark[want], text)
		} else if schema := reportSchemas[name]; schema != "" {
			s, err := jsonschema.NewCompiler().Compile("render/testdata/schema/" + schema)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Validate(yamlAsJSON(t, string(text))); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if found < 2 {
		t.Errorf("the example writes %d reports", found)
	}
	if strings.Contains(e.file, "github") && (want == 1) != strings.Contains(log, "\n::error file=tidemark.yaml,line=") {
		t.Errorf("annotations of a run with exit code %d:\n%s", want, log)
	}
	if _, err := os.Stat(filepath.Join(dir, "event-time.jsonl.gz")); err != nil {
		t.Error(fmt.Errorf("the recording is not kept: %w", err))
	}
}
