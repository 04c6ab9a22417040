package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// ciScript is one piece of shell as a CI system runs it.
type ciScript struct {
	shell []string
	text  string
}

// ciExample is an example with the environment it declares.
type ciExample struct {
	file    string
	scripts []ciScript
	env     map[string]string
}

// ciExamples reads the shell of every example.
func ciExamples(t *testing.T) []ciExample {
	t.Helper()
	return []ciExample{githubExample(t), gitlabExample(t), jenkinsExample(t)}
}

// githubExample: a step without a shell of its own runs in bash -e.
func githubExample(t *testing.T) ciExample {
	t.Helper()
	var doc struct {
		Jobs map[string]struct {
			Env   map[string]string
			Steps []struct{ Run string }
		}
	}
	if err := yaml.Unmarshal([]byte(readExample(t, "github.yml")), &doc); err != nil {
		t.Fatal(err)
	}
	e := ciExample{file: "github.yml"}
	for _, job := range doc.Jobs {
		e.env = job.Env
		for _, step := range job.Steps {
			if step.Run != "" {
				e.scripts = append(e.scripts, ciScript{[]string{"bash", "-e", "-c"}, step.Run})
			}
		}
	}
	return e
}

// gitlabExample: the lines of a job run in one bash that stops at the first that fails.
func gitlabExample(t *testing.T) ciExample {
	t.Helper()
	var doc map[string]struct {
		Variables map[string]string
		Before    []string `yaml:"before_script"`
		Script    []string
	}
	if err := yaml.Unmarshal([]byte(readExample(t, ".gitlab-ci.yml")), &doc); err != nil {
		t.Fatal(err)
	}
	e := ciExample{file: ".gitlab-ci.yml"}
	for _, job := range doc {
		e.env = job.Variables
		for _, line := range append(job.Before, job.Script...) {
			e.scripts = append(e.scripts, ciScript{[]string{"bash", "-eo", "pipefail", "-c"}, line})
		}
	}
	return e
}

// jenkinsExample: every sh step runs in sh -xe.
func jenkinsExample(t *testing.T) ciExample {
	t.Helper()
	e := ciExample{file: "Jenkinsfile", env: map[string]string{}}
	blocks, err := groovyBlocks(readExample(t, "Jenkinsfile"))
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range blocks {
		if b.path == "pipeline/environment" {
			for _, m := range regexp.MustCompile(`(?m)^\s*(\w+) = '([^']*)'`).FindAllStringSubmatch(b.own, -1) {
				e.env[m[1]] = m[2]
			}
		}
		for _, s := range b.shell {
			e.scripts = append(e.scripts, ciScript{[]string{"sh", "-xe", "-c"}, s})
		}
	}
	return e
}

// groovyBlock is a block of braces: the names that lead to it, its text without that of inner
// blocks, and its sh steps.
type groovyBlock struct {
	path, own string
	shell     []string
}

var (
	groovyWord = regexp.MustCompile(`(\w+)(?:\([^(){}]*\))?\s*$`)
	shellStep  = regexp.MustCompile(`\bsh\s+$`)
)

// groovyBlocks reads the part of Groovy that a declarative pipeline is made of: blocks, comments and
// strings.
func groovyBlocks(text string) ([]groovyBlock, error) {
	blocks := []groovyBlock{{}}
	open := []int{0}
	for i := 0; i < len(text); {
		top := &blocks[open[len(open)-1]]
		switch rest := text[i:]; {
		case strings.HasPrefix(rest, "//"):
			end := strings.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest)
			}
			i += end
		case rest[0] == '\'' || rest[0] == '"':
			source, value, err := groovyString(rest)
			if err != nil {
				return nil, err
			}
			if shellStep.MatchString(top.own) {
				top.shell = append(top.shell, value)
			}
			top.own += source
			i += len(source)
		case rest[0] == '{':
			m := groovyWord.FindStringSubmatch(top.own)
			if m == nil {
				return nil, fmt.Errorf("a block without a name behind %q", top.own)
			}
			blocks = append(blocks, groovyBlock{path: strings.TrimPrefix(top.path+"/"+m[1], "/")})
			open = append(open, len(blocks)-1)
			i++
		case rest[0] == '}':
			if open = open[:len(open)-1]; len(open) == 0 {
				return nil, errors.New("a } too many")
			}
			i++
		default:
			top.own += rest[:1]
			i++
		}
	}
	if len(open) != 1 {
		return nil, fmt.Errorf("%s is not closed", blocks[open[len(open)-1]].path)
	}
	return blocks, nil
}

// groovyString is the string that text starts with, as written and as Groovy takes it.
func groovyString(text string) (source, value string, err error) {
	mark := text[:1]
	if strings.HasPrefix(text, strings.Repeat(mark, 3)) {
		mark = text[:3]
	}
	end := strings.Index(text[len(mark):], mark)
	if end < 0 || len(mark) == 1 && strings.Contains(text[1:1+end], "\n") {
		return "", "", fmt.Errorf("a string is not closed: %.40s", text)
	}
	body := text[len(mark) : len(mark)+end]
	return text[:end+2*len(mark)], strings.NewReplacer(`\\`, `\`, "\\\n", "").Replace(body), nil
}
