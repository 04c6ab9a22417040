package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"tidemark/cmd"
)

// TestManifestsRunAsPromised holds each workload to what its pages promise: no root, nothing written next to its
// volumes, secrets as files, and arguments that the command takes.
func TestManifestsRunAsPromised(t *testing.T) {
	files, err := filepath.Glob("docs/kubernetes/*.yaml")
	if err != nil || len(files) < 2 {
		t.Fatalf("%v: %v", files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		workloads := 0
		for d := yaml.NewDecoder(bytes.NewReader(text)); ; {
			var m manifest
			if err := d.Decode(&m); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			pod := m.Spec.Template.Spec
			for _, c := range pod.Containers {
				workloads++
				if !pod.SecurityContext.RunAsNonRoot || !c.SecurityContext.ReadOnlyRootFilesystem || c.SecurityContext.AllowPrivilegeEscalation {
					t.Errorf("%s: %s may do more than it needs", file, m.Metadata.Name)
				}
				if len(c.Env) > 0 {
					t.Errorf("%s: settings stand in the environment", file)
				}
				found, rest, err := cmd.Root().Find(c.Args)
				if err == nil {
					err = found.ParseFlags(rest)
				}
				if err != nil {
					t.Errorf("%s: %v: %v", file, c.Args, err)
				}
			}
			if m.Kind != "" && m.Metadata.Name == "" {
				t.Errorf("%s: a %s without a name", file, m.Kind)
			}
		}
		if workloads == 0 {
			t.Errorf("%s runs nothing", file)
		}
	}
}

type manifest struct {
	Kind     string
	Metadata struct{ Name string }
	Spec     struct {
		Template struct {
			Spec struct {
				SecurityContext struct {
					RunAsNonRoot bool `yaml:"runAsNonRoot"`
				} `yaml:"securityContext"`
				Containers []struct {
					Args            []string
					Env             []any
					SecurityContext struct {
						ReadOnlyRootFilesystem   bool `yaml:"readOnlyRootFilesystem"`
						AllowPrivilegeEscalation bool `yaml:"allowPrivilegeEscalation"`
					} `yaml:"securityContext"`
				}
			}
		}
	}
}

// TestForgeFilesNeverRunForeignText holds workflows to the rule that keeps the title of a pull request out of a shell: no
// script contains an expression.
func TestForgeFilesNeverRunForeignText(t *testing.T) {
	files, err := filepath.Glob(".github/workflows/*.yml")
	if err != nil || len(files) < 3 {
		t.Fatalf("%v: %v", files, err)
	}
	for _, file := range append(files, "action.yml") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var doc map[string]any
		if err := yaml.Unmarshal(text, &doc); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		scripts := 0
		walkYAML(doc, func(key string, value any) {
			if script, ok := value.(string); ok && key == "run" {
				scripts++
				if strings.Contains(script, "${{") {
					t.Errorf("%s: an expression stands in a script: %s", file, script)
				}
			}
		})
		if scripts == 0 && !slices.Contains([]string{".github/workflows/release.yml"}, file) {
			t.Errorf("%s runs nothing", file)
		}
	}
}

func walkYAML(v any, visit func(key string, value any)) {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			visit(key, value)
			walkYAML(value, visit)
		}
	case []any:
		for _, value := range v {
			walkYAML(value, visit)
		}
	}
}
