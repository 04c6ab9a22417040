package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"tidemark/internal/cases"
)

// TestCIExamplesRun runs what the examples run, in their shells, against a staging cluster that
// replays a recording: a healthy job passes, a bad one is refused, and the reports are there for both.
func TestCIExamplesRun(t *testing.T) {
	jobs := map[string]int{"lab-healthy": 0, "lab-idle-partition": 1}
	for i, e := range ciExamples(t) {
		names := []string{"lab-healthy", "lab-idle-partition"}
		if i%2 == 1 {
			slices.Reverse(names)
		}
		for _, job := range cases.Some(names, 1) {
			want := jobs[job]
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
	installs, from := t.TempDir(), "file://"+releases(t)
	for _, s := range e.scripts {
		c := exec.Command(s.shell[0], append(s.shell[1:], s.text)...)
		c.Dir = dir
		c.Env = append(os.Environ(), "FLINK_URL="+cluster.URL, "JOB="+job, "GITHUB_STEP_SUMMARY="+summary, "HOME="+dir, "WORKSPACE="+dir,
			"TIDEMARK_VERSION=1.0.0", "TIDEMARK_RELEASES="+from, "RUNNER_TEMP="+installs, "GITHUB_PATH="+filepath.Join(installs, "path"))
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
	if installed, err := filepath.Glob(filepath.Join(dir, "bin", "tidemark")); err != nil || len(installed) == 0 {
		if text, err := os.ReadFile(filepath.Join(installs, "path")); err != nil || strings.TrimSpace(string(text)) != installs {
			t.Errorf("%s installs nothing: %v", e.file, err)
		}
	}
	if text, err := os.ReadFile(summary); err != nil {
		t.Fatal(err)
	} else if strings.Contains(e.file, "github") {
		if !strings.HasPrefix(string(text), "# ") {
			t.Errorf("step summary: %.80q", text)
		}
	}
	return log, code
}

// releases is a directory as a forge serves it: an archive of release 1.0.0, and its checksum.
func releases(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	release := filepath.Join(dir, "download", "v1.0.0")
	if err := os.MkdirAll(release, 0o755); err != nil {
		t.Fatal(err)
	}
	binary, err := exec.LookPath("tidemark")
	if err != nil {
		t.Fatal(err)
	}
	program := t.TempDir() // a few bytes in place of the binary of the tests
	if err := os.WriteFile(filepath.Join(program, "tidemark"), []byte("#!/bin/sh\nexec '"+binary+"' \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	platforms := map[string]bool{"linux_amd64": true}
	platforms[runtime.GOOS+"_"+runtime.GOARCH] = true
	for platform := range platforms {
		name := "tidemark_1.0.0_" + platform + ".tar.gz"
		script := `tar -czf "$1" -C "$2" tidemark && (cd "$(dirname "$1")" && sha256sum "$(basename "$1")" >> checksums.txt)`
		if out, err := exec.Command("sh", "-ec", script, "sh", filepath.Join(release, name), program).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	return dir
}

// TestActionRuns runs the steps of action.yml as a runner does, from a release that it downloads.
func TestActionRuns(t *testing.T) {
	var action struct {
		Runs struct {
			Steps []struct {
				Name, Run string
				Env       map[string]string
			}
		}
	}
	text, err := os.ReadFile("action.yml")
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &action); err != nil {
		t.Fatal(err)
	}
	for job, want := range map[string]int{"lab-healthy": 0, "lab-idle-partition": 1} {
		t.Run(job, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			recording, err := filepath.Abs("testdata/recordings/flink-2.3.0/" + job + ".jsonl.gz")
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "tidemark.yaml"), []byte(readExample(t, "tidemark.yaml")), 0o644); err != nil {
				t.Fatal(err)
			}
			inputs := map[string]string{"version": "1.0.0", "releases": "file://" + releases(t), "policy": "tidemark.yaml", "args": "--from\n" + recording, "baseline": "", "sarif": "event-time.sarif"}
			env := append(os.Environ(), "RUNNER_TEMP="+dir, "GITHUB_PATH="+dir+"/path", "GITHUB_OUTPUT="+dir+"/output", "GITHUB_STEP_SUMMARY="+dir+"/summary.md")
			code := 0
			install, check := action.Runs.Steps[0], action.Runs.Steps[1]
			for i, step := range append(action.Runs.Steps[:0:0], install, check, check) {
				if i == 2 { // against the report that the first check wrote, in whose place comes that of the second
					inputs["baseline"] = dir + "/event-time.json"
				}
				c := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step.Run)
				c.Dir, c.Env = dir, env
				for name, value := range step.Env {
					input := strings.TrimSuffix(strings.TrimPrefix(value, "${{ inputs."), " }}")
					if _, ok := inputs[input]; !ok {
						t.Fatalf("%s: %s is %s, which is no input", step.Name, name, value)
					}
					c.Env = append(c.Env, name+"="+inputs[input])
				}
				out, err := c.CombinedOutput()
				if exit := new(exec.ExitError); errors.As(err, &exit) {
					code = exit.ExitCode()
				}
				if code != 0 && step.Name == "Install tidemark" {
					t.Fatalf("%v\n%s", err, out)
				}
			}
			if code != want {
				t.Errorf("exit code %d, want %d", code, want)
			}
			for name, part := range map[string]string{"summary.md": " tidemark.yaml: ", "event-time.md": " 0 new, ", "output": "report=" + dir + "/event-time.json", "event-time.json": "\"baseline\": {", "event-time.sarif": "tidemark"} {
				if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !strings.Contains(string(text), part) {
					t.Errorf("%s: %v: %.200s", name, err, text)
				}
			}
		})
	}
}

// reportSchemas are the schemas of reports in JSON.
var reportSchemas = map[string]string{"event-time.sarif": "sarif-schema-2.1.0.json", "gl-code-quality-report.json": "gitlab-code-quality.schema.json"}

// meets holds a report to its schema in the slow run. A plain one only parses it: compiling schemas makes each process
// of a script start later, which is this binary.
var meets = func(_ string, text []byte) error {
	var doc any
	return json.Unmarshal(text, &doc)
}

// examineReports looks for what the other steps of the example take up.
func examineReports(t *testing.T, e ciExample, dir, log string, want int) {
	t.Helper()
	marks := map[string][2]string{ // by file: what a run that passed has, what one that failed has
		"event-time.xml":              {`errors="0"`, "<failure "},
		"event-time.sarif":            {`"executionSuccessful": true`, `"level": "error"`},
		"event-time.md":               {"# PASSED ", "# FAILED "},
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
			if err := meets(schema, text); err != nil {
				t.Errorf("%s: %v:\n%.500s", name, err, text)
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
