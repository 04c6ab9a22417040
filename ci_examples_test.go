package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func readExample(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "ci", file))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
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
